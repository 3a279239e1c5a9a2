#!/usr/bin/env bash
# Records misleading-leak: a Node.js mail gateway whose relay refuses connections. Beside it stand three things that look like the
# cause and are not said to be: Node's own "possible EventEmitter memory leak" warning, a guess of the program, and a
# full disk of another service on the same host. Packages: nodejs 20, rsyslog, python3. Runs about 55 s.
set -euo pipefail
. "$(dirname "$0")/sandbox.sh"
enter mail-1 "$@"
add_host 10.60.0.10 mail-1
add_host 10.60.0.25 relay-1

mkdir -p /srv/thumbs/data
mount -t tmpfs -o size=2m tmpfs /srv/thumbs/data
touch /var/log/mail-gateway.log
cat > gateway.js <<'JS'
// Sends a mail every 400 ms over a connection of its own to relay-1:25.
const net = require('net'), fs = require('fs'), { EventEmitter } = require('events');
const out = fs.createWriteStream('/var/log/mail-gateway.log', { flags: 'a' });
const log = (level, text) => out.write(`${new Date().toISOString()} [${level}] mail-gateway: ${text}\n`);
process.on('warning', w => log('warn', `${w.name}: ${w.message}`));
const bus = new EventEmitter();
let id = 52000, queued = 0;
log('info', `mail-gateway started, version=4.1.0, node=${process.version}, relay=relay-1:25`);
function send() {
  const mail = ++id, began = Date.now();
  bus.on('drain', () => {});                       // never removed: Node warns at the eleventh
  const socket = net.connect({ host: 'relay-1', port: 25 });
  socket.setTimeout(2000);
  socket.once('data', () => socket.write(`MAIL ${mail}\r\n`, () => {
    log('info', `mail ${mail} handed to relay in ${Date.now() - began} ms`);
    socket.end();
  }));
  socket.once('error', err => {
    queued++;
    log('error', `mail ${mail} not sent: ${err.message}`);
    if (queued % 8 === 0) log('warn', `outgoing queue has ${queued} mails; this may be due to a slow relay or a network problem`);
  });
}
setInterval(send, 400);
setInterval(() => {
  const m = process.memoryUsage();
  log('info', `heap used ${(m.heapUsed / 1048576).toFixed(1)} MiB of ${(m.heapTotal / 1048576).toFixed(1)} MiB`);
}, 10000);
JS
cat > relay.py <<'PY'
"""A relay that greets and reads; it is stopped after a while."""
import socketserver
class Greet(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(b"220 relay-1 ready\r\n")
        self.rfile.readline()
socketserver.ThreadingTCPServer.allow_reuse_address = True
socketserver.ThreadingTCPServer(("10.60.0.25", 25), Greet).serve_forever()
PY
cat > thumbs.py <<'PY'
"""Writes preview images into its own small volume and tells syslog about it."""
import errno, logging, logging.handlers, os, time
handler = logging.handlers.SysLogHandler("/dev/log", facility="local3")
handler.ident = f"thumbnailer[{os.getpid()}]: "
log = logging.getLogger("thumbs")
log.setLevel(logging.INFO)
log.addHandler(handler)
log.info("started, volume /srv/thumbs/data")
number = 0
while True:
    number += 1
    path = f"/srv/thumbs/data/{number:05d}.webp"
    try:
        with open(path, "wb") as file:
            file.write(os.urandom(60_000))
        log.info("wrote %s", path)
    except OSError as exc:
        log.error("cannot write %s: %s", path, exc)
    time.sleep(0.9)
PY
# The host's syslog, with its own socket: /dev is private to this mount namespace once a tmpfs lies over the name.
mkdir -p /run/log-socket
cat > /srv/rsyslog.conf <<'CONF'
module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="/run/log-socket/log" CreatePath="on")
module(load="builtin:omfile" Template="RSYSLOG_FileFormat")
*.* /var/log/syslog
CONF
mkdir -p /srv/dev && mount --rbind /dev /srv/dev && mount -t tmpfs tmpfs /dev && for d in null zero random urandom fd tty shm; do
  if [ -d /srv/dev/$d ] || [ -L /srv/dev/$d ]; then ln -s /srv/dev/$d /dev/$d; else touch /dev/$d && mount --bind /srv/dev/$d /dev/$d; fi
done
ln -s /run/log-socket/log /dev/log
rsyslogd -n -f /srv/rsyslog.conf -i /run/rsyslog.pid &
sleep 1
/usr/bin/python3 relay.py &
RELAY=$!
wait_port 10.60.0.25 25
node gateway.js &
/usr/bin/python3 thumbs.py &
sleep 14
kill $RELAY
sleep 36
keep /var/log/mail-gateway.log
keep /var/log/syslog
date -u +%Y-%m-%dT%H:%M:%SZ
