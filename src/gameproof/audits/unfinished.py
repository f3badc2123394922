"""What a run that fails leaves in its folder: all that need not be done again, or nothing."""

from collections.abc import Generator
from contextlib import contextmanager, suppress

from gameproof.audits.run import ITEMS_FILE, PARTS_FOLDER, REVIEW_FILE, VARIANTS_FILE
from gameproof.engine.score_files import CONTRASTS_FILE, SCORES_FILE
from gameproof.errors import GameproofError
from gameproof.files import RunFolder

__all__ = ["begin_anew", "leave_no_half_run"]

MADE_BY_RULES = "perturb"  # the stage that takes no time unless a model writes
OF_A_RUN = (ITEMS_FILE, VARIANTS_FILE, REVIEW_FILE, SCORES_FILE, CONTRASTS_FILE)


def begin_anew(folder: RunFolder, *reports: str) -> None:
    """Remove the run that lies in a folder, with the reports that were made of it."""
    folder.clear([*OF_A_RUN, *reports])


@contextmanager
def leave_no_half_run(folder: RunFolder | None, result: str, *, rewritten: bool) -> Generator[None]:
    """Undo what a failed run has begun in its folder, unless something is done that need not be done again.

    What rules make of texts is not worth a folder without a result, unless the user has stopped the run: scores
    are, and texts that a model has written. Whatever is kept is said with the error.

    Args:
        folder: The run folder; None where nothing is written.
        result: The file that a finished run leaves.
        rewritten: Whether a model writes variants.
    """
    if folder is None:
        yield
        return
    plan, before = folder.plan, folder.stages
    try:
        yield
    except BaseException as error:
        done = {name for name, stage in folder.stages.items() if before.get(name) != stage}
        if not _has_parts(folder):
            worth = done if rewritten or not isinstance(error, Exception) else done - {MADE_BY_RULES}
            if not worth and not plan:
                folder.remove(OF_A_RUN)
                raise
        _tell(error, _what_is_there(folder, result, done=bool(done)))
        if not done and plan:
            folder.record_plan(plan)
        raise


def _has_parts(folder: RunFolder) -> bool:
    """Say whether finished parts of scores are there; an empty folder for them goes."""
    parts = folder.path / PARTS_FOLDER
    with suppress(OSError):
        parts.rmdir()
    return parts.is_dir()


def _what_is_there(folder: RunFolder, result: str, *, done: bool) -> str:
    if (folder.path / result).exists():
        return f"{folder.path} still has the report of the run before{', on other texts' if done else ''}."
    return f"What is done is kept in {folder.path}: the same command goes on from there."


def _tell(error: BaseException, said: str) -> None:
    if isinstance(error, GameproofError):
        error.hint = f"{error.hint}\n{said}" if error.hint else said
