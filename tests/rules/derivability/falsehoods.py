"""Makes wrong claims from right ones, a kind at a time. Each gives (claim, records) that must not be supported."""

import random
import re
from collections.abc import Callable, Iterator

Case = tuple[str, list[str]]
Maker = Callable[[str, list[str], random.Random], Case | None]

_NUMBER = re.compile(r"(?<![\w.:/-])\d+(?:\.\d+)?(?![\w.:/-])")
_NAME = re.compile(r"\b[A-Za-z][A-Za-z]*(?:[-_][A-Za-z0-9]+)+\b|\b[A-Z][a-z]+[A-Z]\w+\b")
_FIELD = re.compile(r"\b([a-z_]{3,})=(\d+)\b")
_UNITS = {
    "ms": "s",
    "seconds": "minutes",
    "s": "h",
    "MB": "GB",
    "毫秒": "分钟",
    "秒": "小时",
    "bytes": "MB",
    "kB": "GB",
}
_STATES = {
    "failed": "succeeded", "firing": "resolved", "resolved": "firing", "refused": "accepted", "idle": "active",
    "active": "idle", "timed out": "completed", "started": "stopped", "exhausted": "idle", "rejected": "accepted",
    "失败": "成功", "触发": "恢复", "空闲": "活跃", "活跃": "空闲", "超时": "完成", "耗尽": "空闲", "拒绝": "接受",
    "down": "up", "exited": "started", "denied": "allowed", "killed": "started", "slow": "fast", "ready": "stopped",
}  # fmt: skip
_VERBS = re.compile(r"\b(is|was|were|are|has|had|have)\b")


def another_number(claim: str, texts: list[str], dice: random.Random) -> Case | None:
    found = list(_NUMBER.finditer(claim))
    if not found:
        return None
    at = dice.choice(found)
    digits = at.group()
    for _ in range(8):
        place = dice.randrange(len(digits))
        if not digits[place].isdigit():
            continue
        other = digits[:place] + str((int(digits[place]) + dice.randint(1, 8)) % 10) + digits[place + 1 :]
        known = any(re.search(rf"(?<![\d.]){re.escape(other)}(?![\d.])", text) for text in texts)
        bounded = re.search(r"over|above|below|about|超过|约|at most", claim)
        if other.strip("0.") and not known and not bounded and not other.startswith("0"):
            return claim[: at.start()] + other + claim[at.end() :], texts
    return None


def another_label(claim: str, texts: list[str], dice: random.Random) -> Case | None:
    fields = {key: value for text in texts for key, value in _FIELD.findall(text)}
    used = [
        (key, value)
        for key, value in fields.items()
        if re.search(rf"\b{key}\b", claim) and re.search(rf"(?<![\d.]){value}(?![\d.])", claim)
    ]
    if not used:
        return None
    key, value = dice.choice(used)
    others = [other for other, number in fields.items() if number != value and other != key and other not in claim]
    return (re.sub(rf"\b{key}\b", dice.choice(others), claim), texts) if others else None


def another_unit(claim: str, texts: list[str], _dice: random.Random) -> Case | None:
    for unit, other in _UNITS.items():
        changed = re.sub(rf"(\d ?){unit}(?![A-Za-z])", rf"\g<1>{other}", claim, count=1)
        if changed != claim:
            return changed, texts
    return None


def another_entity(claim: str, texts: list[str], dice: random.Random) -> Case | None:
    names = _NAME.findall(claim)
    if not names:
        return None
    name = dice.choice(names)
    last = name[-1]
    other = name[:-1] + (str((int(last) + 3) % 10) if last.isdigit() else ("x" if last != "x" else "y"))
    return None if any(other in text for text in texts) else (claim.replace(name, other), texts)


def another_state(claim: str, texts: list[str], dice: random.Random) -> Case | None:
    states = [state for state in _STATES if re.search(rf"(?<!\w){state}(?!\w)" if state.isascii() else state, claim)]
    if not states:
        return None
    state = dice.choice(states)
    other = _STATES[state]
    return None if any(other in text.lower() for text in texts) else (claim.replace(state, other), texts)


