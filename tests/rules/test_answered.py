"""Answered? A proven statement has to be about the asked thing and state what was asked."""

import pytest

from superbizagent.contract.vocabulary import Answered
from superbizagent.rules.answered import Passed, Stance, bearing, gives_reason, question_answered
from superbizagent.rules.literals import status_codes
from superbizagent.rules.question import read_question

POOL = (
    "2026-11-30T23:10:19.078Z DEBUG [w-1] c.z.h.p.HikariPool - BluePool-1 - Timeout failure stats "
    "(total=50, active=50, idle=0, waiting=199) file=cart-service.log"
)
POOL_ALERT = "PoolExhausted firing, service=cart-service, pool=BluePool-1, current=1; pool BluePool-1 is exhausted"
ACCESS_200 = '10.0.0.1 - - [30/Nov/2026:23:12:00 +0000] "GET /products/500 HTTP/1.1" 200 37 file=nginx-access.log'
ACCESS_502 = '10.0.0.1 - - [30/Nov/2026:23:12:00 +0000] "GET /pay HTTP/1.1" 502 157 file=nginx-access.log'

CASES = [
    # the asked state, by name and by file
    ("Is the cart-service connection pool exhausted?", "BluePool-1 was exhausted: total=50, idle=0", POOL, "yes"),
    ("cart-service 的连接池耗尽了吗？", "BluePool-1 已耗尽：total=50, active=50, idle=0", POOL, "yes"),
    ("Is the cart-service connection pool exhausted?", "BluePool-1 was not exhausted: idle=40", POOL, "yes"),
    # a number states no state
    ("Is the cart-service connection pool exhausted?", "BluePool-1: total=50", POOL, "no"),
    ("cart-service 的连接池耗尽了吗？", "BluePool-1：active=50, waiting=199", POOL, "no"),
    # another entity
    ("Is the user-service connection pool exhausted?", "BluePool-1 was exhausted: total=50", POOL, "no"),
    ("Is cart-service down?", "user-service is down", "WARN cart-service user-service is down", "no"),
    ("cart-service 宕机了吗？", "user-service 已宕机", "WARN cart-service user-service 已宕机", "no"),
    # another symptom
    ("Did cart-service run out of heap memory?", "BluePool-1 was exhausted: total=50", POOL, "no"),
    ("Did cart-service run out of memory?", 'cart-service logged "java.lang.OutOfMemoryError"', "cart-service", "yes"),
    ("Are there TLS certificate errors in nginx?", 'nginx logged "connect() failed"', "nginx [error]", "no"),
    ("nginx 有证书错误吗？", "nginx 记录：“certificate verify failed”，错误", "nginx [error] certificate", "yes"),
    ("Did the OOM killer kill redis?", 'redis logged "OOM command not allowed"', "redis", "no"),
    # status codes are no sizes and no parts of paths
    ("Did nginx answer 500?", 'nginx logged GET /products/500 HTTP/1.1" 200 37', ACCESS_200, "no"),
    ("nginx 有没有返回过 502？", "GET /pay 返回 502", ACCESS_502, "yes"),
    # kinds of answer
    ("How many keys does Redis hold?", 'Redis logged "DB 0: 799 keys"', "redis", "yes"),
    ("How many keys does Redis hold?", 'Redis logged "keys expired"', "redis", "no"),
    ("Why did order 88101 fail?", 'cart-service logged "order 88101 failed: Connection refused"', "x", "yes"),
    ("Why did order 88101 fail?", "order 88101 failed", "order 88101 failed", "no"),
    ("订单 88101 为什么失败？", "日志记录：“订单 88101 失败：库存不足”", "x", "yes"),
    ("When was billing restarted?", "At 2026-11-30T23:10:19Z billing restarted", "billing", "yes"),
    ("When was billing restarted?", "billing restarted", "billing", "no"),
    # alerts
    ("Which alerts are firing for cart-service?", "PoolExhausted is firing for cart-service", POOL_ALERT, "yes"),
    ("cart-service 有哪些告警在触发？", "cart-service 的 PoolExhausted 告警正在触发", POOL_ALERT, "yes"),
    ("Which alerts are firing?", "PoolExhausted is resolved", "PoolExhausted resolved, service=cart-service", "no"),
    ("Is PoolExhausted firing?", "PoolExhausted is resolved", "PoolExhausted resolved, service=cart-service", "yes"),
    ("Which alerts are firing?", 'cart-service logged "alert fired"', "INFO alert fired", "no"),
    # guidance answers a how-to, and nothing else
    ("What should I check when a pool is exhausted?", "The runbook says: look for a leak", "Pool exhausted: …", "yes"),
    ("Is the pool exhausted?", "The runbook says that a pool is exhausted when idle is 0", "Pools > x: …", "no"),
    ("连接池耗尽怎么排查？", "手册《连接池耗尽》写道：查看慢查询", "连接池耗尽 > 排查: …", "yes"),
    # the present is no past
    ("Is web2 down right now?", 'haproxy logged "Server web/web2 is DOWN"', "Server web/web2 is DOWN", "no"),
    ("Was web2 down?", 'haproxy logged "Server web/web2 is DOWN"', "Server web/web2 is DOWN", "yes"),
    # a supposed cause has to be the stated one
    ("Is the full disk the reason why uploads fail?", "upload 7 failed: No space left on device", "x", "yes"),
    ("Is a memory leak the reason why uploads fail?", "upload 7 failed: No space left on device", "x", "no"),
    ("上传失败是磁盘满导致的吗？", "上传 7 失败：磁盘空间已满", "x", "yes"),
    ("上传失败是内存泄漏导致的吗？", "上传 7 失败：磁盘空间已满", "x", "no"),
    # a possibility, and what only speaks of a thing, settle no yes/no question
    ("Does cart leak connections?", 'cart logged "Connection leak detection triggered"', "cart", "no"),
    ("Does cart leak memory?", 'cart logged "Possible memory leak detected"', "cart", "no"),
    ("cart 有内存泄漏吗？", "cart 记录：“疑似内存泄漏”", "cart", "no"),
    ("Has the certificate of a.example expired?", "a.example notAfter=Mar 1 01:49:42 2027 GMT", "x", "no"),
    ("When does the certificate of a.example end?", "a.example notAfter=Mar 1 01:49:42 2027 GMT", "x", "yes"),
    ("What does cart say about leaks?", 'cart logged "Possible memory leak detected"', "cart", "yes"),
    # several things
    ("Are there timeouts and refused connections in nginx?", 'nginx logged "Connection refused"', "nginx", "partly"),
    ("Are there timeouts or refused connections in nginx?", 'nginx logged "Connection refused"', "nginx", "yes"),
    # a sweep
    ("What is wrong?", "BluePool-1 was exhausted: total=50", POOL, "yes"),
    ("What is wrong with user-service?", "BluePool-1 was exhausted: total=50", POOL, "no"),
]


