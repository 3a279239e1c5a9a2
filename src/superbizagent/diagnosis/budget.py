"""What one question may use: rounds, tool calls and wall time.

Decides: when it is used up. Refuses: to stop anything itself; it raises, and whoever asked says so. The defaults are
those of the extractive engine on a folder of up to 200 MB. Monotonic time comes in as a function, so that tests own it.
"""

from collections.abc import Callable

from superbizagent.contract.errors import BudgetExceeded

DEFAULT_ROUNDS = 6
DEFAULT_CALLS = 8
DEFAULT_SECONDS = 10.0


class QuestionBudget:
    """Implements `ports.Budget` over a monotonic clock (seconds)."""

    def __init__(
        self,
        monotonic: Callable[[], float],
        *,
        rounds: int = DEFAULT_ROUNDS,
        calls: int = DEFAULT_CALLS,
        seconds: float = DEFAULT_SECONDS,
    ) -> None:
        self._monotonic = monotonic
        self._deadline = monotonic() + seconds
        self._seconds = seconds
        self._rounds_left = rounds
        self._calls_left = calls

    def spend_call(self) -> None:
        """Use one tool call.

        Raises:
            BudgetExceeded: no call or no time is left.
        """
        self._check_time()
        if self._calls_left <= 0:
            raise BudgetExceeded("the question's tool calls are used up", "Ask a narrower question.")
        self._calls_left -= 1

    def spend_round(self) -> None:
        """Use one round of planning and executing.

        Raises:
            BudgetExceeded: no round or no time is left.
        """
        self._check_time()
        if self._rounds_left <= 0:
            raise BudgetExceeded("the question's rounds are used up", "Ask a narrower question.")
        self._rounds_left -= 1

    @property
    def seconds_left(self) -> float:
        """Wall time that is left, never below 0."""
        return max(0.0, self._deadline - self._monotonic())

    def _check_time(self) -> None:
        if self.seconds_left <= 0:
            raise out_of_time(self._seconds)


def out_of_time(seconds: float) -> BudgetExceeded:
    """The error for a question that took longer than `seconds`."""
    return BudgetExceeded(
        f"the question took longer than {seconds:g} s",
        "Name a smaller folder, a narrower window, or raise budget.seconds.",
    )
