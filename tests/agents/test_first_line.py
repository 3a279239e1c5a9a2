"""The first line of an answer, over small folders of a few records: yes and no only where a record says so plainly."""

from pathlib import Path

import pytest

from superbizagent.contract.vocabulary import Answered, Verdict
from superbizagent.diagnosis.run import Diagnosis
from tests.agents.worlds import ask, write_world

CANNOT = ("Cannot confirm", "无法确认")


async def answer_of(folder: Path, question: str, *records: str) -> Diagnosis:
    """The diagnosis of a question over a folder with these records, a minute apart."""
    lines = [f"2026-07-08T10:{10 + minute}:00.000Z INFO  {record}" for minute, record in enumerate(records)]
    return await ask(write_world(folder / "w", {"app.log": "\n".join(lines) + "\n"}, [], {}), question)


# record, question, how the answer begins: "" stands for Cannot confirm
EXCEPTED = [
    ("coordinator - all nodes except n3 are down", "Is n3 down?", ""),
    ("coordinator - all nodes except n3 are down", "n3 挂了吗？", ""),
    ("coordinator - all nodes other than n3 failed", "Did n3 fail?", ""),
    ("coordinator - all nodes apart from n3 crashed", "Did n3 crash?", ""),
    ("coordinator - nodes failed, excluding n3", "Did n3 fail?", ""),
    ("coordinator - n1 failed but not n3", "Did n3 fail?", ""),
    ("coordinator - n1 failed instead of n3", "Did n3 fail?", ""),
    ("coordinator - n1 failed but not n3", "Did n1 fail?", "Yes"),
    ("协调器 - 除 n3 外所有节点都宕机", "n3 宕机了吗？", ""),
    ("协调器 - 除了 n3 以外，节点全部失败", "n3 失败了吗？", ""),
    ("coordinator - n3 is down", "Is n3 down?", "Yes"),
    ("coordinator - n3 is down", "n3 挂了吗？", "是"),
]
OF_ANOTHER = [
    ("runner - step load failed, step extract succeeded", "Did extract fail?", "No"),
    ("runner - step load failed, step extract succeeded", "Did load fail?", "Yes"),
    ("runner - step extract was skipped, step load failed", "Did extract fail?", ""),
    ("任务 - 步骤 load 失败，步骤 extract 成功", "extract 失败了吗？", "否"),
    ("任务 - 步骤 load 失败，步骤 extract 成功", "load 失败了吗？", "是"),
    ("runner - db-1 is up while db-2 is down", "Is db-1 down?", "No"),
    ("runner - db-1 is up while db-2 is down", "Is db-2 down?", "Yes"),
    ("runner - node-a: ok, node-b: failed", "Did node-a fail?", ""),
    ("runner - node-a: ok, node-b: failed", "Did node-b fail?", "Yes"),
    ("runner - job backup-7 completed after job cleanup-9 crashed", "Did backup-7 crash?", ""),
    ("runner - node-a reports that node-b crashed", "Did node-a crash?", ""),
    ("runner - node-a reports that node-b crashed", "Did node-b crash?", "Yes"),
    ("runner - node-a removed node-b because it timed out", "Did node-a time out?", ""),
    ("runner - only n1 failed, n3 was skipped", "Did n3 fail?", ""),
]
NOT_SO = [
    ("worker - exit summary crashed=no restarts=0", "Did the worker crash?", "No"),
    ("worker - status crashed: false", "Did it crash?", "No"),
    ("worker - 崩溃=否", "崩溃了吗？", "否"),
    ("worker - failed=0 succeeded=12", "Did anything fail?", "No"),
    ("worker - 0 deadlocks detected", "Was there a deadlock?", "No"),
    ("client - connecting to cache with timeout=30s retries=3", "Was there a timeout?", ""),
    ("client - connecting to cache with timeout=30s retries=3", "有超时吗？", ""),
    ("client - request timeout set to 30s", "Did the request time out?", ""),
    ("client - 连接超时时间设置为 30 秒", "连接超时了吗？", ""),
    ("client - request timed out after 30s", "Did the request time out?", "Yes"),
    ("supervisor - restart of billing postponed until 02:00", "Was billing restarted?", ""),
    ("supervisor - restart of billing cancelled", "Did billing restart?", ""),
    ("supervisor - restart of billing scheduled for 12:00", "Was billing restarted?", ""),
    ("supervisor - restart skipped: billing is in use", "Was billing restarted?", ""),
    ("supervisor - billing 的重启已取消", "billing 重启了吗？", ""),
    ("supervisor - 拟重启 billing 服务", "billing 重启过吗？", ""),
    ("supervisor - 计划重启 billing", "billing 重启了吗？", ""),
    ("supervisor - billing restarted", "Was billing restarted?", "Yes"),
    ("pool - connection pool nearly exhausted", "Is the connection pool exhausted?", ""),
    ("pool - 连接池险些耗尽：active=49 total=50", "连接池耗尽了吗？", ""),
    ("backup - last backup failed, this backup succeeded", "Did this backup fail?", "No"),
    ("backup - last backup failed, this backup succeeded", "Did the backup fail?", ""),
    ("备份 - 上次备份失败，本次备份成功", "本次备份失败了吗？", "否"),
    ("备份 - 上次备份失败，本次备份成功", "上次备份失败了吗？", "是"),
    ("备份 - 上次备份失败，本次备份成功", "备份失败了吗？", ""),
    ("guard - without the limit the node would have crashed", "Did the node crash?", ""),
    ("guard - prevented a crash of the indexer", "Did the indexer crash?", ""),
    ("guard - if the pool is exhausted the request waits", "Is the pool exhausted?", ""),
    ("guard - crash test passed", "Did it crash?", ""),
    ("guard - 避免了死锁", "有没有死锁？", ""),
    ("guard - 未发生崩溃", "崩溃了吗？", "否"),
    ("db - primary failed over successfully to db-2", "Did the primary fail?", ""),
    ("disk - disk is no longer full", "Is the disk full?", ""),
    ("app - worker processes started", "When did it start?", ""),
    ("mon - VolumeAlmostFull on volume data-1", "Is volume data-1 full?", ""),
    ("kube - node-4 status is now NodeNotReady", "Is node-4 ready?", "No"),
    ("app - Possible EventEmitter memory leak detected", "Is there a memory leak?", ""),
    ("db - database system was shut down at 01:44", "Is the database down?", ""),
    ("熔断 - 熔断器 bank-gw 由打开变为半开", "熔断器 bank-gw 打开了吗？", ""),
    ("熔断 - 熔断器 bank-gw 已打开", "熔断器 bank-gw 打开了吗？", "是"),
    ("对账 - 任务 17 完成，失败 0 笔，成功 388 笔", "任务 17 有失败吗？", "否"),
    ("deploy - rollback of deploy 412 skipped (approval required)", "Was deploy 412 rolled back?", ""),
    ("支付 - 除 pay-3 外的实例均无法连接 redis-1", "pay-3 能连接 redis-1 吗？", ""),
]


