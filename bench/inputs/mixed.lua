-- A few small benchmarks of an interpreter: recursion, tables, strings, closures, sorting, coroutines.  Argument: scale.
local scale = tonumber(arg[1] or "1")

local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
print("fib", fib(math.floor(18 + 2 * scale)))

local function sieve(n)
  local composite, count = {}, 0
  for i = 2, n do
    if not composite[i] then
      count = count + 1
      for j = i * i, n, i do composite[j] = true end
    end
  end
  return count
end
print("primes", sieve(60000 * scale))

local bodies = {}
for i = 1, 5 do bodies[i] = { x = i, y = i * 2 % 5, z = i * 3 % 7, vx = 0, vy = 0, vz = 0, mass = 1 / i } end
for _ = 1, 1500 * scale do
  for i = 1, #bodies do
    local a = bodies[i]
    for j = i + 1, #bodies do
      local b = bodies[j]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      local pull = 0.001 / (dx * dx + dy * dy + dz * dz + 0.01) ^ 1.5
      a.vx, a.vy, a.vz = a.vx - dx * b.mass * pull, a.vy - dy * b.mass * pull, a.vz - dz * b.mass * pull
      b.vx, b.vy, b.vz = b.vx + dx * a.mass * pull, b.vy + dy * a.mass * pull, b.vz + dz * a.mass * pull
    end
  end
  for _, b in ipairs(bodies) do b.x, b.y, b.z = b.x + b.vx, b.y + b.vy, b.z + b.vz end
end
print("bodies", string.format("%.12g %.12g", bodies[1].x, bodies[5].vz))

local words, text = {}, {}
for i = 1, 8000 * scale do text[i] = "w" .. (i * 7919 % 977) end
for word in table.concat(text, " "):gmatch("%a%d+") do words[word] = (words[word] or 0) + 1 end
local keys = {}
for word in pairs(words) do keys[#keys + 1] = word end
table.sort(keys, function(a, b)
  if words[a] ~= words[b] then return words[a] > words[b] end
  return a < b
end)
print("words", #keys, keys[1], words[keys[1]], keys[#keys])

local produce = coroutine.wrap(function()
  local state = 1
  while true do
    state = state * 1103515245 + 12345 & 0x7fffffff
    coroutine.yield(state)
  end
end)
local values = {}
for i = 1, 6000 * scale do values[i] = produce() end
table.sort(values)
print("sorted", values[1], values[#values // 2], values[#values])

local ok, message = pcall(function() error({ code = 42 }) end)
print("caught", ok, message.code)
