#!/usr/bin/env bash
# Records postgres-slots: PostgreSQL with 20 connection slots; a report job keeps transactions open, the shop's billing
# service and a console then find no slot. Packages: postgresql-15, prometheus, prometheus-alertmanager, python3-psycopg2,
# python3-prometheus-client. Runs about 80 s.
set -euo pipefail
. "$(dirname "$0")/sandbox.sh"
enter db-1 "$@"
add_host 10.20.0.11 billing-1
add_host 10.20.0.12 report-1
add_host 10.20.0.10 db-1

mkdir -p /run/postgresql /var/log/postgresql /var/lib/postgresql/15
chown postgres /run/postgresql /var/log/postgresql /var/lib/postgresql/15
PG=/usr/lib/postgresql/15/bin
runuser -u postgres -- $PG/initdb -D /var/lib/postgresql/15/main -A trust > /dev/null
cat > /var/lib/postgresql/15/main/postgresql.conf <<'CONF'
listen_addresses = '10.20.0.10'
max_connections = 20
superuser_reserved_connections = 3
log_line_prefix = '%m [%p] %q%u@%d '
log_connections = on
log_disconnections = on
log_timezone = 'UTC'
timezone = 'UTC'
CONF
echo 'host all all 10.20.0.0/24 trust' >> /var/lib/postgresql/15/main/pg_hba.conf
runuser -u postgres -- $PG/postgres -D /var/lib/postgresql/15/main 2> /var/log/postgresql/postgresql-15-main.log &
wait_port 10.20.0.10 5432
sleep 1
PSQL="runuser -u postgres -- $PG/psql -h /run/postgresql -qc"
$PSQL "create role billing login" postgres
$PSQL "create role report login" postgres
$PSQL "create database shop owner billing" postgres
$PSQL "create table invoice(id serial primary key, amount int); grant select on invoice to report; grant all on invoice to billing; grant all on invoice_id_seq to billing" shop

cat > billing.py <<'PY'
"""Writes one invoice after another, each over a connection of its own."""
import logging, time, psycopg2
from prometheus_client import Counter, start_http_server
logging.basicConfig(level=logging.INFO, filename="/var/log/billing.log",
                    format="%(asctime)s.%(msecs)03dZ %(levelname)s [%(threadName)s] billing.worker: %(message)s",
                    datefmt="%Y-%m-%dT%H:%M:%S")
logging.Formatter.converter = time.gmtime
log = logging.getLogger("billing.worker")
done = Counter("invoices_written", "invoices written")
failed = Counter("invoices_failed", "invoices that could not be written")
start_http_server(9405, "10.20.0.11")
log.info("billing started, version=3.8.0, database=shop at db-1:5432")
number = 4100
while True:
    number += 1
    try:
        with psycopg2.connect(host="db-1", dbname="shop", user="billing", application_name="billing",
                              options="-c search_path=public") as conn, conn.cursor() as cur:
            cur.execute("insert into invoice(amount) values (%s)", (number,))
        conn.close()
        done.inc()
        log.info("invoice %d written", number)
    except psycopg2.OperationalError as exc:
        failed.inc()
        log.error("invoice %d not written: %s", number, str(exc).strip().splitlines()[-1])
    time.sleep(0.6)
PY
cat > report.py <<'PY'
"""Opens one transaction per report and does not end it."""
import logging, time, psycopg2
logging.basicConfig(level=logging.INFO, filename="/var/log/report.log",
                    format="%(asctime)s.%(msecs)03dZ %(levelname)s report.job: %(message)s", datefmt="%Y-%m-%dT%H:%M:%S")
logging.Formatter.converter = time.gmtime
log = logging.getLogger("report.job")
log.info("report job started, 17 regions")
kept = []
for region in range(1, 18):
    try:
        conn = psycopg2.connect(host="db-1", dbname="shop", user="report", application_name="report-job")
        cur = conn.cursor()
        cur.execute("select count(*), sum(amount) from invoice")
        log.info("region %d: read %d invoices", region, cur.fetchone()[0])
        kept.append(conn)
    except psycopg2.OperationalError as exc:
        log.error("region %d: %s", region, str(exc).strip().splitlines()[-1])
    time.sleep(0.25)
log.info("all regions read, waiting for the upload window")
time.sleep(600)
PY
cat > exporter.py <<'PY'
"""Counts the server's connections by state, over the one superuser connection that it keeps."""
import time, psycopg2
from prometheus_client import Gauge, start_http_server
conn = psycopg2.connect(host="db-1", dbname="postgres", user="postgres", application_name="exporter")
conn.autocommit = True
count = Gauge("pg_stat_activity_count", "client connections", ["state"])
limit = Gauge("pg_settings_max_connections", "max_connections")
start_http_server(9187, "10.20.0.10")
while True:
    with conn.cursor() as cur:
        cur.execute("show max_connections")
        limit.set(int(cur.fetchone()[0]))
        cur.execute("select state, count(*) from pg_stat_activity where backend_type='client backend' group by 1")
        rows = dict(cur.fetchall())
    for state in ("active", "idle", "idle in transaction"):
        count.labels(state).set(rows.get(state, 0))
    time.sleep(1)
PY
cat > /srv/monitor/rules.yml <<'RULES'
groups:
  - name: postgres
    rules:
      - alert: PostgresConnectionSlotsLow
        expr: sum by (service, instance) (pg_stat_activity_count) / on (service, instance) pg_settings_max_connections > 0.85
        for: 10s
        labels: {severity: critical}
        annotations:
          summary: 'PostgreSQL on db-1 uses {{ $value | humanizePercentage }} of its connection slots'
      - alert: PostgresIdleInTransaction
        expr: pg_stat_activity_count{state="idle in transaction"} > 10
        for: 10s
        labels: {severity: warning}
        annotations:
          summary: '{{ $value }} connections are idle in transaction'
      - alert: InvoicesFailing
        expr: rate(invoices_failed_total[20s]) > 0.5
        for: 20s
        labels: {severity: critical}
        annotations:
          summary: 'billing fails to write {{ $value | humanize }} invoices per second'
RULES
/usr/bin/python3 exporter.py &
/usr/bin/python3 billing.py &
wait_port 10.20.0.10 9187
wait_port 10.20.0.11 9405
monitor postgresql=db-1:9187 billing=billing-1:9405
sleep 15
/usr/bin/python3 report.py &
sleep 25
# Two consoles of administrators take the reserved slots, the third finds none.
for _ in 1 2 3; do
  runuser -u postgres -- $PG/psql -h db-1 -U postgres -d shop -c 'select pg_sleep(60)' &> /dev/null &
  sleep 0.4
done
sleep 27
record_alerts
record_series pg_stat_activity_count pg_stat_activity_count 70 5
keep /var/log/postgresql/postgresql-15-main.log
keep /var/log/billing.log
keep /var/log/report.log
date -u +%Y-%m-%dT%H:%M:%SZ > /srv/at && cat /srv/at
