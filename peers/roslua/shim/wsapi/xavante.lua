-- In the place of wsapi.xavante: the handler is called as it is.
wsapi = wsapi or {}
wsapi.xavante = {makeHandler = function(handler) return handler end}
return wsapi.xavante
