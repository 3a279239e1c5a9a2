#!/usr/bin/env bash
# Records disk-full: the upload service fills a volume of 6 MB. Prometheus watches two volumes: /srv/upload/data fires, /srv/upload/spool
# filled up and was cleaned again (resolved), and a third alert is silenced in Alertmanager for planned work. Packages:
# prometheus, prometheus-alertmanager, rsyslog, python3-prometheus-client. Runs about 75 s.
set -euo pipefail
. "$(dirname "$0")/sandbox.sh"
enter media-1 "$@"
add_host 10.70.0.10 media-1
add_host 10.70.0.90 hook-1

mkdir -p /srv/upload/data /srv/upload/spool /srv/upload/backup /run/log-socket
mount -t tmpfs -o size=6m tmpfs /srv/upload/data
mount -t tmpfs -o size=2m tmpfs /srv/upload/spool
mount -t tmpfs -o size=2m tmpfs /srv/upload/backup
cat > /srv/rsyslog.conf <<'CONF'
module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="/run/log-socket/log" CreatePath="on")
template(name="with_priority" type="string" string="<%pri%>1 %timestamp:::date-rfc3339% %hostname% %app-name% %procid% - - %msg:::sp-if-no-1st-sp%%msg:::drop-last-lf%\n")
*.* action(type="omfile" file="/var/log/syslog" template="with_priority")
CONF
rsyslogd -n -f /srv/rsyslog.conf -i /run/rsyslog.pid &
sleep 1
cat > upload.py <<'PY'
"""Stores uploads of 90 kB; tells syslog."""
import logging, logging.handlers, os, time
from prometheus_client import Counter, start_http_server
handler = logging.handlers.SysLogHandler("/run/log-socket/log", facility="local0")
handler.ident = f"upload[{os.getpid()}]: "
log = logging.getLogger("upload")
log.setLevel(logging.INFO)
log.addHandler(handler)
stored, failed = Counter("uploads_stored", "stored"), Counter("uploads_failed", "failed")
start_http_server(9409, "10.70.0.10")
log.info("upload started, version=1.7.3, volume=/srv/upload/data")
number = 640
while True:
    number += 1
    part = f"/srv/upload/data/{number}.part"
    try:
        with open(part, "wb") as file:
            file.write(os.urandom(90_000))
        os.rename(part, f"/srv/upload/data/{number}.jpg")
        stored.inc()
        log.info("upload %d stored, size=90000", number)
    except OSError as exc:
        os.unlink(part)
        failed.inc()
        log.error("upload %d not stored: %s", number, exc)
    time.sleep(0.5)
PY
cat > spool.py <<'PY'
"""Fills the spool, waits, cleans it; tells syslog."""
import logging, logging.handlers, os, time
handler = logging.handlers.SysLogHandler("/run/log-socket/log", facility="local0")
handler.ident = f"spoolclean[{os.getpid()}]: "
log = logging.getLogger("spool")
log.setLevel(logging.INFO)
log.addHandler(handler)
with open("/srv/upload/spool/batch.tar", "wb") as file:
    file.write(os.urandom(1_960_000))
log.warning("spool holds 1960000 bytes")
with open("/srv/upload/backup/last.tar", "wb") as file:
    file.write(os.urandom(1_960_000))
time.sleep(30)
os.unlink("/srv/upload/spool/batch.tar")
log.info("spool cleaned, freed=1960000")
PY
cat > /srv/monitor/node.py <<'PY'
"""Exports size and free space of three volumes under node_exporter's names."""
import os, time
from prometheus_client import Gauge, start_http_server
avail = Gauge("node_filesystem_avail_bytes", "free", ["mountpoint"])
size = Gauge("node_filesystem_size_bytes", "size", ["mountpoint"])
start_http_server(9100, "10.70.0.10")
while True:
    for mount in ("/srv/upload/data", "/srv/upload/spool", "/srv/upload/backup"):
        stat = os.statvfs(mount)
        avail.labels(mount).set(stat.f_bavail * stat.f_frsize)
        size.labels(mount).set(stat.f_blocks * stat.f_frsize)
    time.sleep(1)
PY
cat > /srv/monitor/hook.py <<'PY'
"""Keeps each webhook body that Alertmanager posts."""
import http.server
class Hook(http.server.BaseHTTPRequestHandler):
    count = 0
    def do_POST(self):
        Hook.count += 1
        with open(f"/srv/monitor/hook-{Hook.count:02d}.json", "wb") as file:
            file.write(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()
    def log_message(self, *args):
        pass
http.server.HTTPServer(("10.70.0.90", 8090), Hook).serve_forever()
PY
cat > /srv/monitor/rules.yml <<'RULES'
groups:
  - name: volumes
    rules:
      - alert: VolumeAlmostFull
        expr: 100 * (1 - node_filesystem_avail_bytes / node_filesystem_size_bytes) > 90
        for: 6s
        labels: {severity: critical}
        annotations:
          summary: '{{ $labels.mountpoint }} on media-1 is {{ $value | humanize }}% full'
      - alert: UploadsFailing
        expr: rate(uploads_failed_total[20s]) > 0.2
        for: 6s
        labels: {severity: critical}
        annotations:
          summary: '{{ $value | humanize }} uploads per second are not stored'
RULES
/usr/bin/python3 /srv/monitor/hook.py &
wait_port 10.70.0.90 8090
/usr/bin/python3 /srv/monitor/node.py &
/usr/bin/python3 upload.py &
wait_port 10.70.0.10 9100
wait_port 10.70.0.10 9409
WEBHOOK=http://10.70.0.90:8090/ monitor node=media-1:9100 upload=media-1:9409
/usr/bin/python3 spool.py &
amtool --alertmanager.url=http://127.0.0.1:9093 silence add --author=storage-team --duration=2h \
  --comment='backup volume is replaced, CHG-4471' alertname=VolumeAlmostFull mountpoint=/srv/upload/backup > /dev/null
sleep 66
record_alerts
# The webhook body that carries the resolved alert of the spool.
for body in /srv/monitor/hook-*.json; do
  if jq -e '[.alerts[] | select(.status == "resolved")] | length > 0' "$body" > /dev/null; then
    cp "$body" "$OUT/alertmanager-webhook.json"
    break
  fi
done
record_series node_filesystem_avail_bytes node_filesystem_avail_bytes 65 5
keep /var/log/syslog
date -u +%Y-%m-%dT%H:%M:%SZ
