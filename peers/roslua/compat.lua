-- Makes roslua 0.6 run, unmodified, on what Debian has today. Loaded before it; nothing of it is on
-- the way of a message but the two replaced functions, which do what roslua's own do, without the
-- fault.

-- Modules of its time set globals.
socket = require "socket"
socket.url = require "socket.url"
md5 = require "md5"
xmlrpc = require "xmlrpc"
xmlrpc.http = require "xmlrpc.http"

-- roslua's own C modules, under the names that it asks for; posix must not be Debian's.
for _, name in ipairs {"posix", "signal", "struct"} do
  local open = assert(package.loadlib(os.getenv "ROSLUA_NATIVE" .. "/" .. name .. ".luaso", "luaopen_" .. name))
  open(name)
  _G[name] = package.loaded[name]
  package.loaded["roslua." .. name] = package.loaded[name]
end

-- It does not know ROS_HOSTNAME and ROS_IP.
local gethostname = socket.dns.gethostname
function socket.dns.gethostname()
  return os.getenv "ROS_HOSTNAME" or os.getenv "ROS_IP" or gethostname()
end

-- Its own drops what came before in a message that arrives in two reads.
local utils = require "roslua.utils"
function utils.socket_recv(connection, size, yields)
  local parts, got = {}, 0
  connection:settimeout(0)
  while got < size do
    local data, problem, part = connection:receive(size - got)
    if not data and problem ~= "timeout" then return nil, problem end
    parts[#parts + 1] = data or part
    got = got + #parts[#parts]
    if not data and yields then coroutine.yield(got) end
  end
  return table.concat(parts)
end

require "roslua"

-- Of several messages that have come at one spin it delivers the first ones again with each further
-- one.
roslua.Subscriber.MAX_MSGS_PER_LOOP = 1

-- The port is a text in LuaSocket 3; other nodes expect a number from requestTopic.
local connection = roslua.tcpros.TcpRosConnection
local get_ip_port = connection.get_ip_port
function connection:get_ip_port()
  local address, port = get_ip_port(self)
  return address, tonumber(port)
end

-- A service writes its header as soon as it is connected to; roscpp's client, when it reads that
-- before its own is written, forgets its first call. So a connection counts as accepted when the
-- other's header comes.
local provider = roslua.tcpros.TcpRosServiceProviderConnection
local accept = roslua.tcpros.TcpRosConnection.accept
function provider:accept()
  local early, ready = self.early or {}, {}
  for _, client in ipairs(accept(self)) do early[#early + 1] = client end
  self.early = {}
  for _, client in ipairs(early) do
    local list = client:data_available() and ready or self.early
    list[#list + 1] = client
  end
  return ready
end
