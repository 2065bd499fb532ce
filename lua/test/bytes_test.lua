-- Tests of rclite.bytes and of subscriptions that get views, for every Lua. On loopback in a domain of its own.
-- usage: lua bytes_test.lua GENERATION [DEFINITIONS]
package.path = (arg[0]:match "^(.*)/" or ".") .. "/?.lua;" .. package.path
local rclite = require "rclite"
local ros = tonumber(arg[1] or 2)
local checks = require "checks"
local check, fails = checks.check, checks.fails

-- bytes alone
local bytes = rclite.bytes(5)
check(#bytes == 5 and tostring(bytes) == ("\0"):rep(5), "zeros")
bytes:set(1, "ab")
bytes:set(-1, 255)
bytes:set(3, rclite.bytes "c")
check(tostring(bytes) == "abc\0\255", "set by string, number and bytes")
check(bytes:byte(1) == 97 and bytes:byte() == 97 and bytes:byte(-1) == 255, "byte")
check(bytes:byte(6) == nil and bytes:byte(0) == nil and bytes:byte(-6) == nil, "no byte beyond the ends")
local letters = {"a", "b", "c", "\0", "\255"}
for first = -7, 7 do
  for last = -7, 7 do  -- string.sub is not asked: LuaJIT's own is wrong for some of these when compiled
    local from = math.max(first < 0 and first + 6 or first, 1)
    local to = math.min(last < 0 and last + 6 or last, 5)
    check(bytes:sub(first, last) == table.concat(letters, "", from, to), "sub from " .. first .. " to " .. last)
  end
end
check(bytes:sub(2) == "bc\0\255", "sub to the end")
local whole = math.type or function() return "integer" end
check(whole(#bytes) == "integer" and whole(bytes:byte()) == "integer", "whole numbers")
check(bytes:is_valid() and type(bytes:address()) == "userdata", "valid, with an address")
local copy = rclite.bytes(bytes)
copy:set(1, "z")
check(bytes:sub(1, 1) == "a" and copy:sub(1, 1) == "z", "a copy has its own memory")
check(#rclite.bytes(0) == 0 and tostring(rclite.bytes "") == "", "no bytes")
fails("more than there is room for", bytes.set, bytes, 2, bytes)
fails("beyond the bytes", bytes.set, bytes, 7, "x")
fails("beyond the bytes", bytes.set, bytes, 0 / 0, "x")
fails("0 to 255", bytes.set, bytes, 1, 256)
fails("number", bytes.set, bytes, 1, {})
fails("a number of bytes", rclite.bytes, -1)
fails("number", rclite.bytes, {})
fails("rclite.bytes", bytes.sub, "abc", 1)

-- in messages: published from bytes, received as views
local context = rclite.context {ros = ros, path = arg[2]}
local node = context:node("bytes_test", "/")
local TYPE = "sensor_msgs/msg/PointCloud2"
local sent = rclite.bytes(("\0\1\255"):rep(100000))
local cloud, view, inside, kept
local subscription = node:subscription("cloud", TYPE, function(message)
  cloud, view = message, message.data
  inside = tostring(view)
  kept = rclite.bytes(view)
  check(#view == #sent and view:byte(4) == 0 and view:is_valid(), "a view in the callback")
  fails("cannot be changed", view.set, view, 1, 0)
end, {depth = 5, bytes = "view"})
local strings
local plain = node:subscription("cloud", TYPE, function(message) strings = message.data end, {bytes = "string"})
local publisher = node:publisher("cloud", TYPE, {depth = 5})
check(publisher:wait_matched(2, 10), "the publisher is matched")
check(subscription:wait_matched(1, 10) and plain:wait_matched(1, 10), "the subscriptions are matched")
local function exchange(message)
  cloud, strings = nil, nil
  publisher:publish(message)
  check(context:spin_until(function() return cloud and strings end, 10), "the message arrived")
end
exchange {header = {frame_id = "map"}, data = sent}
check(cloud.header.frame_id == "map", "texts are strings")
check(inside == tostring(sent) and tostring(kept) == inside, "the bytes in the callback, and a copy after it")
check(strings == inside, "and as a string")

-- after the callback
check(not view:is_valid(), "the view has ended")
fails("valid in the callback only", view.sub, view, 1)
fails("valid in the callback only", function() return #view end)
fails("valid in the callback only", tostring, view)
fails("valid in the callback only", rclite.bytes, view)
fails("valid in the callback only", publisher.publish, publisher, {data = view})
sent:set(1, "xyz")
exchange {data = sent}
check(inside:sub(1, 4) == "xyz\0" and strings == inside, "bytes that were changed are sent so")
subscription:close()
subscription = node:subscription("cloud", TYPE, function(message)
  cloud, view, inside = message, message.data, tostring(message.data)
end, {bytes = "view"})
check(publisher:wait_matched(2, 10) and subscription:wait_matched(1, 10), "matched again")
exchange {data = ""}
check(inside == "" and strings == "", "an empty array")
exchange {data = rclite.bytes(0)}
check(inside == "" and strings == "", "an empty array from bytes")

-- an echo from the callback: the view is published before it ends
local echoed
local echo = node:publisher("echo", TYPE)
node:subscription("echo", TYPE, function(message) echoed = message.data end)
subscription:close()
node:subscription("cloud", TYPE, function(message) echo:publish(message) end, {bytes = "view"})
check(echo:wait_matched(1, 10) and publisher:wait_matched(2, 10), "the echo is matched")
publisher:publish {data = kept}
check(context:spin_until(function() return echoed end, 10) and echoed == tostring(kept), "the echo")

-- an array of fixed length, and wrong values
local uuid
local ids = node:publisher("ids", "unique_identifier_msgs/msg/UUID")
node:subscription("ids", "unique_identifier_msgs/msg/UUID", function(message) uuid = message.uuid:sub(1) end, {bytes = "view"})
check(ids:wait_matched(1, 10), "the fixed array's publisher is matched")
ids:publish {uuid = rclite.bytes "0123456789abcdef"}
check(context:spin_until(function() return uuid end, 10) and uuid == "0123456789abcdef", "an array of fixed length")
fails("16 bytes expected, got 3", ids.publish, ids, {uuid = rclite.bytes(3)})
fails("string, bytes or table expected", publisher.publish, publisher, {data = 7})
fails("string expected", publisher.publish, publisher, {header = {frame_id = rclite.bytes(3)}})
fails("views", node.subscription, node, "x", TYPE, print, {bytes = "views"})
fails("qos has no 'byte'", node.subscription, node, "x", TYPE, print, {byte = "view"})
fails("qos has no 'reliabilty'", node.publisher, node, "x", TYPE, {reliabilty = "reliable"})
fails("rclite.context has no 'rso'", rclite.context, {rso = 2})

-- views that are kept do not keep messages, and may be collected at any time
local views = {}
local counted = 0
node:subscription("many", TYPE, function(message)
  counted = counted + 1
  views[counted % 10] = message.data
end, {bytes = "view"})
local many = node:publisher("many", TYPE)
check(many:wait_matched(1, 10), "many is matched")
for i = 1, 100 do
  many:publish {data = kept}
  check(context:spin_until(function() return counted == i end, 10), "one of many")
end
collectgarbage()
collectgarbage()
check(collectgarbage "count" < 3000, "100 messages of 300 kB leave no memory behind")
context:close()
for _, old in pairs(views) do fails("valid in the callback only", old.sub, old, 1) end
print(_VERSION .. ": " .. checks.count .. " checks passed")
