"""The lexicon: its size, that no form joins two rows unawares, and how forms are found."""

from collections import defaultdict

import pytest

from superbizagent.rules.lexicon import concepts, concepts_in, pieces, stem, widen

LEAST_ROWS = 600
MOST_HOMONYMS = 72
"""Forms that rows share because the language has one word for both: 参数 (parameter, argument), 标签 (label, tag),
主节点 (primary node, master node), 限流 (a rate limit, to throttle), transaction (of a database, of a business),
提交 (commit, submit), 恢复 (recover, restore), 验证 and 校验 (verify, validate), 分配 (allocate, assign), 丢弃 (drop,
discard), 拉取 (fetch, pull), 撤销 (undo, revoke), raise (an exception, a limit), 主库 and 主服务器 (master, primary),
replica (a copy, a slave), 刷盘 and 落盘 (flush, fsync), 清理 (clean up, vacuum), 存储 (store, storage), 扩展 (extend,
expand), 生命周期 (lifetime, lifecycle), 镜像 (image, mirror), 位置 (position, location), 阶段 (stage, phase),
限速 (a rate limit, to throttle), 扩容 (scale up, expand), 依赖 (depend, dependency), 维护 (maintain, maintenance), 接口
(API, interface), 区域 (region, zone), 主进程 (main process, master process), 指令 (command, directive), 丢包 (packet
loss, dropped packets), loop, sample and silence (the thing, the deed)."""
MOST_SENSES = 3
"""拒绝 is refuse, reject and deny; 隔离 isolate, quarantine and fence: none of these is another's opposite."""


def test_every_row_has_a_known_kind() -> None:
    kinds = {"thing", "label", "unit", "product", "level", "state", "event"}
    assert {row.id: row.kind for row in concepts() if row.kind not in kinds} == {}


def test_lexicon_has_its_rows_with_unique_ids_in_both_languages() -> None:
    rows = concepts()
    assert len(rows) >= LEAST_ROWS
    assert len({row.id for row in rows}) == len(rows)
    chinese = [row for row in rows if any(form[0] > "\u3400" for form in row.forms)]
    assert len(chinese) >= LEAST_ROWS * 2 // 3


def test_form_belongs_to_one_row_unless_it_is_a_known_homonym() -> None:
    owners = defaultdict(set)
    for row in concepts():
        for form in row.forms:
            owners[tuple(piece.key for piece in pieces(form))].add(row.id)
    shared = {form: ids for form, ids in owners.items() if len(ids) > 1}
    assert all(len(ids) <= MOST_SENSES for ids in shared.values()), shared
    assert len(shared) <= MOST_HOMONYMS, shared


def test_widen_gives_the_equal_forms_of_a_term_first_itself() -> None:
    assert widen("连接池")[0] == "连接池"
    assert "connection pool" in widen("连接池")
    assert "超时" in widen("timed out")


EQUAL_ACTIONS = (
    ("成为", "became"), ("续期", "renewed"), ("吊销", "revoked"), ("落后", "fell behind"), ("追上", "caught up"),
    ("放弃", "gave up"), ("卸任", "stepped down"), ("收缩", "shrank"), ("提交", "submitted"), ("提交", "committed"),
    ("校验", "verified"), ("连续", "in a row"), ("过大", "too large"), ("反序列化", "unmarshal"), ("默认", "default"),
)  # fmt: skip
OTHER_ACTIONS = (
    ("recovered", "recovery"), ("verified", "validated"), ("recovered", "restored"), ("deployed", "deployment"),
    ("throttled", "rejected"), ("gave up", "fail"), ("stalled", "stopped"), ("slow", "too slow"), ("killed", "exited"),
    ("responded", "response"), ("revoked", "expired"), ("shut down", "closed"), ("exhausted", "running out of"),
)  # fmt: skip


@pytest.mark.parametrize(("term", "equal"), EQUAL_ACTIONS)
def test_action_is_equal_to_its_other_wordings(term: str, equal: str) -> None:
    assert equal in widen(term) and term in widen(equal)


@pytest.mark.parametrize(("term", "other"), OTHER_ACTIONS)
def test_action_is_not_equal_to_its_neighbour(term: str, other: str) -> None:
    assert not {row.concept.id for row in concepts_in(term)} & {row.concept.id for row in concepts_in(other)}


def test_widen_of_an_unknown_term_is_the_term_alone() -> None:
    assert widen("zanzibar") == ["zanzibar"]


def test_wider_or_narrower_words_are_not_equal() -> None:
    assert "pool" not in widen("connection pool")
    assert "error" not in widen("exception")
    assert "memory leak" not in widen("out of memory")


def test_concepts_are_found_in_plural_and_verb_forms() -> None:
    found = {concept.concept.id for concept in concepts_in("the requests timed out, connections were closing")}
    assert {"request_timeout", "connection", "closed_state"} <= found


def test_part_of_a_name_is_no_concept() -> None:
    assert not concepts_in("order-service")


def test_possessive_ends_a_name() -> None:
    assert [found.concept.id for found in concepts_in("MySQL's")] == ["mysql"]


def test_stems_join_forms_of_one_word_only() -> None:
    assert stem("failed") == stem("fails") == stem("failing") == "fail"
    assert stem("status") == "status"
    assert stem("process") == stem("processes")
