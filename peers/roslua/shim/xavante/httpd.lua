-- In the place of xavante.httpd: the port of the server in xavante.lua.
local httpd = {}

function httpd.get_ports()
  return {httpd.port}
end

xavante = xavante or {}
xavante.httpd = httpd
return httpd
