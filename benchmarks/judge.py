"""How many claims the deterministic judge decides a second, beside the excerpt check of the same bindings.

Both are measured in one run, in turns, so that their ratio holds on a loaded machine. Records are read anew for each
claim (their cache is emptied): in a run of the product each record is read once. Cost grows with the text of the cited
records and with the words of the claim times the bindings.
"""

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from superbizagent.contract.vocabulary import EvidenceKind
from superbizagent.rules.derivability.record import read_record
from superbizagent.rules.excerpt import compare
from superbizagent.rules.judging import Proof, judge

CLAIMS = Path(__file__).parent.parent / "evals" / "claims"
ROUNDS = 5
SIZES = (1, 10, 100)


def rows() -> list[dict[str, str]]:
    """The claims over single records that the evaluation folder holds."""
    return [json.loads(line) for path in sorted(CLAIMS.glob("*.jsonl")) for line in path.open(encoding="utf-8")]


def proofs_of(row: dict[str, str], others: list[dict[str, str]], size: int) -> list[Proof]:
    """The row's own binding first, then those of other rows."""
    cited = [row, *others[: size - 1]]
    return [Proof(one["excerpt"], one["record"], EvidenceKind.INCIDENT, "query_logs", 1, "$.logs[0]") for one in cited]


def timed(work: Callable[[], None], count: int) -> float:
    """Seconds of processor time for each of `count` claims."""
    started = time.process_time()
    work()
    return (time.process_time() - started) / count


def main() -> None:
    """Print, for each number of bindings, claims a second and the ratio to the excerpt check."""
    claims = rows()
    print(f"{len(claims)} claims, {ROUNDS} rounds, one core, medians")
    for size in SIZES:
        part = claims[:: max(1, size // 4)]
        cases = [(row["claim"], proofs_of(row, claims[at + 1 :] + claims[:at], size)) for at, row in enumerate(part)]

        def judged(cases: list[tuple[str, list[Proof]]] = cases) -> None:
            for text, proofs in cases:
                read_record.cache_clear()
                judge(text, None, proofs)

        def compared(cases: list[tuple[str, list[Proof]]] = cases) -> None:
            for _text, proofs in cases:
                for proof in proofs:
                    compare(proof.excerpt, proof.text)

        pairs = [(timed(judged, len(cases)), timed(compared, len(cases))) for _ in range(ROUNDS)]
        own = statistics.median(pair[0] for pair in pairs)
        ratio = statistics.median(pair[0] / pair[1] for pair in pairs)
        print(
            f"{size:>4} bindings: {own * 1000:7.2f} ms a claim, {1 / own:6.0f} a second, {ratio:5.1f} x excerpt check"
        )


if __name__ == "__main__":
    main()
