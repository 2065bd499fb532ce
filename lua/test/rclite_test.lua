-- Tests of the Lua module, for every Lua that it is built for. Runs on loopback in a domain of its own.
-- usage: lua rclite_test.lua GENERATION [DEFINITIONS]: 1 needs a master at ROS_MASTER_URI
package.path = (arg[0]:match "^(.*)/" or ".") .. "/?.lua;" .. package.path
local rclite = require "rclite"
local ros = tonumber(arg[1] or 2)
local checks = require "checks"
local check, fails = checks.check, checks.fails

local context = rclite.context {ros = ros, path = arg[2]}
local node = context:node("lua_test", "/")
check(node:name() == "/lua_test", "the node's name")

-- topics: every kind of field there and back, bytes as strings
local received
local subscription = node:subscription("cloud", "sensor_msgs/msg/PointCloud2", function(message, info)
  received = message
  check(info.received > 1e9, "a time of receiving")
end)
local publisher = node:publisher("cloud", "sensor_msgs/msg/PointCloud2", {depth = 5})
check(publisher:wait_matched(1, 10), "the publisher is matched")
local whole = math.type or function() return "integer" end
check(whole(publisher:matched_count()) == "integer", "a count is a whole number")
check(whole(rclite.now().sec) == "integer" and whole(rclite.now().nanosec) == "integer", "so are times")
check(subscription:wait_matched(1, 10), "the subscription is matched")
publisher:publish {
  header = {stamp = {sec = 7, nanosec = 8}, frame_id = "map"},
  height = 2, width = 3, is_bigendian = true,
  fields = {{name = "x", offset = 0, datatype = 7, count = 1}, {name = "y", offset = 4}},
  data = ("\0\1\255"):rep(100000),
}
check(context:spin_until(function() return received end, 10), "the message arrived")
check(received.header.stamp.sec == 7 and received.header.stamp.nanosec == 8, "time")
check(received.header.frame_id == "map" and received.is_bigendian == true, "text and bool")
check(#received.fields == 2 and received.fields[2].name == "y" and received.fields[2].count == 0, "nested")
check(received.data == ("\0\1\255"):rep(100000), "bytes")

received = nil
publisher:publish {}
check(context:spin_until(function() return received end, 10), "the empty message arrived")
check(received.data == "" and #received.fields == 0 and received.header.frame_id == "", "fields are zero again")

fails("field 'width': number expected", publisher.publish, publisher, {width = "many"})
fails("field 'width': a whole number from 0 to 4294967295 expected, got -1", publisher.publish, publisher, {width = -1})
fails("a whole number from 0 to 4294967295 expected", publisher.publish, publisher, {width = 4294967296})
fails("a whole number", publisher.publish, publisher, {width = 1.5})
fails("a whole number", publisher.publish, publisher, {width = 0 / 0})
fails("field 'data': a whole number from 0 to 255", publisher.publish, publisher, {data = {1, 256}})
fails("field 'sec': a whole number", publisher.publish, publisher, {header = {stamp = {sec = 1e300}}})
fails("got table", publisher.publish, publisher, {header = {stamp = {nanosec = {}}}})
fails("field 'fields': table expected", publisher.publish, publisher, {fields = 3})
fails("no_such", node.publisher, node, "x", "no_such_msgs/msg/Thing")

-- an error in a callback comes out of the spin
local broken = node:subscription("broken", "std_msgs/msg/String", function() error("on purpose") end)
local to_broken = node:publisher("broken", "std_msgs/msg/String")
check(to_broken:wait_matched(1, 10) and broken:wait_matched(1, 10), "matched")
to_broken:publish {data = "x"}
fails("on purpose", context.spin_until, context, function() return false end, 10)
broken:close()

-- services
local service = node:service("get_map", "nav_msgs/srv/GetMap", function()
  return {map = {info = {width = 4, resolution = 0.5}, data = ("\255\1"):rep(6)}}
end)
local client = node:client("get_map", "nav_msgs/srv/GetMap")
check(client:wait(10), "the service is there")
local response = client:call({}, 10)
check(response.map.info.width == 4 and response.map.info.resolution == 0.5, "numbers of the response")
check(#response.map.data == 12 and response.map.data:byte(1) == 255, "bytes of the response")
local answered
client:call_async({}, function(answer, problem) answered = answer or problem end)
check(context:spin_until(function() return answered end, 10), "the asynchronous answer came")
check(answered.map.info.width == 4, "and is the response")
service:close()

-- actions
local feedback, ended
local server = node:action_server("roundtrip", "actionlib_benchmark/action/Roundtrip", {
  goal = function(goal) return goal.start.sec ~= 13 end,
  accepted = function(handle, goal) handle:succeed {received = {sec = goal.start.sec + 1}} end,
})
local action = node:action_client("roundtrip", "actionlib_benchmark/action/Roundtrip")
check(action:wait_for_server(10), "the action server is there")
local goal = action:send_goal({start = {sec = 41}}, {
  result = function(status, result) ended = status .. " " .. result.received.sec end})
local status, result = goal:wait(10)
check(status == "SUCCEEDED" and result.received.sec == 42, "the goal's result")
check(ended == "SUCCEEDED 42" and #goal:id() > 0, "the callback's result")
check(action:send_goal({start = {sec = 13}}):wait(10) == "REJECTED", "a goal is rejected")

-- nothing grows with the number of goals
local function many()
  for _ = 1, 200 do
    check(action:send_goal({start = {sec = 1}}):wait(10) == "SUCCEEDED", "one of many")
  end
  collectgarbage()
  collectgarbage()
  return collectgarbage "count"
end
many()
local before = many()
check(many() < before + 16, "200 goals leave nothing behind")

-- what the library uses is not collected: only the context is kept
local heard = 0
do
  local other = context:node("other", "/")
  other:subscription("kept", "std_msgs/msg/String", function() heard = heard + 1 end)
end
collectgarbage()
collectgarbage()
local kept = node:publisher("kept", "std_msgs/msg/String")
check(kept:wait_matched(1, 10), "the subscription that nobody holds is there")
kept:publish {data = "still"}
check(context:spin_until(function() return heard == 1 end, 10), "and hears")

-- closing in any order
context:close()
fails("closed", publisher.publish, publisher, {})
fails("closed", node.publisher, node, "x", "std_msgs/msg/String")
node:close()
server, publisher, feedback = nil, nil, nil
collectgarbage()
collectgarbage()
print(_VERSION .. ": " .. checks.count .. " checks passed")
