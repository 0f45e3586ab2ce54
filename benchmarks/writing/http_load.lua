-- For wrk: -- PREFIX THREADS FILE. Posts the lines of FILE, one after another, to threads in turn.
local prefix, threads, bodies, number = "", 1, {}, 0

function init(arguments)
  prefix, threads = arguments[1], tonumber(arguments[2])
  for line in io.lines(arguments[3]) do bodies[#bodies + 1] = line end
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  number = number + 1
  local path = "/v1/threads/" .. prefix .. "-" .. number % threads .. "/messages"
  return wrk.format(nil, path, nil, bodies[number % #bodies + 1])
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests": %d, "seconds": %f, "p50": %f, "p99": %f, "failed": %d}\n',
    summary.requests, summary.duration / 1e6,
    latency:percentile(50) / 1e6, latency:percentile(99) / 1e6,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