def turned_negation(claim: str, texts: list[str], _dice: random.Random) -> Case | None:
    if re.search(r"\b(?:not|no|could|cannot|without)\b|n't|没|未|无|不", claim):
        return None
    verb = _VERBS.search(claim)
    if verb is not None and verb.group() in ("is", "was", "were", "are"):
        return claim[: verb.end()] + " not" + claim[verb.end() :], texts
    for state in ("failed", "refused", "timed out", "exited", "detected", "失败", "超时", "检测到"):
        if state in claim:
            return claim.replace(state, ("未" if state[0] > "\u3400" else "never ") + state, 1), texts
    return None


def another_time(claim: str, texts: list[str], dice: random.Random) -> Case | None:
    hour, minute = dice.randint(0, 21), dice.randint(0, 59)
    if re.search(r"\d:\d\d", claim):
        return None
    return (
        f"At {hour:02}:{minute:02}:07 UTC {claim}" if dice.random() < 0.5 else f"{claim} at {hour:02}:{minute:02}:07"
    ), texts


def added_order(claim: str, texts: list[str], dice: random.Random) -> Case | None:
    added = [" before the restart", " after the deployment", "，随后服务重启", " and then the node rebooted"]
    return claim + dice.choice(added), texts


def added_cause(claim: str, texts: list[str], dice: random.Random) -> Case | None:
    added = [
        " because of a memory leak",
        " due to a slow query",
        "，原因是内存泄漏",
        ", caused by the deployment",
        "，由于网络抖动",
    ]
    return claim + dice.choice(added), texts


def added_scope(claim: str, texts: list[str], dice: random.Random) -> Case | None:
    added = ["All the time ", "In every cluster ", "Only ", "Always: ", "所有集群中 "]
    added = [words for words in added if words != "Only " or not re.search(r"free|left|remain|available", claim)]
    return dice.choice(added) + claim, texts


def one_alternative(claim: str, texts: list[str], dice: random.Random) -> Case | None:
    if re.search(r"=|firing|resolved|pending|HTTP/|[;.] ", texts[0]):
        return None
    changed = [f"it is possible that {texts[0]}"]
    if not re.search(r"[,，.:：;] ?| and ", texts[0][20:]):
        changed.append(f"{texts[0]} or a cable is loose")
    return claim, [dice.choice(changed)]


def guess_as_fact(claim: str, texts: list[str], dice: random.Random) -> Case | None:
    if re.search(r"=|firing|resolved|pending|HTTP/|\": |[;.] ", texts[0]):
        return None
    heads = ["drill: pretend that ", "if ", "演练：假设 ", "could not confirm that ", "simulated: "]
    message = texts[0].split(" ", 1)[1] if " " in texts[0] else texts[0]
    return claim, [dice.choice(heads) + message]


def swapped_roles(claim: str, texts: list[str], _dice: random.Random) -> Case | None:
    swapped = re.sub(
        r"\b([a-z]+-[a-z0-9]+)( (?:called|rejected|blocked|replaced|refused) )([a-z]+-[a-z0-9]+)", r"\3\2\1", claim
    )
    return (swapped, texts) if swapped != claim else None


def added_future(claim: str, texts: list[str], dice: random.Random) -> Case | None:
    return claim + dice.choice(
        [" and will do so again", "，并且很快会再次发生", " and customers are affected", " and is fixed"]
    ), texts


KINDS: dict[str, Maker] = {
    "number": another_number, "label": another_label, "unit": another_unit, "entity": another_entity,
    "state": another_state, "negation": turned_negation, "time": another_time, "order": added_order,
    "cause": added_cause, "scope": added_scope, "alternative": one_alternative, "modality": guess_as_fact,
    "role swap": swapped_roles, "future": added_future,
}  # fmt: skip


def falsehoods(claims: list[Case], seed: int) -> Iterator[tuple[str, str, list[str]]]:
    """(kind, claim, records) without end, drawn from right claims."""
    dice = random.Random(seed)
    while True:
        claim, texts = dice.choice(claims)
        kind = dice.choice(list(KINDS))
        made = KINDS[kind](claim, texts, dice)
        if made is not None and made != (claim, texts):
            yield kind, *made
