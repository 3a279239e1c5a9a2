# Sourced by the recording scripts beside it: an empty little machine for one incident.
#
# `enter HOST "$@"` runs the calling script again inside fresh mount, network, process and host-name namespaces, so that
#   - services listen on the loopback of a network nobody else can reach, under the ports people know,
#   - logs name the host HOST and the folders /srv/app, /var/log, /var/lib/..., never those of the recording machine,
#   - everything that was started is gone when the script ends.
# Needs root on Debian 12 (util-linux, iproute2, curl, jq) and the packages that each script names in its first lines.
# Each script writes ../NAME/{logs,metrics,alerts*.json,alertmanager*.json}; incident.yaml and runbooks/ are written by hand.

MAKE_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

enter() {
  local host=$1
  shift
  NAME=$(basename "$0" .sh)
  OUT=$(dirname "$MAKE_DIR")/$NAME
  if [ "${SANDBOX:-}" != 1 ]; then
    mkdir -p "$OUT"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TZ="${RECORD_TZ:-UTC}" HOME=/srv SANDBOX=1 \
      unshare --mount --net --uts --ipc --pid --fork --kill-child --mount-proc bash "$MAKE_DIR/$NAME.sh" "$@"
  fi
  hostname "$host"
  ip link set lo up
  for dir in /srv /var/log /var/lib/redis /var/lib/postgresql /var/lib/prometheus /run; do
    mkdir -p "$dir"
    mount -t tmpfs -o mode=755,size=400m tmpfs "$dir"
  done
  mkdir -p /srv/app /srv/monitor
  echo '127.0.0.1 localhost' > /srv/hosts
  mount --bind /srv/hosts /etc/hosts
  cd /srv/app
}

# add_host ADDRESS NAME...: one more machine, which is an address of the loopback and a name for it.
add_host() {
  ip addr add "$1/32" dev lo
  echo "$@" >> /etc/hosts
}

# wait_port HOST PORT: returns when something listens there (at most 30 s).
wait_port() {
  for _ in $(seq 300); do
    if (exec 3<> "/dev/tcp/$1/$2") 2> /dev/null; then return 0; fi
    sleep 0.1
  done
  echo "nothing listens on $1:$2" >&2
  return 1
}

# monitor TARGETS: Prometheus (rules in /srv/monitor/rules.yml) and Alertmanager; TARGETS are "service=host:port" words.
# WEBHOOK, when set, is where Alertmanager posts; without it the alerts go nowhere.
monitor() {
  {
    printf 'global: {scrape_interval: 2s, evaluation_interval: 2s}\n'
    printf 'rule_files: [/srv/monitor/rules.yml]\n'
    printf 'alerting: {alertmanagers: [{static_configs: [{targets: ["127.0.0.1:9093"]}]}]}\n'
    printf 'scrape_configs:\n'
    for target in "$@"; do
      printf '  - {job_name: %s, static_configs: [{targets: ["%s"], labels: {service: %s}}]}\n' \
        "${target%%=*}" "${target#*=}" "${target%%=*}"
    done
  } > /srv/monitor/prometheus.yml
  {
    printf 'global: {resolve_timeout: 5m}\n'
    printf 'route: {receiver: oncall, group_by: [service], group_wait: 1s, group_interval: 5s, repeat_interval: 1h}\n'
    printf 'receivers:\n  - name: oncall\n'
    if [ -n "${WEBHOOK:-}" ]; then
      printf '    webhook_configs: [{url: "%s", send_resolved: true}]\n' "$WEBHOOK"
    fi
  } > /srv/monitor/alertmanager.yml
  prometheus-alertmanager --config.file=/srv/monitor/alertmanager.yml --storage.path=/srv/monitor/am \
    --web.listen-address=127.0.0.1:9093 --cluster.listen-address= \
    --web.external-url=http://alertmanager.example:9093/ --web.route-prefix=/ &> /srv/monitor/am.out &
  prometheus --config.file=/srv/monitor/prometheus.yml --storage.tsdb.path=/srv/monitor/tsdb \
    --web.listen-address=127.0.0.1:9090 --web.external-url=http://prometheus.example:9090/ --web.route-prefix=/ \
    &> /srv/monitor/prom.out &
  wait_port 127.0.0.1 9093
  wait_port 127.0.0.1 9090
}

# record_alerts: what both systems answer at this moment, byte by byte.
record_alerts() {
  curl -sS http://127.0.0.1:9090/api/v1/alerts > "$OUT/alerts.json"
  curl -sS http://127.0.0.1:9093/api/v2/alerts > "$OUT/alertmanager.json"
}

# record_series FILE QUERY SECONDS STEP: the range query over the last SECONDS.
record_series() {
  mkdir -p "$OUT/metrics"
  local now
  now=$(date +%s)
  curl -sS -G http://127.0.0.1:9090/api/v1/query_range --data-urlencode "query=$2" -d "start=$((now - $3))" \
    -d "end=$now" -d "step=$4" > "$OUT/metrics/$1.json"
}

# keep SOURCE [NAME]: a log as it is now, into the folder.
keep() {
  mkdir -p "$OUT/logs"
  cp "$1" "$OUT/logs/${2:-$(basename "$1")}"
}
