-- What wrk sends and reports: it cycles through prepared requests, or spreads one over many ids, and prints
-- one JSON line at the end. Arguments after `--`: the file of requests; how many ids to spread over (0:
-- cycle).
local requests, first, last, position, idCount = {}, "", "", 0, 0
local stride = 7919 -- a prime: each id comes once before any comes twice, unless it divides their number

local function cycle()
  position = position % #requests + 1
  return requests[position]
end

local function spread()
  position = (position + stride) % idCount
  return first .. (position + 1) .. last
end

function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  local text = file:read("*a")
  file:close()
  for prepared in text:gmatch("([^%z]+)%z") do requests[#requests + 1] = prepared end
  idCount = tonumber(arguments[2])
  request = cycle
  if idCount > 0 then
    first, last = requests[1]:match("^(GET /orders/)%d+( .*)$")
    request = spread
  end
end

function request() return requests[1] end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"us":%d,"p50Us":%d,"p99Us":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
