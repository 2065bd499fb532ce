-- Service and client over nav_msgs/GetMap. Calls go through roslua's concurrent execution, which is
-- asked after each spin whether the answer is there.
local TYPE = "nav_msgs/GetMap"

local function text_of(data)
  local parts = {}
  for i = 1, #data, 4096 do
    local part = {}
    for j = i, math.min(i + 4095, #data) do part[#part + 1] = data[j] % 256 end
    parts[#parts + 1] = string.char(unpack(part))
  end
  return table.concat(parts)
end

local function ns_table(time)
  return {sec = time.sec, nanosec = time.nsec}
end

local function serve(kit, job)
  local data, map = {}, kit.map(job.payload_bytes)
  for i = 1, #map do data[i] = map:byte(i) end
  local info = {resolution = kit.map_resolution, width = kit.map_width, height = kit.map_height}
  local header = {frame_id = kit.map_frame}
  roslua.service(job.service, TYPE, function()
    local t2 = kit.now()
    info.map_load_time = {t2.sec, t2.nanosec}
    local t3 = kit.now()
    header.stamp = {t3.sec, t3.nanosec}
    kit.served(nil, t2, t3)
    return {map = {header = header, info = info, data = data}}
  end)
  return {}
end

local function use(kit, job)
  local persistent = kit.setting("connection", "persistent") == "persistent"
  local client, waiting
  local endpoints = {}

  -- The first connection is made here, where a service that does not answer yet is no failure.
  function endpoints.is_matched()
    if not pcall(roslua.master.lookupService, roslua.master, job.service) then return false end
    client = roslua.service_client(job.service, TYPE, {persistent = persistent})
    return true
  end

  function endpoints.call(token)
    waiting = token
    client:concexec_start {}
  end

  function endpoints.forget(token)
    if waiting == token then
      client:concexec_abort()
      waiting = nil
    end
  end

  function endpoints.look()
    if not waiting or not client:concexec_finished() then return end
    local t4 = kit.now()
    local token = waiting
    waiting = nil
    if client:concexec_failed() then
      client:concexec_abort()
      kit.unanswered(token)
      return
    end
    local map = client:concexec_result().values.map.values
    local header, info = map.header.values, map.info.values
    local intact = kit.map_is_intact(text_of(map.data))
    kit.answered(token, ns_table(info.map_load_time), ns_table(header.stamp), not intact, t4)
  end

  return endpoints
end

return function(kit, job)
  return job.role == "server" and serve(kit, job) or use(kit, job)
end
