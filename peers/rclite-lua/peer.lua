-- The rclite-lua peer: the Lua module's public functions, in the order that the kit asks for them.
local rclite = require "rclite"
if arg[1] == "--version" then
  print("rclite-lua " .. rclite.version .. ", " .. _VERSION)
  os.exit(0)
end
local kit = require "peer_kit"

local TYPES = {
  topic = "std_msgs/msg/UInt8MultiArray",
  startup = "std_msgs/msg/UInt8MultiArray",
  service = "nav_msgs/srv/GetMap",
  action = "actionlib_benchmark/action/Roundtrip",
}

local peer = {settings = {"interpreter", "connection", "bytes"}}
local context, node, publisher, subscription, client, action, layout
local as_views, payload -- payload: memory that the kit stamps, when bytes are not strings

-- Of a setting: one of two values, the first is the default. Nil: neither.
local function choice(name, default, other)
  local value = kit.setting(name, default)
  return (value == default or value == other) and value or nil
end

function peer.refuses(job)
  if job.type ~= TYPES[job.pattern] then return "type" end
  if not choice("bytes", "view", "string") then return "settings.bytes" end
  if not choice("connection", "persistent", "per_call") then return "settings.connection" end
  return job.not_plain
end

local function create_topic(job)
  local sends = job.role == "publisher"
  if sends or job.echo then
    publisher = node:publisher(sends and job.topic or job.echo_topic, job.type, job.qos)
  end
  as_views = choice("bytes", "view", "string") == "view"
  if not sends or job.echo then
    job.qos.bytes = as_views and "view" or "string"
    local on_message = as_views and function(message)
      kit.message(message.data:address(), message, nil, #message.data)
    end or function(message)
      kit.message(message.data, message)
    end
    subscription = node:subscription(sends and job.echo_topic or job.topic, job.type, on_message, job.qos)
  end
  local size = job.payload_bytes
  layout = {dim = {
    {label = "height", size = 1, stride = size},
    {label = "width", size = size, stride = size},
    {label = "channel", size = 1, stride = 1},
  }}
end

local function create_service(job)
  if job.role == "client" then
    job.qos.persistent = choice("connection", "persistent", "per_call") == "persistent"
    client = node:client(job.service, job.type, job.qos)
    return
  end
  local map = {
    header = {frame_id = kit.map_frame},
    info = {resolution = kit.map_resolution, width = kit.map_width, height = kit.map_height},
    data = kit.map(job.payload_bytes),
  }
  node:service(job.service, job.type, function()
    local t2 = kit.now()
    map.info.map_load_time = t2
    local t3 = kit.now()
    map.header.stamp = t3
    kit.served(nil, t2, t3)
    return {map = map}
  end, job.qos)
end

local function create_action(job)
  if job.role == "client" then
    action = node:action_client(job.action, job.type)
    return
  end
  node:action_server(job.action, job.type, {accepted = function(goal, asked)
    local t2 = kit.now()
    kit.served(asked.start, t2)
    goal:succeed {received = t2}
  end})
end

local CREATE = {topic = create_topic, startup = create_topic, service = create_service, action = create_action}

function peer.create(job)
  context = rclite.context {ros = job.generation}
  local name_space, name = job.node:match "^(.*)/([^/]*)$"
  node = context:node(name, name_space == "" and "/" or name_space)
  CREATE[job.pattern](job)
  kit.effective(context:describe(), "rclite-lua", rclite.version)
end

local function wait(object, method, seconds, ...)
  if object and not object[method](object, ...) then
    error("no match within " .. seconds .. " s")
  end
end

function peer.wait_matched(seconds)
  wait(publisher, "wait_matched", seconds, 1, seconds)
  wait(subscription, "wait_matched", seconds, 1, seconds)
  wait(client, "wait", seconds, seconds)
  wait(action, "wait_for_server", seconds, seconds)
end

function peer.payload(size)
  if not as_views then return nil end
  payload = rclite.bytes(size)
  return payload:address()
end

function peer.publish(text)
  publisher:publish {layout = layout, data = text or payload}
end

function peer.echo(message)
  publisher:publish(message)
end

local function on_map(token)
  return function(response)
    local t4 = kit.now()
    if not response then
      kit.unanswered(token)
      return
    end
    local map = response.map
    kit.answered(token, map.info.map_load_time, map.header.stamp, not kit.map_is_intact(map.data), t4)
  end
end

local function on_result(token)
  return function(status, result)
    local t4 = kit.now()
    if status ~= "SUCCEEDED" then
      kit.unanswered(token)
      return
    end
    kit.answered(token, result.received, nil, false, t4)
  end
end

function peer.call(token, t1)
  if client then
    client:call_async({}, on_map(token))
  else
    action:send_goal({start = t1}, {result = on_result(token)})
  end
end

function peer.pump(seconds)
  context:spin_once(seconds)
end

function peer.destroy()
  if context then context:close() end
end

local status = kit.main(peer, arg[1])
os.exit(status)
