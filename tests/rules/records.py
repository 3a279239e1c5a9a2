"""Recorded texts of many programs and both languages, for the property tests of the excerpt check."""

RECORDS = {
    "logback": (
        "2026-11-30T23:10:19.078Z DEBUG billing [pool-1-thread-101] com.zaxxer.hikari.pool.HikariPool - BluePool-1 - "
        "Timeout failure stats (total=50, active=50, idle=0, waiting=199)"
    ),
    "logback error": (
        "2026-11-30T23:10:19.080Z ERROR billing [pool-1-thread-101] com.acme.bill.BillService - bill 88101 failed: "
        "java.sql.SQLTransientConnectionException: BluePool-1 - Connection is not available, request timed out after "
        "30001ms."
    ),
    "stack trace": (
        "java.lang.IllegalStateException: queue not drained\\n\\tat com.acme.queue.Drain.run(Drain.java:141) "
        "[… 12 lines …] Caused by: java.net.SocketTimeoutException: Read timed out"
    ),
    "logfmt": (
        'ts=2026-05-22T06:33:29Z level=warn caller=main.go:108 msg="slow query, no index used" took=1532ms rows=48210 '
        "shard=7 cache_hit=false ratio=0.93"
    ),
    "json line": (
        '{"level": "error", "time": 1742277257531, "pid": 17, "hostname": "fraud-54df9b7d75-z6m75", "req": {"method": '
        '"GET", "url": "/fraud/health", "remotePort": 33420}, "msg": "upstream closed", "retryable": false}'
    ),
    "json escaped": '{"msg":"queue \\"jobs\\" is \\u003e 90% full","depth":9120,"limit":10000,"path":"C:\\\\data\\\\jobs"}',
    "nginx access": (
        '10.244.1.36 - - [30/Nov/2026:23:10:19 +0000] "GET /checkout/cart?id=77 HTTP/1.1" 502 157 "-" "curl/8.4.0" '
        "rt=30.004 uct=0.001"
    ),
    "nginx error": (
        "2026/11/30 23:10:19 [error] 31#31: *4021 upstream timed out (110: Connection timed out) while reading response "
        'header from upstream, client: 10.244.1.9, server: shop.example.com, upstream: "http://10.0.208.232:8080/cart"'
    ),
    "postgresql": (
        "2026-11-30 23:10:19.443 UTC [4021] app@billing ERROR:  deadlock detected DETAIL:  Process 4021 waits for "
        "ShareLock on transaction 88110; blocked by process 4077."
    ),
    "postgresql checkpoint": (
        "LOG:  checkpoint complete: wrote 12045 buffers (73.5%); write=269.9 s, sync=0.013 s, total=270.1 s; distance=81920 kB"
    ),
    "redis": '1:M 30 Nov 2026 23:10:19.001 # WARNING: used memory 512 MB > maxmemory 500 MB, evicted_keys=1204, policy: "noeviction"',
    "syslog": "<13>Nov 30 23:10:19 node-7 kernel: [88123.441] Out of memory: Killed process 4021 (java) total-vm:8123456kB, anon-rss:4011220kB",
    "journald": "Nov 30 23:10:19 node-7 systemd[1]: payments.service: Main process exited, code=killed, status=9/KILL; not restarted",
    "kubectl pods": "payments-7c67c65579-lqf4r   0/1     CrashLoopBackOff   25 (3m8s ago)   106m   10.244.1.51   node-worker-2   <none>",
    "kubectl events": "Warning   FailedScheduling   2m14s   default-scheduler   0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had taints.",
    "kubectl top": "kube-system   coredns-7c65d6cfc9-sfwq9   106m   4747Mi   3%",
    "alert": "HighMemoryUsage firing, service=payments, pod=payments-7c67c65579-lqf4r, current=91%, since=2026-11-30T22:55:00Z, duration=15m",
    "alert resolved": (
        "OrderFailureRateHigh resolved, service=orders, severity=critical, last=4.61, resolved_at=2026-11-30T23:40:00Z; "
        "orders fail at 4.61 per second; threshold > 0.5 for 5m"
    ),
    "alert latency": "LatencyHigh pending, route=/pay, current=1,532 ms; p99 latency >= 1,500 ms on 3 of 12 instances",
    "markdown runbook": (
        "Pool runbook > Exhaustion: - **Check** `active` against `total`. - Never raise `maximumPoolSize` above 50 "
        "without a load test. - See [Errno 28](https://wiki.example.com/errno/28)."
    ),
    "markdown table": "| kafka\\_password | Sets the SASL credentials. This key sets the password. | none | max 3 retries |",
    "zh exhausted": "2026-07-08 10:15:32 ERROR billing 数据库连接池已耗尽，活跃连接 50/50，等待 23 个请求，耗时 30001 毫秒",
    "zh not exhausted": "2026-07-08 10:16:02 INFO billing 连接池 BluePool-1 未耗尽，活跃 12/50，空闲 38，没有等待的请求",
    "zh traditional": "2026-07-08 10:15:32 ERROR 帳務服務 資料庫連線池已耗盡，等待中的請求：37，逾時 30000ms",
    "zh alert": "内存使用率过高 触发中，服务=payments，当前=91%，持续=15m；内存使用率 ≥ 90% 超过 5 分钟，未恢复",
    "zh runbook": "连接池手册 > 排查：若活跃连接等于总数且空闲为 0，则连接池耗尽；不要直接重启，应先检查慢查询",
    "kafka": "[2026-11-30 23:10:19,411] WARN [Consumer clientId=c-7, groupId=bills] Offset commit failed on partition bills-3 at offset 15823: not the leader",
    "measures": "temperature delta -5 degrees in rack-7, fan +12%, load 0.93, link speed 100Mb, disk 100MB, 10⁹ rows, ½ full",
    "curl": "curl: (7) Failed to connect to localhost port 3003 after 0 ms: Couldn't connect to server",
    "python": 'Traceback: File "/app/app.py", line 141, in check_expiry: ValueError: certificate isn\'t valid before 2026-12-01',
    "go": "2026/11/30 23:10:19 http: TLS handshake error from 10.0.3.17:51368: remote error: tls: unknown certificate authority",
    "negations": (
        "replica db-2 is not ready, no leader elected, cannot accept writes without quorum; nodes never rejoined and "
        "backups weren't verified"
    ),
}
"""A text for each form, as a recorder would keep it; the names are made up."""