@pytest.mark.parametrize(("question", "statement", "proof", "answered"), CASES)
def test_question_is_answered_by_what_is_about_it(question: str, statement: str, proof: str, answered: str) -> None:
    assert question_answered(question, [Passed(statement, (proof,))]) is Answered(answered)


def test_nothing_that_passed_answers_nothing() -> None:
    assert question_answered("Is the pool exhausted?", []) is Answered.NO


def test_labels_of_a_proven_alert_tie_its_pool_to_its_service() -> None:
    record = "BluePool-1 - Pool stats (total=50, active=50, idle=0)"
    alone = [Passed("BluePool-1 was exhausted: total=50, active=50, idle=0", (record,))]
    tied = [*alone, Passed("PoolExhausted is firing for cart-service", (POOL_ALERT,))]
    assert question_answered("Is the connection pool of cart-service exhausted?", alone) is Answered.NO
    assert question_answered("Is the connection pool of cart-service exhausted?", tied) is Answered.YES


@pytest.mark.parametrize(
    ("question", "statement", "stance"),
    [
        ("Is the pool exhausted?", "the pool was exhausted: idle=0", Stance.AFFIRMS),
        ("Is the pool exhausted?", "the pool was not exhausted: idle=40", Stance.DENIES),
        ("Is the pool not exhausted?", "the pool was not exhausted: idle=40", Stance.AFFIRMS),
        ("连接池耗尽了吗？", "连接池未耗尽：idle=40", Stance.DENIES),
        ("Is the certificate valid?", "certificate has expired", Stance.DENIES),
        ("Is PoolExhausted firing?", "PoolExhausted is resolved", Stance.DENIES),
        ("Which pool is exhausted?", "the pool was exhausted: idle=0", None),
    ],
)
def test_stance_is_what_the_deciding_statement_says(question: str, statement: str, stance: Stance | None) -> None:
    proof = "PoolExhausted resolved, service=x" if "resolved" in statement else statement
    assert bearing(read_question(question), [Passed(statement, (proof,))]).stance is stance


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (ACCESS_200, {"200"}),
        (ACCESS_502, {"502"}),
        ("status=503 took=500ms", {"503"}),
        ("GET /orders/404 in 500 ms", set()),
        ("GET /products/7 200 in 4.7 ms", {"200"}),
        ("upstream answered 504", {"504"}),
    ],
)
def test_status_codes_are_read_as_such_only(text: str, codes: set[str]) -> None:
    assert status_codes(text) == codes


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("order 7 failed: Connection refused", True),
        ('msg="not stored" err="OOM command not allowed"', True),
        ("失败，原因是磁盘已满", True),
        ("order 7 failed", False),
        ("UploadsFailing is firing for upload: 2 uploads per second are not stored", False),
        ("total=50, active=50", False),
    ],
)
def test_reason_is_given_by_a_mark_of_reason(text: str, reason: bool) -> None:
    assert gives_reason(text) is reason
