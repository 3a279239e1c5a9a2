#!/usr/bin/env bash
# Records healthy-shop: nginx in front of a catalogue service that reads PostgreSQL through a SQLAlchemy pool of 40; traffic
# flows and nothing is wrong. Packages: nginx-light, postgresql-15, python3-psycopg2, python3-sqlalchemy,
# python3-prometheus-client, prometheus, prometheus-alertmanager. Runs about 55 s.
set -euo pipefail
. "$(dirname "$0")/sandbox.sh"
enter web-1 "$@"
add_host 10.40.0.10 db-1
add_host 10.40.0.21 catalog-1
add_host 10.40.0.31 web-1

mkdir -p /run/postgresql /var/log/postgresql /var/lib/postgresql/15 /var/log/nginx
chown postgres /run/postgresql /var/log/postgresql /var/lib/postgresql/15
PG=/usr/lib/postgresql/15/bin
runuser -u postgres -- $PG/initdb -D /var/lib/postgresql/15/main -A trust > /dev/null
printf "listen_addresses = '10.40.0.10'\nmax_connections = 100\nlog_timezone = 'UTC'\ntimezone = 'UTC'\nlog_checkpoints = on\n" \
  > /var/lib/postgresql/15/main/postgresql.conf
echo 'host all all 10.40.0.0/24 trust' >> /var/lib/postgresql/15/main/pg_hba.conf
runuser -u postgres -- $PG/postgres -D /var/lib/postgresql/15/main 2> /var/log/postgresql/postgresql-15-main.log &
wait_port 10.40.0.10 5432
sleep 1
runuser -u postgres -- $PG/psql -h /run/postgresql -q postgres <<'SQL'
create role catalog login;
create database shop owner catalog;
\c shop
create table product(id int primary key, name text, stock int);
insert into product select i, 'product ' || i, 10 + i % 7 from generate_series(1, 500) i;
grant select on product to catalog;
SQL

cat > catalog.py <<'PY'
"""Answers /products/ID from the database; logs each request and, every 5 s, what the pool says of itself."""
import logging, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from prometheus_client import Counter, Gauge, start_http_server
from sqlalchemy import create_engine, text
logging.basicConfig(level=logging.INFO, filename="/var/log/catalog.log",
                    format="%(asctime)s.%(msecs)03dZ %(levelname)-5s [%(threadName)s] %(name)s - %(message)s",
                    datefmt="%Y-%m-%dT%H:%M:%S")
logging.Formatter.converter = time.gmtime
log = logging.getLogger("catalog.api")
engine = create_engine("postgresql+psycopg2://catalog@db-1/shop", pool_size=40, max_overflow=0, pool_timeout=5)
warm = [engine.connect() for _ in range(40)]
for conn in warm:
    conn.close()
requests = Counter("http_requests", "requests", ["code"])
idle = Gauge("db_pool_idle", "idle connections"); idle.set_function(engine.pool.checkedin)
busy = Gauge("db_pool_active", "active connections"); busy.set_function(engine.pool.checkedout)
class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        began = time.perf_counter()
        number = int(self.path.rsplit("/", 1)[1])
        with engine.connect() as conn:
            row = conn.execute(text("select name, stock, pg_sleep(:s) from product where id=:i"), {"i": number, "s": number % 4 * 0.2}).one()
        body = (f'{{"name": "{row.name}", "stock": {row.stock}}}\n').encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        requests.labels("200").inc()
        log.info("GET %s 200 in %.1f ms", self.path, (time.perf_counter() - began) * 1000)
    def log_message(self, *args):
        pass
def stats():
    while True:
        pool = engine.pool
        logging.getLogger("catalog.pool").info("pool shop-db: total=%d, active=%d, idle=%d", pool.size(), pool.checkedout(), pool.checkedin())
        time.sleep(5)
start_http_server(9407, "10.40.0.21")
log.info("catalog started, version=5.2.1, port=8080, pool=shop-db, pool_size=40")
threading.Thread(target=stats, name="pool-stats", daemon=True).start()
ThreadingHTTPServer(("10.40.0.21", 8080), Api).serve_forever()
PY
cat > /srv/nginx.conf <<'CONF'
worker_processes 1;
error_log /var/log/nginx/error.log warn;
pid /run/nginx.pid;
events { worker_connections 256; }
http {
  log_format timed '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" rt=$request_time urt=$upstream_response_time';
  access_log /var/log/nginx/access.log timed;
  server { listen 10.40.0.31:80; location / { proxy_pass http://10.40.0.21:8080; } }
}
CONF
cat > /srv/monitor/rules.yml <<'RULES'
groups:
  - name: shop
    rules:
      - alert: CatalogPoolExhausted
        expr: db_pool_idle == 0 and db_pool_active >= 40
        for: 5s
        labels: {severity: critical}
        annotations: {summary: 'pool shop-db has no idle connection'}
      - alert: CatalogDown
        expr: up == 0
        for: 5s
        labels: {severity: critical}
        annotations: {summary: 'catalog cannot be scraped'}
RULES
/usr/bin/python3 catalog.py &
nginx -c /srv/nginx.conf -g 'daemon off;' &
wait_port 10.40.0.31 80
wait_port 10.40.0.21 9407
monitor catalog=catalog-1:9407
browse() {
  for i in $(seq "$1" "$2"); do
    curl -sS -A 'shop-app/7.1' -o /dev/null "http://web-1/products/$((i * 37 % 500 + 1))"
    sleep 0.1
  done
}
browse 1 90 & browse 91 180 & browse 181 270 & browse 271 360 &
sleep 50
record_alerts
record_series db_pool_idle db_pool_idle 55 5
keep /var/log/nginx/access.log nginx-access.log
keep /var/log/nginx/error.log nginx-error.log
keep /var/log/catalog.log
keep /var/log/postgresql/postgresql-15-main.log
date -u +%Y-%m-%dT%H:%M:%SZ
