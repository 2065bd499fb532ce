-- Publisher, subscriber and echo over std_msgs/UInt8MultiArray. An array is a table of numbers in
-- roslua.
local TYPE = "std_msgs/UInt8MultiArray"
local HEAD, TAIL = 32, 8 -- what changes in a payload from message to message

local function bytes_of(payload)
  local bytes = {}
  for i = 1, #payload do bytes[i] = payload:byte(i) end
  return bytes
end

local function new_message(publisher, size)
  local message = publisher.msgspec:instantiate()
  message:set_from_array {
    layout = {
      dim = {
        {label = "height", size = 1, stride = size},
        {label = "width", size = size, stride = size},
        {label = "channel", size = 1, stride = 1},
      },
      data_offset = 0,
    },
    data = {},
  }
  return message
end

local function any_in_state(peers, state)
  for _, peer in pairs(peers) do
    if peer.state == state then return true end
  end
  return false
end

return function(kit, job)
  local endpoints = {}
  local publisher, subscriber, outgoing
  local publishes = job.role == "publisher"
  if publishes or job.echo then
    publisher = roslua.publisher(publishes and job.topic or job.echo_topic, TYPE,
      job.qos.durability == "transient_local")
  end
  if publishes then outgoing = new_message(publisher, job.payload_bytes) end
  if not publishes or job.echo then
    subscriber = roslua.subscriber(publishes and job.echo_topic or job.topic, TYPE)
    subscriber:add_listener(function(message)
      local arrived = kit.now()
      local data, parts = message.values.data, {}
      for i = 1, #data, 4096 do parts[#parts + 1] = string.char(unpack(data, i, math.min(i + 4095, #data))) end
      kit.message(table.concat(parts), message, arrived)
    end)
  end

  function endpoints.is_matched()
    return (not publisher or any_in_state(publisher.subscribers, roslua.Publisher.SUBSTATE_COMMUNICATING))
      and (not subscriber or any_in_state(subscriber.publishers, roslua.Subscriber.PUBSTATE_COMMUNICATING))
  end

  function endpoints.publish(payload)
    local data, size = outgoing.values.data, #payload
    if #data == 0 then
      outgoing.values.data = bytes_of(payload)
    else
      for i = 1, HEAD do data[i] = payload:byte(i) end
      for i = size - TAIL + 1, size do data[i] = payload:byte(i) end
    end
    publisher:publish(outgoing)
  end

  function endpoints.echo(message)
    publisher:publish(message)
  end

  return endpoints
end
