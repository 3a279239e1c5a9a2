"""Reading of questions: language, intent, kind of answer, names, aspects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.contract.plan import EntityRole, Intent
from superbizagent.contract.vocabulary import Lang
from superbizagent.rules.entities import near_name
from superbizagent.rules.question import AnswerKind, AspectKind, detect_lang, is_narrow, read_question

KNOWN = {
    EntityRole.SERVICE: frozenset({"cart-service", "billing", "mailer"}),
    EntityRole.ALERT: frozenset({"DiskAlmostFull", "HighMemoryUsage"}),
    EntityRole.POOL: frozenset({"BluePool-1"}),
}


def ids(text: str) -> set[str]:
    return {aspect.id for aspect in read_question(text, KNOWN).aspects}


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Is the pool exhausted?", Lang.EN),
        ("连接池耗尽了吗？", Lang.ZH),
        ("nginx 有没有报错", Lang.ZH),
        ('What does "连接被拒绝" mean?', Lang.EN),
    ],
)
def test_language_is_chinese_with_chinese_outside_quotes(text: str, lang: Lang) -> None:
    assert detect_lang(text) is lang


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("What is wrong?", Intent.SWEEP),
        ("what's going on with billing?", Intent.SWEEP),
        ("出了什么问题？", Intent.SWEEP),
        ("billing 正常吗？", Intent.SWEEP),
        ("Is billing healthy?", Intent.SWEEP),
        ("Which alerts are firing?", Intent.ALERTS),
        ("现在有哪些告警？", Intent.ALERTS),
        ("Is DiskAlmostFull firing?", Intent.ALERTS),
        ("What should I check when the disk is full?", Intent.GUIDANCE),
        ("磁盘满了怎么处理？", Intent.GUIDANCE),
        ("What does ECONNRESET mean?", Intent.GUIDANCE),
        ("Did billing run out of memory?", Intent.SYMPTOM),
        ("billing 有没有超时？", Intent.SYMPTOM),
        ("connection refused", Intent.SYMPTOM),
        ("hello", Intent.OFF_SUBJECT),
        ("你好", Intent.OFF_SUBJECT),
        ("What's the weather in Paris?", Intent.OFF_SUBJECT),
        ("给我写一首关于数据库的诗，写一首", Intent.OFF_SUBJECT),
    ],
)
def test_intent_follows_the_words_of_asking(text: str, intent: Intent) -> None:
    assert read_question(text, KNOWN).intent is intent


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Is the pool exhausted?", AnswerKind.YES_NO),
        ("连接池是不是耗尽了？", AnswerKind.YES_NO),
        ("有没有超时？", AnswerKind.YES_NO),
        ("How many orders failed?", AnswerKind.HOW_MANY),
        ("失败了多少次？", AnswerKind.HOW_MANY),
        ("When did billing restart?", AnswerKind.WHEN),
        ("billing 什么时候重启的？", AnswerKind.WHEN),
        ("Why did order 88101 fail?", AnswerKind.WHY),
        ("为什么超时？", AnswerKind.WHY),
        ("What caused the timeout?", AnswerKind.WHY),
        ("What does nginx log?", AnswerKind.WHAT),
        ("How do I find a leak?", AnswerKind.HOW_TO),
    ],
)
def test_kind_of_answer_follows_the_words_of_asking(text: str, kind: AnswerKind) -> None:
    assert read_question(text, KNOWN).kind is kind


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Did billing run out of heap memory?", {"out_of_memory", "heap"}),
        ("billing 堆内存不足了吗？", {"out_of_memory", "heap"}),
        ("Is PostgreSQL refusing new connections?", {"postgresql", "connection_refused"}),
        ("PostgreSQL 拒绝新的连接了吗？", {"postgresql", "connection_refused"}),
        ("Has the certificate of bank.example expired?", {"certificate_expired"}),
        ("bank.example 的证书过期了吗？", {"certificate_expired"}),
        ("Is the disk full?", {"no_space_left"}),
        ("磁盘写满了吗？", {"no_space_left"}),
        ("Did nginx answer 502?", {"nginx", "status:502"}),
        ('Who logged "no live upstreams"?', {"no live upstreams"}),
    ],
)
def test_asked_aspects_are_found_in_both_languages(text: str, wanted: set[str]) -> None:
    assert wanted <= ids(text)


def test_known_names_are_entities_and_ask_for_nothing_else() -> None:
    asked = read_question("Is BluePool-1 of cart-service exhausted?", KNOWN)
    assert [(entity.name, entity.role) for entity in asked.entities] == [
        ("BluePool-1", EntityRole.POOL),
        ("cart-service", EntityRole.SERVICE),
    ]
    assert [aspect.id for aspect in asked.aspects] == ["exhausted"]


@pytest.mark.parametrize("text", ["Is crt-service down?", "is the service payments down?", "服务 payments 宕机了吗？"])
def test_name_of_a_service_that_no_source_knows_is_unknown(text: str) -> None:
    assert [entity.known for entity in read_question(text, KNOWN).entities] == [False]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Why did order 88101 fail?", "88101"),
        ("What happened to /checkout?", "/checkout"),
        ("Who refused 10.0.0.7:5432?", "10.0.0.7:5432"),
        ("Is the pool shop-db exhausted?", "shop-db"),
        ("Is /srv/billing/data full?", "/srv/billing/data"),
        ("Did NullPointerExceptionMapper fail?", "NullPointerExceptionMapper"),
    ],
)
def test_identifier_of_records_is_searched_and_never_unknown(text: str, name: str) -> None:
    entities = read_question(text, KNOWN).entities
    assert [(entity.name, entity.role, entity.known) for entity in entities] == [(name, EntityRole.IDENTIFIER, True)]


def test_near_name_is_one_within_two_edits() -> None:
    assert near_name("crt-service", {"cart-service", "billing"}) == "cart-service"
    assert near_name("user-service", {"cart-service", "billing"}) is None


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("Is the pool not exhausted?", True),
        ("连接池没有耗尽吗？", True),
        ("有没有超时？", False),
        ("Isn't there a timeout?", False),
        ("连接池是不是耗尽了？", False),
    ],
)
def test_polarity_is_that_of_the_question(text: str, negated: bool) -> None:
    assert read_question(text, KNOWN).negated is negated


@pytest.mark.parametrize(
    ("text", "narrow"),
    [
        ("Is the pool exhausted?", True),
        ("Why did order 88101 fail?", True),
        ("What is wrong?", False),
        ("Which alerts are firing?", False),
        ("Is DiskAlmostFull firing?", True),
        ("出了什么问题？", False),
        ("磁盘满了怎么处理？", False),
    ],
)
def test_narrow_questions_ask_for_one_fact(text: str, narrow: bool) -> None:
    assert is_narrow(text) is narrow


def test_words_of_the_window_are_no_aspects() -> None:
    asked = read_question("Did billing time out between 10:15 and 10:30?", KNOWN)
    assert [(aspect.id, aspect.kind) for aspect in asked.aspects] == [("time_out", AspectKind.PREDICATE)]


@given(st.text(max_size=200))
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert read_question(text, KNOWN).text == text
