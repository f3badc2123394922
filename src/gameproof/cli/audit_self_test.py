"""``gameproof audit --self-test``: can the audit itself be believed?"""

from collections.abc import Mapping
from dataclasses import asdict

from gameproof.cli.printing import print_json, print_rows, say, stdout_console
from gameproof.cli.progress import show_progress
from gameproof.errors import PlanError

__all__ = ["show_self_test"]

EXIT_AS_PLANTED = 0
EXIT_MISSED = 3
TAKES = frozenset({"seed"})
MEANING = {
    EXIT_AS_PLANTED: "the audit says of every planted metric what is true",
    EXIT_MISSED: "the audit does not say of every planted metric what is true, and is not to be believed",
}


def show_self_test(given: Mapping[str, object], *, json: bool, quiet: bool) -> int:
    """Run the self-test, print what it found, and return the exit code: 0 as planted, 3 if anything was missed.

    Raises:
        PlanError: An option was given that the self-test cannot follow.
    """
    others = sorted(set(given) - TAKES)
    if others:
        raise PlanError(
            f"--self-test makes its own data and metrics, and cannot use {', '.join(others)}.",
            hint="It takes --seed, --json and --quiet.",
        )
    with show_progress(quiet=quiet or json) as progress:
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them
        from gameproof.reports import self_test  # noqa: PLC0415

        seed = given.get("seed", 0)
        result = _bridge.run(aio.self_test(seed=seed if isinstance(seed, int) else 0, progress=progress))
    code = EXIT_AS_PLANTED if result.as_planted else EXIT_MISSED
    lines = [self_test.conclusion(result), *(f"Not as planted: {line}" for line in self_test.misses(result))]
    if json:
        print_json({"as_planted": result.as_planted, **asdict(result)})
        say("\n".join(lines))
        return code
    print_rows(self_test.describe_rows(result), self_test.COLUMNS)
    for line in ("", *lines, f"Exit code {code}: {MEANING[code]}."):
        stdout_console().print(line, markup=False)
    return code
