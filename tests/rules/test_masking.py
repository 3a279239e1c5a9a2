"""Masking: every secret of the table goes, nothing of the other table does, and masking settles."""

import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from superbizagent.contract.json_text import read_json, write_json
from superbizagent.rules.masking import MASKING_RULES, Masker, mask, mask_json

DATA = Path(__file__).parents[1] / "data" / "masking"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAwJ\nabc+/=\n-----END RSA PRIVATE KEY-----"


def lines(name: str) -> list[str]:
    text = (DATA / name).read_text(encoding="utf-8")
    return [line for line in text.split("\n") if line and not line.startswith("#")]


def marked(line: str) -> tuple[str, list[str]]:
    """A line of the table without its marks, and the secrets in it."""
    line = line.replace("¦", "")
    secrets = [part.split("⟧", 1)[0] for part in line.split("⟦")[1:]]
    return line.replace("⟦", "").replace("⟧", ""), secrets


def expected(line: str, masked: str) -> bool:
    """Whether `masked` is the line with exactly its secrets replaced."""
    rest = masked
    for index, part in enumerate(line.replace("¦", "").split("⟦")):
        plain = part if index == 0 else part.split("⟧", 1)[1]
        if index:
            if not rest.startswith("<masked:"):
                return False
            rest = rest.partition(">")[2]
        if not rest.startswith(plain):
            return False
        rest = rest[len(plain) :]
    return not rest


@pytest.mark.parametrize("line", lines("secrets.txt"))
def test_secret_is_masked_and_the_rest_of_the_line_stays(line: str) -> None:
    text, _ = marked(line)
    assert expected(line, mask(text)), mask(text)


@pytest.mark.parametrize("line", lines("harmless.txt"))
def test_harmless_line_stays_as_it_is(line: str) -> None:
    assert mask(line) == line


def test_tables_are_as_large_as_the_figures_say() -> None:
    assert len(lines("secrets.txt")) >= 120
    assert len(lines("harmless.txt")) >= 200


def test_every_rule_finds_a_secret_in_some_line_of_the_table() -> None:
    texts = [marked(line)[0] for line in lines("secrets.txt")] + [PEM, "- name: DB_PASSWORD\n  value: hunter2"]
    idle = [rule.name for rule in MASKING_RULES if not any(list(rule.find(text)) for text in texts)]
    assert idle == []


def test_rule_finds_only_where_one_of_its_needles_stands() -> None:
    # For these the needle is the condition itself: `-p` is a password behind `mysql` and a port elsewhere.
    conditional = {"login_option", "curl_user", "mysql_option", "redis_option"}
    for text in (marked(line)[0] for line in lines("secrets.txt")):
        for rule in MASKING_RULES:
            if rule.needles and rule.name not in conditional and list(rule.find(text)):
                assert any(needle in text.lower() for needle in rule.needles), (rule.name, text)


def test_pem_block_is_masked_as_a_whole_also_when_it_is_escaped_or_cut() -> None:
    assert mask(f"a {PEM} b") == "a <masked:pem:1> b"
    assert mask("a " + PEM.replace("\n", "\\n") + " b") == "a <masked:pem:1> b"
    assert "MIIE" not in mask(PEM.partition("-----END")[0])


def test_equal_secrets_get_equal_placeholders_in_one_session() -> None:
    masker = Masker()
    first = masker.mask("password=hunter2 x=1")
    second = masker.mask_json({"url": "redis://:hunter2@cache", "password": "other"})
    assert first == "password=<masked:password:1> x=1"
    assert second == {"url": "redis://:<masked:password:1>@cache", "password": "<masked:password:2>"}


def test_placeholder_of_another_text_is_never_given_to_a_new_secret() -> None:
    assert Masker().mask("password=<masked:password:7> token=abc12345") == (
        "password=<masked:password:7> token=<masked:token:8>"
    )
    assert Masker(["<masked:key:3>"]).mask("password=x1y2") == "password=<masked:password:4>"