@pytest.mark.parametrize(("record", "question", "begins"), [*EXCEPTED, *OF_ANOTHER, *NOT_SO])
async def test_yes_and_no_need_a_record_that_says_so_of_the_asked_one(
    tmp_path: Path, record: str, question: str, begins: str
) -> None:
    diagnosis = await answer_of(tmp_path, question, record)
    assert diagnosis.answer.startswith(begins or CANNOT), diagnosis.answer
    assert diagnosis.evaluation.answered is (Answered.YES if begins else Answered.NO)
    assert diagnosis.evaluation.effective_verdict is (Verdict.PASS if begins else Verdict.LOW_CONFID)


GREEN = "stats - pool GreenPool-1 stats (total=20, active=20, idle=0, waiting=3)"
BLUE = "stats - pool BluePool-2 stats (total=20, active=2, idle=18, waiting=0)"

# records, question, how the answer begins, answered
SCOPES = [
    ((GREEN,), "Are all pools exhausted?", "Cannot confirm that it holds for all. Proven is: GreenPool-1", "partly"),
    ((GREEN,), "Are both pools exhausted?", "Cannot confirm that it holds for all. Proven is: GreenPool-1", "partly"),
    ((GREEN,), "Is every pool exhausted?", "Cannot confirm that it holds for all. Proven is: GreenPool-1", "partly"),
    ((GREEN,), "两个连接池都耗尽了吗？", "无法确认全部都是如此。已证实的是：GreenPool-1", "partly"),
    ((GREEN,), "所有连接池都耗尽了吗？", "无法确认全部都是如此。已证实的是：GreenPool-1", "partly"),
    ((GREEN,), "每个连接池都耗尽了吗？", "无法确认全部都是如此。已证实的是：GreenPool-1", "partly"),
    ((GREEN,), "Is any pool exhausted?", "Yes, by a record", "yes"),
    ((GREEN,), "有任何连接池耗尽吗？", "是（据", "yes"),
    ((GREEN,), "How many pools are exhausted?", "Cannot confirm", "no"),
    ((GREEN, BLUE), "Are all pools exhausted?", "No, by a record", "yes"),
    ((GREEN, BLUE), "全部连接池都耗尽了吗？", "否（据", "yes"),
    ((GREEN, BLUE), "Is any pool exhausted?", "Yes, by a record", "yes"),
    ((BLUE,), "Is any pool exhausted?", "Cannot confirm that any is. Proven is: BluePool-2", "partly"),
    ((GREEN, BLUE), "Is the pool exhausted?", "Yes for one and no for another", "partly"),
    ((GREEN, BLUE), "Which pool is exhausted?", "GreenPool-1 was exhausted", "yes"),
    ((GREEN, BLUE), "哪个连接池耗尽了？", "GreenPool-1 已耗尽", "yes"),
    ((GREEN, BLUE), "Are GreenPool-1 and BluePool-2 exhausted?", "Yes for one and no for another", "yes"),
    ((GREEN, BLUE), "GreenPool-1 和 BluePool-2 都耗尽了吗？", "各不相同：GreenPool-1", "yes"),
    ((GREEN, BLUE), "Is GreenPool-1 or BluePool-2 exhausted?", "Yes, by a record", "yes"),
    (("mon - n1 is down",), "Are all nodes down?", "Cannot confirm that it holds for all", "partly"),
    (("mon - n1 is down",), "Are n1 and n2 down?", "In part", "partly"),
    (("mon - n1 is down", "mon - n2 is down"), "Are n1 and n2 down?", "Yes, by a record", "yes"),
    (("mon - n1 is down", "mon - n2 is down"), "Is n1 down?", "Yes, by a record", "yes"),
    (("mon - n1 is down",), "How many nodes are down?", "Cannot confirm", "no"),
    (("mon - 3 nodes are down",), "How many nodes are down?", 'The record says "3 nodes are down"', "yes"),
    (("mon - all nodes are down",), "Are all nodes down?", "Yes, by a record", "yes"),
    (("mon - n1 and n2 failed",), "Did n1 fail before n2?", "Cannot confirm", "no"),
]


