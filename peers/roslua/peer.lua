-- The roslua peer: roslua's calls, in the order that the kit asks for them.
require "compat"
require "actionlib"
local version = roslua.VERSION .. ", actionlib_lua " .. actionlib.VERSION
if arg[1] == "--version" then
  io.stdout:write("roslua ", version, ", ", _VERSION, "\n")
  os.exit(0)
end
local kit = require "peer_kit"

local TYPES = {
  topic = "std_msgs/msg/UInt8MultiArray",
  startup = "std_msgs/msg/UInt8MultiArray",
  service = "nav_msgs/srv/GetMap",
  action = "actionlib_benchmark/action/Roundtrip",
}
-- roslua hands the elements of an array to one function call, and Lua 5.1 takes about 8000.
local PAYLOAD_BYTES_MAX = 7900

local peer = {settings = {"connection"}}
local endpoints

function peer.refuses(job)
  if job.generation ~= 1 then return "generation" end
  if job.type ~= TYPES[job.pattern] then return "type" end
  if job.pattern ~= "action" and job.payload_bytes > PAYLOAD_BYTES_MAX then return "payload_bytes" end
  if job.pattern == "service" and job.in_flight ~= 1 then return "in_flight" end
  return job.not_plain
end

function peer.create(job)
  local name_space, name = job.node:match "^(.*)/([^/]*)$"
  roslua.init_node {node_name = name, namespace = name_space, no_signal_handler = true}
  roslua.logging.set_log_level(roslua.logging.WARN)
  local module = job.pattern == "startup" and "topic" or job.pattern
  endpoints = require(module .. "_endpoints")(kit, job)
  kit.effective('{"transport": "TCPROS"}', "roslua", version)
end

-- The kit reads the clock; a roslua.Time is what goes into messages.
function peer.wait_matched(seconds)
  local deadline = kit.now().sec + seconds
  while not endpoints.is_matched() do
    if kit.now().sec > deadline then error("no match within " .. seconds .. " s", 0) end
    peer.pump()
  end
end

function peer.publish(payload) endpoints.publish(payload) end
function peer.echo(message) endpoints.echo(message) end
function peer.call(token, t1) endpoints.call(token, t1) end
function peer.forget(token) endpoints.forget(token) end

-- roslua never sleeps, so this is roslua.run(0), one round at a time.
function peer.pump()
  roslua.spin()
  if endpoints.look then endpoints.look() end
end

function peer.destroy()
  if not roslua.quit then pcall(roslua.finalize) end
end

os.exit(kit.main(peer, arg[1]))