def test_json_is_masked_by_names_and_by_forms_and_keeps_its_other_values() -> None:
    value = {
        "password": "hunter2",
        "pin": 1234,
        "passwords_tried": 3,
        "tokens": 812,
        "secret": None,
        "headers": {"Authorization": "Bearer abc123def", "Cookie": "sid=99f; a=b", "X": ["y"]},
        "env": [{"name": "DB_PASSWORD", "value": "x1"}, {"name": "PORT", "value": "80"}],
        "passphrase": {"value": "x1", "from": "vault"},
        "pass": 12345,
        "api_keys": ["k"],
        "token": ["abc123def", {"password": "z9"}],
        "card": 4111111111111111,
        "order_id": 4111111111111111,
        "postgres://a:b1@c": 1,
        "f": 1.5,
        "t": True,
    }
    assert mask_json(value) == {
        "password": "<masked:password:1>",
        "pin": 1234,
        "passwords_tried": 3,
        "tokens": 812,
        "secret": None,
        "headers": {
            "Authorization": "Bearer <masked:token:4>",
            "Cookie": "sid=<masked:cookie:5>; a=<masked:cookie:6>",
            "X": ["y"],
        },
        "env": [{"name": "DB_PASSWORD", "value": "<masked:password:7>"}, {"name": "PORT", "value": "80"}],
        "passphrase": {"value": "<masked:password:7>", "from": "vault"},
        "pass": 12345,
        "api_keys": ["k"],
        "token": ["<masked:token:4>", {"password": "<masked:password:8>"}],
        "card": "<masked:card:2>",
        "order_id": 4111111111111111,
        "postgres://a:<masked:password:3>@c": 1,
        "f": 1.5,
        "t": True,
    }


def test_data_of_a_kubernetes_secret_is_masked_and_its_name_is_not() -> None:
    secret = {"kind": "Secret", "metadata": {"name": "shop"}, "data": {"tls.crt": "aGVsbG8="}}
    assert mask_json(secret) == {**secret, "data": {"tls.crt": "<masked:secret:1>"}}


def test_value_that_was_given_is_not_changed() -> None:
    value = {"a": [{"password": "hunter2"}]}
    mask_json(value)
    assert value == {"a": [{"password": "hunter2"}]}


def test_deep_json_does_not_exhaust_the_stack() -> None:
    deep: list[object] = ["password=hunter2"]
    for _ in range(50_000):
        deep = [deep]
    inner = mask_json(deep)
    while isinstance(inner, list):
        inner = inner[0]
    assert inner == "password=<masked:password:1>"


@pytest.mark.parametrize(
    "unit",
    [
        "password", "password=", "a:", "://a:", "-----BEGIN A KEY-----", "eyJa.", "4111 ", "bearer ", "cookie: a=",
        "authorization: digest mac=", "a-", "<a", "mysql -p", "name: a\nvalue: ", '"', "token: ", "$6$", "key", "\\",
        "sk-", "@tcp(", "identified by password ", "--password-", "密码：", "[", "secret=(", "x:y@tcp(", "xox-",
        "password is ", "with password ", "密码是", "用密码 ", "pass pass", "user a password ", 'passphrase "',
    ],
)  # fmt: skip
def test_hostile_text_takes_time_in_proportion_to_its_length(unit: str) -> None:
    """Processor time, the best of three: eight times the text may take four times eight times as long, not its square."""

    def seconds(count: int) -> float:
        text = unit * (count // len(unit))
        start = time.process_time()
        mask(text)
        return time.process_time() - start

    short, long = (min(seconds(count) for _ in range(3)) for count in (50_000, 400_000))
    assert long < max(short, 0.01) * 8 * 4


@pytest.mark.parametrize("line", lines("secrets.txt") + lines("harmless.txt"))
def test_json_text_stays_json_text_when_it_is_masked(line: str) -> None:
    text = marked(line)[0]
    value = {"claims": [{"text": text, "n": 1}], "password": 12345}
    for masked in (mask(write_json(value)), mask(write_json(write_json(value)))):
        read_json(masked)
    assert set(read_json(mask(write_json(value)))["claims"][0]) == {"text", "n"}


secretive = st.sampled_from([marked(line)[0] for line in lines("secrets.txt") + lines("harmless.txt")])


@settings(max_examples=300, deadline=None, derandomize=True)
@example(['"card_number": "4012888888881881"', "order_id=4111111111111111"], " ")
@given(st.lists(st.one_of(secretive, st.text(max_size=30)), max_size=4), st.sampled_from([" ", "\n", ", ", "; "]))
def test_masking_a_masked_text_changes_nothing(parts: list[str], joint: str) -> None:
    masker = Masker()
    once = masker.mask(joint.join(parts))
    assert masker.mask(once) == once
    assert mask(once) == once
