"""What all tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A test says what is right, not how long it takes: a busy machine must not fail one.
settings.register_profile("gameproof", deadline=None)
settings.load_profile("gameproof")

# METEOR's words of these tests: a cut of WordNet, so that they need no data of the machine.
os.environ["GAMEPROOF_WORDNET"] = str(Path(__file__).parent / "data" / "wordnet")

# Scripts that run in environments of other programs: they are no tests, and their imports are not here.
collect_ignore_glob = ["golden/battery/by_*.py", "hosts/*"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-e2e", action="store_true", help="also run tests that install the wheel")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--run-e2e"):
        return
    skip = pytest.mark.skip(reason="needs --run-e2e: installs the wheel into a fresh environment")
    for item in items:
        if "tests/e2e" in str(item.path):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def shared_folder() -> Path:
    """Return the folder with rated data and published tables that may lie beside the checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if folder.is_dir():
        return folder
    message = "the rated data sets are not beside this checkout"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)
