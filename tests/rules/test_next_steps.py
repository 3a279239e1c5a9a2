"""Which next steps collect evidence."""

import pytest

from superbizagent.rules.executor_output import ReadStep
from superbizagent.rules.next_steps import keep_evidence_steps, keep_proven_steps, proposes_change

CHANGES = [
    "restart order-service",
    "Please roll back the last deployment",
    "check the pool, then increase its size to 200",
    "scale the deployment to 5 replicas",
    "query the locks and kill the idle sessions",
    "DELETE the pod",
    "look at the heap; reboot the node",
    "重启 order-service",
    "扩容连接池到 200",
    "先查看日志，然后回滚版本",
    "建议清理磁盘",
    "删除旧的索引",
]
EVIDENCE = [
    "which statements hold the connections of the pool",
    "was the service restarted before 23:10?",
    "the restart count of the pod",
    "who changed the pool size",
    "how many connections are idle",
    "the logs of the last deployment",
    "是否重启过 order-service",
    "查看 Pod 的重启次数",
    "查询最近的发布记录",
    "慢查询是哪些",
]


@pytest.mark.parametrize("target", CHANGES)
def test_step_that_would_change_a_system_is_dropped(target: str) -> None:
    kept, warnings = keep_evidence_steps([ReadStep("query", target, "c1")])
    assert not kept
    assert [warning.code.value for warning in warnings] == ["next_step_dropped"]


@pytest.mark.parametrize("target", EVIDENCE)
def test_step_that_collects_evidence_is_kept(target: str) -> None:
    assert not proposes_change(target)
    assert keep_evidence_steps([ReadStep("query", target, None), ReadStep(None, target, None)])[1] == []


@pytest.mark.parametrize("step", [ReadStep("execute", "the plan", None), ReadStep("query", "  ", None)])
def test_step_without_a_collecting_action_or_target_is_dropped(step: ReadStep) -> None:
    assert keep_evidence_steps([step])[0] == []


@pytest.mark.parametrize(
    "target", ["the heap of db-77", "the order 88101", "the setting maxPoolSize", "数据库 db-77 的日志"]
)
def test_step_that_names_what_nobody_proved_is_dropped(target: str) -> None:
    kept, warnings = keep_proven_steps([ReadStep("query", target, None)], ["Is the pool full?", "the pool is full"])
    assert not kept
    assert [warning.code.value for warning in warnings] == ["next_step_dropped"]


def test_step_that_names_what_was_asked_or_proved_is_kept() -> None:
    step = ReadStep("query", "the connections of Pool-1 at 23:10", None)
    assert keep_proven_steps([step], ["Is pool-1 full?", "at 23:10 it was"])[0]
