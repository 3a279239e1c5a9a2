"""What the source may not name: the proper names of the shipped incidents, and how it came to be."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "superbizagent"
# Services, pools and files of the shipped and evaluation incidents. Products (nginx, HikariCP …) are the field's words.
PROPER_NAMES = re.compile(
    r"order-service|OrderService|HikariPool-\d|HikariPoolExhausted|OrderFailureRateHigh|HighMemoryUsage|com\.shop\.|"
    r"nginx-(?:access|error)\.log|\b(?:checkout|upload-service|session-api|session-store|billing|payout)\b",
    re.IGNORECASE,
)


def texts() -> list[Path]:
    suffixes = {".py", ".toml", ".tsv", ".md", ".json", ".yaml"}
    return [
        path
        for path in sorted(SOURCE.rglob("*"))
        if path.suffix in suffixes and "demo_data" not in path.parts and "__pycache__" not in path.parts
    ]


@pytest.mark.parametrize("path", texts(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_source_names_no_shipped_incident(path: Path) -> None:
    assert PROPER_NAMES.findall(path.read_text(encoding="utf-8")) == []
