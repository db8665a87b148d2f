-- Requests come from a file, a line each: method, path, headers and body between tabs. They are made once, and sent in
-- turns. What came of them is told in one line of JSON.

local requests = {}
local next_request = 0

function init(arguments)
  for line in io.lines(arguments[1]) do
    local method, path, headers, body = line:match("^(.-)\t(.-)\t(.-)\t(.*)$")
    local fields = {}
    for name, value in headers:gmatch("(.-): (.-)\31") do
      fields[name] = value
    end
    if body == "" then body = nil end
    requests[#requests + 1] = wrk.format(method, path, fields, body)
  end
end

function request()
  next_request = next_request % #requests + 1
  return requests[next_request]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"bytes":%d,"us":%d,"p50":%d,"p99":%d,"failed":%d}\n',
    summary.requests, summary.bytes, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status + errors.connect + errors.read + errors.write + errors.timeout
  ))
end
