-- What the tests of the Lua module share: checks that are counted.
local checks = {count = 0}

function checks.check(condition, text)
  checks.count = checks.count + 1
  if not condition then error("check failed: " .. text, 2) end
end

-- f(...) raises an error that says the text.
function checks.fails(text, f, ...)
  local ok, message = pcall(f, ...)
  checks.check(not ok, "an error about " .. text)
  checks.check(tostring(message):find(text, 1, true), "'" .. tostring(message) .. "' says '" .. text .. "'")
end

return checks