@pytest.mark.parametrize(("records", "question", "begins", "answered"), SCOPES)
async def test_scope_of_the_question_is_answered_and_no_wider(
    tmp_path: Path, records: tuple[str, ...], question: str, begins: str, answered: str
) -> None:
    diagnosis = await answer_of(tmp_path, question, *records)
    assert diagnosis.answer.startswith(begins), diagnosis.answer
    assert diagnosis.evaluation.answered is Answered(answered)


async def test_which_of_several_lists_each_of_them(tmp_path: Path) -> None:
    first_line = (await answer_of(tmp_path, "Which nodes are down?", "mon - n1 is down", "mon - n2 is down")).answer
    assert "n1 is down" in first_line.splitlines()[0]
    assert "n2 is down" in first_line.splitlines()[0]


ROUTE = "gw - route to billing-api failed: connection refused"


@pytest.mark.parametrize(
    ("record", "question", "begins"),
    [
        (ROUTE, "Did the route to billing-api fail?", "Yes"),
        (ROUTE, "Why did the route to billing-api fail?", 'The record says "route to billing-api failed'),
        (ROUTE, "What happened to billing-api?", "One finding is proven"),
        (ROUTE, "Is billing-api down?", "Cannot confirm: none of the records"),
        (ROUTE, "Did billing-api fail?", "Cannot confirm: none of the records"),
        ("gw - 调用 risk-service 失败：超时", "调用 risk-service 失败了吗？", "是（据"),
        (ROUTE.replace("api", "api-v2"), "Is billing-api down?", "Cannot confirm: no source knows `billing-api`"),
        ("gw - all quiet", "risk-service 超时了吗？", "无法确认：没有任何数据源认识 `risk-service`"),
    ],
)
async def test_service_that_only_a_record_names_is_known(
    tmp_path: Path, record: str, question: str, begins: str
) -> None:
    answer = (await answer_of(tmp_path, question, record)).answer
    assert answer.startswith(begins), answer
    assert ("no source knows" in answer) is ("no source knows" in begins)


async def test_answer_about_another_masked_secret_is_no_answer(tmp_path: Path) -> None:
    asked, other = "ghp_" + "a1B2c3D4e5F6" * 3, "ghp_" + "z9Y8x7W6v5U4" * 3
    diagnosis = await answer_of(tmp_path, f"Did token {asked} fail?", f"gw - token {other} failed: expired")
    assert diagnosis.answer.startswith("Cannot confirm")
    assert asked not in diagnosis.answer
    assert not any("masked" in str(row.arguments) for row in diagnosis.invocations)


async def test_what_is_said_to_be_found_is_what_the_searches_found(tmp_path: Path) -> None:
    found = (await answer_of(tmp_path / "a", "Did it crash?", "guard - crash test passed")).answer
    assert "1 matched" in found
    assert "No record of" not in found
    none = (await answer_of(tmp_path / "b", "Did it crash?", "guard - all quiet")).answer
    assert "matched" not in none
    assert 'No record of "crash" was found' in none


async def test_calls_that_came_to_the_same_are_told_once(tmp_path: Path) -> None:
    answer = (await answer_of(tmp_path, "Did the indexer crash?", "guard - crash test passed")).answer
    told = [line.split(", in ", 1)[-1] for line in answer.splitlines() if line.startswith("- query_logs")]
    assert told
    assert len({line for line in answer.splitlines() if "asked for" in line}) == len(
        [line for line in answer.splitlines() if "asked for" in line]
    )
