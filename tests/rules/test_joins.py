"""What an ellipsis may join, and what it may not: each false join is told of one record, in both languages."""

import pytest

from superbizagent.contract.vocabulary import Match
from superbizagent.rules.excerpt import compare

PROXY = (
    "2026/11/30 23:10:19 [error] 31#31: *4021 upstream timed out (110: Connection timed out) while reading response "
    'header from upstream, client: 10.0.0.5, server: shop.example, request: "GET /cart HTTP/1.1", upstream: '
    '"http://10.0.1.9:8080/cart", host: "www.shop.example", referrer: "http://other.example/x"'
)
JSON_LINE = '{"level":"error","msg":"upstream closed","host":"a-1","peer":"b-2"}'
POOLS = "pool=A active=50 idle=0; pool=B active=3 idle=47"
FALSE = {
    "耗时 35 毫秒，重试 3 次": ("耗时 … 3 次", "耗时…次", "耗时 35 … 次", "… 耗时 … 3 次", "耗时 […] 3 次"),
    "latency 5ms, timeout 30ms": ("latency … 30ms", "lat… 30ms"),
    "latency 5ms timeout 30ms here": ("latency … 30ms here",),
    "latency 5ms, 30ms timeout": ("latency … 30ms", "latency … 30ms timeout"),
    "latency: 5ms, timeout: 30ms": ("latency … 30ms", "latency: … 30ms", "latency … : … 30ms"),
    "latency was 5ms and timeout was 30ms": ("latency … 30ms", "latency … was 30ms", "latency was … 30ms"),
    "latency (5ms), timeout (30ms)": ("latency … 30ms)", "latency ( … 30ms)"),
    "latency > 5ms, timeout > 30ms for x": ("latency … > 30ms for x",),
    "active=3, max=50 of pool": ("active … 50 of pool",),
    "total 50 active 48 idle 2 waiting 199 of pool": ("total … 199 of pool", "active … 2 waiting", "active … 199 of pool"),
    "5 active, 3 idle of pool": ("5 … idle of pool",),
    "耗时35毫秒重试3次": ("耗时…3次",),
    "since 10:15:00, until 12:30:00 x": ("since … 12:30:00 x",),
    "primary db-1, replica db-2 lost": ("primary … db-2 lost",),
    "db-1 is up, db-2 is down for 5m": ("db-1 … down for 5m", "db-1 … is down for 5m", "db-1 is … down for 5m"),
    "主库 正常，从库 宕机 5 分钟": ("主库 … 宕机 5 分钟",),
    "活跃连接 12/50，空闲 38，等待 5 个请求": ("活跃连接 … 38", "活跃连接 … 5 个请求", "空闲 … 5 个请求"),
    "内存：512MB；磁盘：90GB 可用": ("内存 … 90GB 可用", "内存：… 90GB 可用"),
    "内存为 512MB，磁盘为 90GB 可用": ("内存 … 90GB 可用", "内存为 … 90GB 可用", "内存 … 为 90GB 可用"),
    "状态：健康，级别：严重，服务：payments": ("状态 … 严重", "状态：… 严重", "状态 … payments"),
    "重试 3 次，共 9 个请求": ("重试 3 … 个请求",),
    "3 retries, 5 rows of orders": ("3 … rows of orders",),
    "5ms latency, 30ms timeout of x": ("5ms … timeout of x",),
    "login - User: user_1077 - IP: 192.168.2.7 - RequestID: fdr1y9": ("login - User … 192.168.2.7", "IP … fdr1y9"),
    "DETAIL: Key (id)=(451551) is there - RequestID: ejckcc71s69": ("DETAIL: Key (id … ejckcc71s69",),
    "client 10.0.0.5, server db-7 lost": ("client … db-7 lost",),
    POOLS: ("pool=A … active=3 idle=47", "pool=A … active=3", "pool=A … idle=47"),
    "pool A active 50 idle 0; pool B active 5 idle 47": ("pool A … active 5",),
    "A 池 活跃 50，B 池 活跃 3": ("A 池 … 活跃 3",),
    "连接池 未耗尽，活跃 12/50": ("连接池 未 … 活跃 12/50",),
    "mail 5 not sent: relay expired at 9": ("mail 5 not … expired at 9",),
    "rate > 5 of 90 requests": ("rate > … 90 requests",),
    JSON_LINE: ('"level":"… closed"', '"msg":"upstream … b-2"}', '"host" … "b-2"', '"host":"a… b-2"', "host … b-2"),
    'level=warn msg="slow query, no index" err="disk full now"': (
        'msg="slow … full now"', 'msg … disk full now"', 'msg="slow query … disk full now"'),
    PROXY: (
        'upstream … "http://other.example/x"', 'upstream … www.shop.example"', 'request: "GET … http://10.0.1.9:8080/cart"',
        'request: "GET … www.shop.example"', 'upstream: "… www.shop.example"', "client … shop.example", "client … HTTP/1.1",
        'host: "…http://other.example/x"', 'request: "GET /cart … http://10.0.1.9:8080/cart"',
        'server: shop … "http://10.0.1.9:8080/cart"', 'client: 10.0.0.5, server: … "GET /cart HTTP/1.1"'),
}  # fmt: skip
HONEST = {
    "耗时 35 毫秒，重试 3 次": ("耗时 35 毫秒 … 3 次", "耗时 35 毫秒 … 重试 3 次"),
    "latency 5ms, timeout 30ms": ("latency 5ms … timeout 30ms", "latency 5ms … 30ms"),
    "The pool was exhausted. 30 requests failed after 5s.": ("The pool … 30 requests failed", "exhausted … after 5s"),
    "request failed after 5 retries. 30 errors were seen": ("request failed … 30 errors were seen",),
    "mail-gateway: mail 52033 handed to relay in 2 ms": ("mail-gateway: mail … 2 ms",),
    "连接池已耗尽，活跃连接 50/50，等待 23 个请求": ("连接池已耗尽 … 等待 23 个请求", "连接池 … 活跃连接 50/50"),
    "请求被直接拒绝，耗时 35 毫秒": ("请求被直接拒绝 … 35 毫秒",),
    "连接池手册 > 排查：若活跃等于总数，则连接池耗尽": ("连接池手册 > … 则连接池耗尽",),
    "redis-0 0/1 Running 25 (3m8s ago) 106m 10.244.1.51 node-2": ("redis-0 … 25 (3m8s ago)", "redis-0 0/1 … 106m", "redis-0 0/1 … node-2"),
    "logback 2026-11-30T23:10:19Z ERROR bill 8 failed: Pool-1 - Connection lost": ("bill 8 failed: … Connection lost", "ERROR … Pool-1 - Connection lost"),
    "bill 8 failed: SQLException: Pool-1 - Connection lost": ("bill 8 failed … Pool-1 - Connection lost",),
    "ERROR: deadlock DETAIL: Process 4021 waits": ("ERROR … Process 4021 waits",),
    POOLS: ("pool=A active=50 … pool=B active=3", "pool=A … idle=0; pool=B"),
    PROXY: (
        "upstream timed out … while reading response … client: 10.0.0.5", 'upstream timed out … request: "GET /cart HTTP/1.1"',
        'client: 10.0.0.5 … host: "www.shop.example"', "*4021 upstream timed out … server: shop.example"),
}  # fmt: skip


def _told(table: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(excerpt, text) for text, excerpts in table.items() for excerpt in excerpts]


@pytest.mark.parametrize(("excerpt", "text"), _told(FALSE))
def test_an_ellipsis_that_joins_what_belongs_apart_does_not_match(excerpt: str, text: str) -> None:
    assert compare(excerpt, text).failed is not None
    assert compare(f"rack-7 of zone-b … {excerpt}", f"rack-7 of zone-b: {text}").failed is not None


@pytest.mark.parametrize(("excerpt", "text"), _told(HONEST))
def test_an_ellipsis_between_whole_statements_matches(excerpt: str, text: str) -> None:
    assert compare(excerpt, text).match is Match.ELIDED, compare(excerpt, text)
