#!/usr/bin/env bash
# Records tls-expired: nginx serves a certificate that ran out three days ago; the payout service cannot connect to it. A second
# name on the same server has a good certificate and works. Packages: nginx-light, openssl, faketime, curl, prometheus,
# prometheus-alertmanager, python3-prometheus-client. Runs about 60 s.
set -euo pipefail
. "$(dirname "$0")/sandbox.sh"
enter payout-1 "$@"
add_host 10.50.0.10 edge-1 bank.example accounts.example
add_host 10.50.0.21 payout-1

mkdir -p /srv/tls /var/log/nginx
cd /srv/tls
DAY=$(date -u -d '93 days ago' +%Y-%m-%d)
NOTBEFORE="$DAY 09:00:00"
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj '/O=Example Bank/CN=Example Bank Internal CA' \
  -days 3650 2> /dev/null
issue() { # NAME DAYS [START]
  openssl req -newkey rsa:2048 -nodes -keyout "$1.key" -out "$1.csr" -subj "/O=Example Bank/CN=$1" 2> /dev/null
  printf 'subjectAltName=DNS:%s\n' "$1" > "$1.ext"
  ${3:+faketime "$3"} openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days "$2" -extfile "$1.ext" \
    -out "$1.pem" 2> /dev/null
}
issue bank.example 90 "$NOTBEFORE"
issue accounts.example 90

cat > /srv/nginx.conf <<'CONF'
worker_processes 1;
error_log /var/log/nginx/error.log info;
pid /run/nginx.pid;
events { worker_connections 128; }
http {
  access_log /var/log/nginx/access.log;
  server { listen 10.50.0.10:443 ssl; server_name accounts.example; ssl_certificate /srv/tls/accounts.example.pem;
           ssl_certificate_key /srv/tls/accounts.example.key; location / { return 200 '{"ok":true}\n'; } }
  server { listen 10.50.0.10:443 ssl; server_name bank.example; ssl_certificate /srv/tls/bank.example.pem;
           ssl_certificate_key /srv/tls/bank.example.key; location / { return 200 '{"ok":true}\n'; } }
}
CONF
nginx -c /srv/nginx.conf -g 'daemon off;' 2> /dev/null &
wait_port 10.50.0.10 443

cd /srv/app
cat > payout.py <<'PY'
"""Reads the balance from accounts.example, sends the payout to bank.example; logs JSON lines."""
import datetime, json, ssl, time, urllib.error, urllib.request
from prometheus_client import Counter, start_http_server
out = open("/var/log/payout.jsonl", "a", buffering=1)
def log(level, message, **fields):
    stamp = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    out.write(json.dumps({"timestamp": stamp, "level": level, "service": "payout", "message": message, **fields}) + "\n")
context = ssl.create_default_context(cafile="/srv/tls/ca.pem")
sent, failed = Counter("payouts_sent", "payouts sent"), Counter("payouts_failed", "payouts not sent")
start_http_server(9408, "10.50.0.21")
log("INFO", "payout started", version="2.0.7", bank="https://bank.example", accounts="https://accounts.example")
number = 7000
while True:
    number += 1
    body = urllib.request.urlopen(f"https://accounts.example/balance/{number}", context=context, timeout=3).read()
    log("INFO", "balance read", payout=number, url=f"https://accounts.example/balance/{number}", status=200, bytes=len(body))
    try:
        urllib.request.urlopen(f"https://bank.example/payouts/{number}", context=context, timeout=3).read()
        sent.inc()
    except urllib.error.URLError as exc:
        failed.inc()
        log("ERROR", "payout not sent", payout=number, url=f"https://bank.example/payouts/{number}", error=str(exc.reason),
            error_type=type(exc.reason).__name__, attempt=1)
    time.sleep(0.9)
PY
cat > probe.py <<'PY'
"""Exports the end of each certificate's validity, as a handshake without verification shows it."""
import ssl, subprocess, time
from prometheus_client import Gauge, start_http_server
end = Gauge("probe_ssl_not_after_seconds", "end of validity", ["target"])
start_http_server(9115, "10.50.0.21")
while True:
    for host in ("bank.example", "accounts.example"):
        pem = subprocess.run(["openssl", "s_client", "-connect", f"{host}:443", "-servername", host], input=b"", capture_output=True).stdout
        text = subprocess.run(["openssl", "x509", "-noout", "-enddate"], input=pem, capture_output=True, text=False).stdout.decode()
        end.labels(host).set(ssl.cert_time_to_seconds(text.strip().split("=", 1)[1]))
    time.sleep(10)
PY
cat > /srv/monitor/rules.yml <<'RULES'
groups:
  - name: tls
    rules:
      - alert: CertificateExpired
        expr: probe_ssl_not_after_seconds - time() < 0
        for: 5s
        labels: {severity: critical}
        annotations:
          summary: 'the certificate of {{ $labels.target }} ended {{ $value | humanizeDuration }} from now'
      - alert: PayoutsFailing
        expr: rate(payouts_failed_total[20s]) > 0.3
        for: 10s
        labels: {severity: critical}
        annotations:
          summary: 'payout fails {{ $value | humanize }} times per second'
RULES
/usr/bin/python3 payout.py &
/usr/bin/python3 probe.py &
wait_port 10.50.0.21 9115
wait_port 10.50.0.21 9408
monitor probe=payout-1:9115 payout=payout-1:9408
sleep 20
# What an operator typed, with what came back.
{
  for host in bank.example accounts.example; do
    echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) INFO check host=$host command=\"openssl s_client\""
    openssl s_client -connect $host:443 -servername $host -CAfile /srv/tls/ca.pem < /dev/null 2>&1 |
      grep -E '^(verify|depth|notAfter|Verify return)' | sed "s/^/$(date -u +%Y-%m-%dT%H:%M:%SZ) INFO check host=$host /" | sort -u
    openssl s_client -connect $host:443 -servername $host < /dev/null 2> /dev/null | openssl x509 -noout -enddate |
      sed "s/^/$(date -u +%Y-%m-%dT%H:%M:%SZ) INFO check host=$host /"
  done
} > /var/log/certificate-check.log
sleep 18
record_alerts
sed -i "/OS: Linux/d" /var/log/nginx/error.log # the release of the recording kernel says nothing here
keep /var/log/nginx/error.log nginx-error.log
keep /var/log/nginx/access.log nginx-access.log
keep /var/log/payout.jsonl
keep /var/log/certificate-check.log
date -u +%Y-%m-%dT%H:%M:%SZ
