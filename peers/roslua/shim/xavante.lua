-- In the place of xavante, which Debian has not: an HTTP server for roslua's slave API, one POST
-- after the other on each connection, without ever blocking. Also defines `copas`, whose step lets
-- it work.
local socket = require "socket"
local httpd = require "xavante.httpd"

local handler, server
local connections = {}

xavante = xavante or {}
copas = {}

-- Takes one whole request off the connection's text; nil: not all of it is there yet.
local function take_request(connection)
  local head_end = select(2, connection.text:find("\r\n\r\n", 1, true))
  if not head_end then return nil end
  local head = connection.text:sub(1, head_end):lower()
  local length = tonumber(head:match "content%-length:%s*(%d+)" or 0)
  if #connection.text < head_end + length then return nil end
  local body = connection.text:sub(head_end + 1, head_end + length)
  connection.text = connection.text:sub(head_end + length + 1)
  return body, head:find "connection:%s*close" ~= nil
end

local function answer(connection, body)
  local status, headers, chunks = handler {post_data = body}
  local parts = {}
  for chunk in chunks do parts[#parts + 1] = chunk end
  local reply = {string.format("HTTP/1.1 %d OK", status)}
  for name, value in pairs(headers) do reply[#reply + 1] = name .. ": " .. value end
  reply[#reply + 1] = "\r\n" .. table.concat(parts)
  connection.socket:settimeout(1)
  local sent = connection.socket:send(table.concat(reply, "\r\n"))
  connection.socket:settimeout(0)
  return sent ~= nil
end

-- False: the connection is over.
local function serve(connection)
  local data, problem, part = connection.socket:receive(65536)
  connection.text = connection.text .. (data or part or "")
  local open = problem ~= "closed"
  local body, last = take_request(connection)
  while body do
    open = answer(connection, body) and open and not last
    body, last = take_request(connection)
  end
  return open
end

function xavante.HTTP(config)
  handler = config.defaultHost.rules[1].with
  server = assert(socket.bind(config.server.host, config.server.port))
  server:settimeout(0)
  httpd.port = tonumber((select(2, server:getsockname())))
end

function copas.step()
  local peer = server:accept()
  if peer then
    peer:settimeout(0)
    connections[#connections + 1] = {socket = peer, text = ""}
  end
  for i = #connections, 1, -1 do
    if not serve(connections[i]) then
      connections[i].socket:close()
      table.remove(connections, i)
    end
  end
end

return xavante
