-- Action server and client over actionlib_benchmark/Roundtrip, as the ancestor's programs used
-- actionlib_lua.
local TYPE = "actionlib_benchmark/Roundtrip"

-- actionlib_lua takes the messages of an action from files that a ROS build makes. These are the
-- same ones, made from the .action file and put where it looks first.
local function declare_messages()
  local path = roslua.utils.find_rospack "actionlib_benchmark" .. "/action/Roundtrip.action"
  local parts, part = {"", "", ""}, 1
  for line in io.lines(path) do
    if line:match "^%-%-%-" then
      part = part + 1
    else
      parts[part] = parts[part] .. line .. "\n"
    end
  end
  local function declare(name, text)
    roslua.get_msgspec(TYPE .. name, text)
  end
  for i, kind in ipairs {"Goal", "Result", "Feedback"} do
    declare(kind, parts[i])
    local id = kind == "Goal" and "actionlib_msgs/GoalID goal_id" or "actionlib_msgs/GoalStatus status"
    declare("Action" .. kind, "Header header\n" .. id .. "\n" .. TYPE .. kind .. " " .. kind:lower() .. "\n")
  end
  declare("Action", string.format("%sActionGoal action_goal\n%sActionResult action_result\n"
    .. "%sActionFeedback action_feedback\n", TYPE, TYPE, TYPE))
end

local function ns_table(time)
  return {sec = time.sec, nanosec = time.nsec}
end

local function serve(kit, job)
  actionlib.action_server(job.action, TYPE, function(handle, server)
    local t2 = kit.now()
    kit.served(ns_table(handle.goalmsg.values.goal.values.start), t2)
    local result = server.actspec.result_spec:instantiate()
    result.values.received = roslua.Time:new(t2.sec, t2.nanosec)
    handle:finish(result)
  end)
  return {}
end

local function use(kit, job)
  local client = actionlib.action_client(job.action, TYPE)
  local waiting = {}
  local endpoints = {}

  function endpoints.is_matched()
    return client:has_server()
  end

  function endpoints.call(token, t1)
    local goal = client.actspec.goal_spec:instantiate()
    goal.values.start = roslua.Time:new(t1.sec, t1.nanosec)
    waiting[token] = client:send_goal(goal)
  end

  function endpoints.forget(token)
    waiting[token] = nil
  end

  -- As client:wait_for_result does after each spin, but for results of our own goals only.
  function endpoints.look()
    for token, handle in pairs(waiting) do
      if handle.result then
        local t4 = kit.now()
        waiting[token] = nil
        local status = handle.act_result.values.status.values.status
        if status == handle.goalstatspec.constants.SUCCEEDED.value then
          kit.answered(token, ns_table(handle.result.values.received), nil, false, t4)
        else
          kit.unanswered(token)
        end
        return -- the next goal may have been sent, which changes the table
      elseif handle:failed() then
        waiting[token] = nil
        kit.unanswered(token)
        return
      end
    end
  end

  return endpoints
end

return function(kit, job)
  declare_messages()
  return job.role == "server" and serve(kit, job) or use(kit, job)
end
