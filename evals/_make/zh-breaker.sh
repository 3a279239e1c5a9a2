#!/usr/bin/env bash
# Records zh-breaker: 支付服务调用库存服务，库存服务停止应答后连接超时、重试、熔断，之后恢复。A Chinese application log in the zone
# +08:00 whose stamps carry no zone. The third service, coupons, is refused for one moment and has nothing to do with it.
# Packages: python3. Runs about 70 s.
set -euo pipefail
RECORD_TZ=Asia/Shanghai
. "$(dirname "$0")/sandbox.sh"
enter pay-1 "$@"
add_host 10.80.0.10 pay-1
add_host 10.80.0.31 inventory-1
add_host 10.80.0.32 coupon-1

cat > inventory.py <<'PY'
"""库存服务：收到 SIGUSR1 后接受连接但不应答，再次收到后恢复。"""
import signal, socketserver, time
stuck = False
def flip(*_):
    global stuck
    stuck = not stuck
signal.signal(signal.SIGUSR1, flip)
class Answer(socketserver.StreamRequestHandler):
    def handle(self):
        self.rfile.readline()
        if stuck:
            time.sleep(20)
        self.wfile.write("库存=8\n".encode())
socketserver.ThreadingTCPServer.allow_reuse_address = True
socketserver.ThreadingTCPServer.daemon_threads = True
socketserver.ThreadingTCPServer(("10.80.0.31", 8300), Answer).serve_forever()
PY
cat > coupon.py <<'PY'
"""优惠券服务：一直应答。"""
import socketserver
class Answer(socketserver.StreamRequestHandler):
    def handle(self):
        self.rfile.readline()
        self.wfile.write("无优惠\n".encode())
socketserver.ThreadingTCPServer.allow_reuse_address = True
socketserver.ThreadingTCPServer(("10.80.0.32", 8310), Answer).serve_forever()
PY
cat > pay.py <<'PY'
"""支付服务：每个订单先问优惠券，再锁库存；连续 5 次失败后熔断 15 秒。"""
import logging, socket, threading, time
logging.addLevelName(logging.INFO, "信息"); logging.addLevelName(logging.WARNING, "警告"); logging.addLevelName(logging.ERROR, "错误")
logging.basicConfig(level=logging.INFO, filename="/var/log/支付服务.log", encoding="utf-8",
                    format="%(asctime)s.%(msecs)03d %(levelname)s [%(threadName)s] %(name)s - %(message)s", datefmt="%Y-%m-%d %H:%M:%S")
log, breaker_log = logging.getLogger("支付.下单"), logging.getLogger("支付.熔断器")
def ask(host, port, text, timeout):
    with socket.create_connection((host, port), timeout=timeout) as conn:
        conn.sendall((text + "\n").encode())
        answer = conn.makefile("rb").readline()
        return answer.decode().strip()
class Breaker:
    def __init__(self):
        self.failures, self.opened, self.state, self.lock = 0, 0.0, "关闭", threading.Lock()
    def allows(self):
        with self.lock:
            if self.state == "打开" and time.monotonic() - self.opened > 15:
                self.state = "半开"
                breaker_log.info("库存服务熔断器由打开变为半开，放行一次试探请求")
                return True
            return self.state == "关闭"
    def failed(self):
        with self.lock:
            self.failures += 1
            if self.state == "半开" or self.failures == 5:
                self.state, self.opened = "打开", time.monotonic()
                breaker_log.warning("库存服务熔断器打开：连续失败 %d 次，暂停调用 15 秒", self.failures)
    def succeeded(self):
        with self.lock:
            if self.state == "半开":
                breaker_log.info("库存服务熔断器关闭：试探请求成功")
            self.state, self.failures = "关闭", 0
breaker = Breaker()
def order(number):
    try:
        ask("coupon-1", 8310, f"优惠 {number}", 1)
    except OSError as exc:
        log.warning("订单 %d 查询优惠券失败：%s，按无优惠处理", number, exc.strerror or exc)
    for attempt in (1, 2, 3):
        if not breaker.allows():
            log.error("订单 %d 支付失败：库存服务已熔断，请求被直接拒绝", number)
            return
        began = time.monotonic()
        try:
            stock = ask("inventory-1", 8300, f"锁定 {number}", 1.5)
            breaker.succeeded()
            log.info("订单 %d 支付成功，%s，耗时 %d 毫秒", number, stock, (time.monotonic() - began) * 1000)
            return
        except TimeoutError:
            breaker.failed()
            log.warning("订单 %d 调用库存服务 inventory-1:8300 连接超时，超时时间 1500 毫秒，第 %d/3 次重试", number, attempt)
            time.sleep(0.3)
    log.error("订单 %d 支付失败：重试 3 次后仍未成功", number)
log.info("支付服务启动，版本 8.3.1，库存服务 inventory-1:8300，重试上限 3 次")
number = 30100
while True:
    number += 1
    threading.Thread(target=order, args=(number,), name=f"支付线程-{number % 4}").start()
    time.sleep(0.7)
PY
/usr/bin/python3 inventory.py &
STOCK=$!
/usr/bin/python3 coupon.py &
COUPON=$!
wait_port 10.80.0.31 8300
wait_port 10.80.0.32 8310
/usr/bin/python3 pay.py &
sleep 10
kill $COUPON
sleep 2
/usr/bin/python3 coupon.py &
sleep 6
kill -USR1 $STOCK
sleep 26
kill -USR1 $STOCK
sleep 20
keep /var/log/支付服务.log
date +%Y-%m-%dT%H:%M:%S%:z
