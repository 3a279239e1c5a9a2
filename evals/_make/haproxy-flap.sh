#!/usr/bin/env bash
# Records haproxy-flap: HAProxy loses one server, then both, then has both again; Alertmanager's webhook tells firing and resolved.
# Packages: haproxy, rsyslog, prometheus, prometheus-alertmanager, curl. Runs about 75 s.
set -euo pipefail
. "$(dirname "$0")/sandbox.sh"
enter lb-1 "$@"
add_host 10.90.0.10 lb-1
add_host 10.90.0.41 web1
add_host 10.90.0.42 web2
add_host 10.90.0.90 hook-1

mkdir -p /run/log-socket
cat > /srv/rsyslog.conf <<'CONF'
module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="/run/log-socket/log" CreatePath="on")
*.* action(type="omfile" file="/var/log/haproxy.log" template="RSYSLOG_TraditionalFileFormat")
CONF
rsyslogd -n -f /srv/rsyslog.conf -i /run/rsyslog.pid &
sleep 1
cat > /srv/haproxy.cfg <<'CONF'
global
  log /run/log-socket/log local0
defaults
  mode http
  log global
  option httplog
  timeout connect 1s
  timeout client 5s
  timeout server 5s
frontend shop
  bind 10.90.0.10:80
  default_backend web
backend web
  balance roundrobin
  option httpchk GET /health
  default-server check inter 1s fall 2 rise 2
  server web1 10.90.0.41:8080
  server web2 10.90.0.42:8080
frontend stats
  bind 10.90.0.10:8405
  no log
  http-request use-service prometheus-exporter if { path /metrics }
CONF
cat > web.py <<'PY'
import http.server, sys
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = f"page from {sys.argv[2]}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args):
        pass
http.server.ThreadingHTTPServer((sys.argv[1], 8080), Page).serve_forever()
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
http.server.HTTPServer(("10.90.0.90", 8090), Hook).serve_forever()
PY
cat > /srv/monitor/rules.yml <<'RULES'
groups:
  - name: haproxy
    rules:
      - alert: HaproxyServerDown
        expr: haproxy_server_status{proxy="web", state="DOWN"} == 1
        for: 4s
        labels: {severity: warning}
        annotations: {summary: 'server {{ $labels.server }} of backend {{ $labels.proxy }} is down'}
      - alert: HaproxyBackendDown
        expr: haproxy_backend_status{proxy="web", state="DOWN"} == 1
        for: 2s
        labels: {severity: critical}
        annotations: {summary: 'backend {{ $labels.proxy }} has no server left'}
RULES
start_web() { /usr/bin/python3 web.py "$1" "$2" 2> /dev/null & }
start_web 10.90.0.41 web1; WEB1=$!
start_web 10.90.0.42 web2; WEB2=$!
wait_port 10.90.0.41 8080
wait_port 10.90.0.42 8080
haproxy -f /srv/haproxy.cfg 2> /dev/null &
wait_port 10.90.0.10 8405
/usr/bin/python3 /srv/monitor/hook.py &
wait_port 10.90.0.90 8090
WEBHOOK=http://10.90.0.90:8090/ monitor haproxy=lb-1:8405
(for i in $(seq 1 400); do curl -s -o /dev/null "http://10.90.0.10/item/$i"; sleep 0.25; done) &
sleep 8
kill $WEB2
sleep 12
kill $WEB1
sleep 8
start_web 10.90.0.41 web1
start_web 10.90.0.42 web2
sleep 26
record_alerts
for body in /srv/monitor/hook-*.json; do cp "$body" "$OUT/alertmanager-web${body##*/}"; done
keep /var/log/haproxy.log
date -u +%Y-%m-%dT%H:%M:%SZ
