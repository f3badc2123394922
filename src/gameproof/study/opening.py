"""Open a study's data, whatever form they are in: a database, an export, or the layout that paper 2 released."""

from pathlib import Path

from gameproof.errors import InputError
from gameproof.study.layout import is_layout, read_layout
from gameproof.study.model import Study
from gameproof.study.record import StudyRecord, record_study
from gameproof.study.store import Store, is_database, open_store
from gameproof.study.study_file import parse_study

__all__ = ["open_record", "record_store", "stored_study"]


def open_record(data: str | Path) -> StudyRecord:
    """Read a study's data.

    Args:
        data: An SQLite file or the address of a database, a folder with ``results/*.json``, or a .zip of one.

    Raises:
        InputError: It is none of these, or holds no study.
        DataError: Annotations lack what they need.
    """
    if is_database(data):
        store = open_store(data, create=False)
        try:
            return record_store(store)
        finally:
            store.close()
    path = Path(data)
    if not path.exists():
        raise InputError(
            f"there is no {path}.", hint="Expected a study's database, an export's folder, or a .zip of one."
        )
    if is_layout(path):
        return read_layout(path)
    raise InputError(
        f"{path} holds no study's data: it is no database of one, and has no results/*.json.",
        hint="`gameproof study export` writes such a folder; paper 2's released data have the same layout.",
    )


def record_store(store: Store) -> StudyRecord:
    """Read the data of an open database.

    Raises:
        InputError: No study was ever served from it.
    """
    return record_study(stored_study(store), store.all_events(), n_deleted=store.n_deleted())


def stored_study(store: Store) -> Study:
    """Return the study as it was served last, from the text that the database keeps.

    Raises:
        InputError: No study was ever served from it.
    """
    source = store.study_source()
    if source is None:
        raise InputError(
            "the database holds no study yet.", hint="`gameproof study serve` or `study invite` begins one."
        )
    return parse_study(source, check_paths=False)
