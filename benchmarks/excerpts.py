"""How fast excerpts are judged, beside plain containment with the same folding and beside a similarity score.

Run: `python benchmarks/excerpts.py` (development dependencies). One core, one process; every figure is the best of
several rounds over the same pairs, texts cached as they are when several bindings cite one record. The last lines say
what a similarity threshold would accept of the altered excerpts of the authenticity set, and what the rule accepts.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path

from rapidfuzz.fuzz import partial_ratio

from superbizagent.rules.excerpt import compare
from superbizagent.rules.normal_form import fold, lowered, spaced

DATA = Path(__file__).parents[1] / "tests" / "data" / "authenticity" / "authenticity.jsonl"
FALSE = ("altered", "other_record", "unrelated")
ROUNDS = 7
THRESHOLD = 90

Pair = tuple[str, str]


def pairs_of() -> dict[str, list[Pair]]:
    """Excerpts with their texts: as they stand, in other formatting, cut with a mark, and false."""
    groups: dict[str, list[Pair]] = {"exact": [], "formatted": [], "elided": [], "false": []}
    for line in DATA.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        pair = (row["claim"], row["evidence"])
        if row["label"] in FALSE:
            groups["false"].append(pair)
        elif row["kind"] in ("exact", "substring"):
            groups["exact"].append(pair)
        elif row["kind"] == "truncated_ellipsis":
            groups["elided"].append(pair)
        elif row["label"] == "authentic":
            groups["formatted"].append(pair)
    return groups


def microseconds(judge: Callable[[str, str], object], pairs: list[Pair]) -> float:
    """The best time for one pair, in microseconds."""
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for excerpt, text in pairs:
            judge(excerpt, text)
        best = min(best, time.perf_counter() - started)
    return best / len(pairs) * 1e6


def folded(text: str) -> str:
    """The normal form alone: what plain containment would compare."""
    return lowered(spaced(fold(text)))


def main() -> None:
    """Measure and print."""
    groups = pairs_of()
    texts = {text: folded(text) for pairs in groups.values() for _, text in pairs}

    def contained(excerpt: str, text: str) -> bool:
        return folded(excerpt) in texts[text]

    columns = ("rule", "per second", "containment", "ratio", "partial_ratio", "ratio")
    print(f"{'pairs':18}" + "".join(f"{column:>14}" for column in columns))
    for name, pairs in groups.items():
        rule, plain, score = (microseconds(judge, pairs) for judge in (compare, contained, partial_ratio))
        figures = [f"{rule:.1f} µs", f"{1e6 / rule:,.0f}", f"{plain:.1f} µs", f"{rule / plain:.1f}"]
        figures += [f"{score:.1f} µs", f"{rule / score:.2f}"]
        print(f"{name:12}{len(pairs):6}" + "".join(f"{figure:>14}" for figure in figures))
    false, honest = groups["false"], groups["exact"] + groups["formatted"] + groups["elided"]
    by_score = sum(partial_ratio(excerpt, text) >= THRESHOLD for excerpt, text in false)
    by_plain = sum(contained(excerpt, text) for excerpt, text in honest)
    by_rule = sum(compare(excerpt, text).match is not None for excerpt, text in false)
    kept = sum(compare(excerpt, text).match is not None for excerpt, text in honest)
    print(f"\npartial_ratio >= {THRESHOLD} accepts {by_score} of {len(false)} false excerpts, the rule {by_rule}")
    print(f"plain containment accepts {by_plain} of {len(honest)} honest excerpts, the rule {kept}")


if __name__ == "__main__":
    main()
