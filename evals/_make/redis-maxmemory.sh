#!/usr/bin/env bash
# Records redis-maxmemory: a Redis with maxmemory 12mb and noeviction; the session store writes sessions until every write
# is refused, reads go on. Packages: redis-server, python3-redis, prometheus, prometheus-alertmanager,
# python3-prometheus-client. Runs about 75 s.
set -euo pipefail
. "$(dirname "$0")/sandbox.sh"
enter cache-1 "$@"
add_host 10.30.0.10 cache-1
add_host 10.30.0.21 session-1

mkdir -p /var/log/redis /srv/app/session
cat > /srv/redis.conf <<'CONF'
bind 10.30.0.10
port 6379
protected-mode no
dir /var/lib/redis
logfile /var/log/redis/redis-server.log
loglevel verbose
save ""
maxmemory 12mb
maxmemory-policy noeviction
CONF
redis-server /srv/redis.conf &
wait_port 10.30.0.10 6379

cat > session/store.py <<'PY'
"""Stores a session every few milliseconds and reads one back; logs in logfmt."""
import random, sys, time, redis
from prometheus_client import Counter, start_http_server
random.seed(7)
out = open("/var/log/session-store.log", "a", buffering=1)
def log(level, msg, **fields):
    now = time.time()
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + ".%03dZ" % (now % 1 * 1000)
    quoted = {k: '"%s"' % v if " " in str(v) else v for k, v in fields.items()}
    out.write(f'ts={stamp} level={level} service=session-store msg="{msg}"' + "".join(f" {k}={v}" for k, v in quoted.items()) + "\n")
stored = Counter("sessions_stored", "sessions written")
refused = Counter("sessions_refused", "sessions that Redis refused")
start_http_server(9406, "10.30.0.21")
client = redis.Redis(host="cache-1", port=6379, socket_timeout=2)
log("info", "session store started", version="1.19.2", cache="cache-1:6379")
count, errors, started = 0, 0, time.time()
while time.time() - started < 90:
    count += 1
    key = f"session:{count:06d}"
    began = time.perf_counter()
    try:
        client.set(key, random.randbytes(14000), ex=3600)
        stored.inc()
        if count % 40 == 0:
            log("info", "session stored", key=key, took_ms=round((time.perf_counter() - began) * 1000, 2))
    except redis.exceptions.ResponseError as exc:
        refused.inc()
        errors += 1
        log("error", "session not stored", key=key, err=exc)
    if count % 60 == 0:
        probe = f"session:{random.randint(1, 300):06d}"
        size = len(client.get(probe) or b"")
        log("info", "session read", key=probe, bytes=size)
    time.sleep(0.03 if errors == 0 else 0.4)
PY
cat > /srv/monitor/exporter.py <<'PY'
"""Exports used and maximum memory and evictions of the Redis server."""
import time, redis
from prometheus_client import Gauge, start_http_server
client = redis.Redis(host="cache-1", port=6379)
names = {"redis_memory_used_bytes": "used_memory", "redis_memory_max_bytes": "maxmemory", "redis_evicted_keys": "evicted_keys",
         "redis_connected_clients": "connected_clients", "redis_keys": ""}
gauges = {name: Gauge(name, name) for name in names}
start_http_server(9121, "10.30.0.10")
while True:
    info = client.info()
    for name, field in names.items():
        gauges[name].set(info[field] if field else client.dbsize())
    time.sleep(1)
PY
cat > /srv/monitor/rules.yml <<'RULES'
groups:
  - name: redis
    rules:
      - alert: RedisMemoryHigh
        expr: redis_memory_used_bytes / redis_memory_max_bytes > 0.95
        for: 10s
        labels: {severity: critical}
        annotations:
          summary: 'cache-1 uses {{ $value | humanizePercentage }} of maxmemory'
      - alert: SessionWritesRefused
        expr: rate(sessions_refused_total[20s]) > 0.5
        for: 10s
        labels: {severity: critical}
        annotations:
          summary: 'Redis refuses {{ $value | humanize }} session writes per second'
RULES
/usr/bin/python3 session/store.py &
/usr/bin/python3 /srv/monitor/exporter.py &
wait_port 10.30.0.10 9121
wait_port 10.30.0.21 9406
monitor redis=cache-1:9121 session-store=session-1:9406
sleep 66
record_alerts
record_series redis_memory_used_bytes redis_memory_used_bytes 65 5
keep /var/log/redis/redis-server.log
keep /var/log/session-store.log
date -u +%Y-%m-%dT%H:%M:%SZ
