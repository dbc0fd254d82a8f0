local util = require("util.table")
local M = {}

M.version = "1.0"

local DEFAULTS = {
  width = 80,
  on_error = function(message)
    print("error: " .. message)
    os.exit(1)
  end,
}

--- Opens a window.
-- @param name string
-- @return window
function M.open(name)
  local function place(x)
    local half = x / 2
    return math.floor(half)
  end
  return { name = name, x = place(M.width) }
end

local function clamp(value, low, high)
  if value < low then
    return low
  elseif value > high then
    return high
  end
  return value
end

M.close = function(window)
  window.open = false
  util.remove(M.windows, window)
end

---@class Window
local Window = setmetatable({}, { __index = M })
Window.__index = Window

function Window:resize(width, height)
  self.width = clamp(width, 1, 200)
  self.height = height or self.height
end

--[[
Draws it.
Slowly.
]]
Window.draw = function(self) return self:render() end

M.handlers = {
  ["key"] = function(key)
    if key == "q" then
      M.close(M.current)
    end
  end,
}

return M
