"""Wall time of whole commands beside `python -c pass`, in one run: medians and ratios.

    python benchmarks/commands.py

These figures drift with the machine; the ratios are what to compare.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 9
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "sba --help": [sys.executable, "-m", "superbizagent", "--help"],
    "sba demo": [sys.executable, "-m", "superbizagent", "demo"],
    "sba demo (zh)": [sys.executable, "-m", "superbizagent", "demo", "order-service 的数据库连接池是不是耗尽了？"],
}


def main() -> None:
    """Run the commands in turn and print their medians."""
    with tempfile.TemporaryDirectory() as place:
        environment = {**os.environ, "SBA_STORE__PATH": str(Path(place) / "sba.db")}
        times: dict[str, list[float]] = {name: [] for name in COMMANDS}
        for number in range(RUNS + 1):
            for name, command in COMMANDS.items():
                started = time.perf_counter()
                subprocess.run(command, capture_output=True, env=environment, check=False)
                if number:
                    times[name].append(time.perf_counter() - started)
    floor = statistics.median(times["python -c pass"])
    print(f"{'command':<18}{'median s':>10}{'min s':>9}{'max s':>9}{'ratio':>8}")
    for name, seconds in times.items():
        median = statistics.median(seconds)
        print(f"{name:<18}{median:>10.3f}{min(seconds):>9.3f}{max(seconds):>9.3f}{median / floor:>8.1f}")


if __name__ == "__main__":
    main()
