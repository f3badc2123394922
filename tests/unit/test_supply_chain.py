"""What comes with gameproof, and what its code may not do."""

import ast
import sys
from pathlib import Path

import pytest
from tests.support import licences

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
# Each turns data into code, or a text into a command.
FORBIDDEN_CALLS = {
    "eval", "exec", "compile", "os.system", "os.popen", "yaml.load", "yaml.unsafe_load", "subprocess.getoutput", "torch.load",
    "pickle.load", "pickle.loads", "marshal.load", "marshal.loads", "shelve.open", "numpy.load", "joblib.load", "pandas.read_pickle",
}  # fmt: skip


def calls():
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                yield path, node, {word.arg: word.value for word in node.keywords}


def test_no_data_is_run_as_code_and_no_text_as_a_command():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node.func)}"
        for path, node, words in calls()
        if ast.unparse(node.func) in FORBIDDEN_CALLS
        or (isinstance(shell := words.get("shell"), ast.expr) and not _is(shell, value=False))
        or _is(words.get("allow_pickle"), value=True)
        or _is(words.get("trust_remote_code"), value=True)
    ]
    assert found == []


def _is(node, *, value):
    return isinstance(node, ast.Constant) and node.value is value


def test_arrays_are_read_without_pickle():
    loads = [words for _, node, words in calls() if ast.unparse(node.func) == "np.load"]
    assert loads
    assert all(_is(words.get("allow_pickle"), value=False) for words in loads)


@pytest.mark.skipif(
    sys.platform != "linux" or sys.version_info[:2] != (3, 11), reason="the page is of Linux and Python 3.11"
)
def test_the_page_of_licences_is_what_the_packages_say():
    # After a change on purpose: .venv/bin/python -m tests.support.licences > docs/licences.md
    listed = {
        line.split(" | ")[0] for line in licences.LISTED.read_text("utf-8").splitlines() if " | " in line
    }
    assert listed == {line.split(" | ")[0] for line in licences.render().splitlines() if " | " in line}


def test_nothing_that_is_installed_is_under_the_gpl():
    stated = {name: licences.licence_of(name) for name in licences.needed(licences.EXTRAS)}
    assert {name for name, licence in stated.items() if licences.is_copyleft(licence)} == set()
    assert {name for name, licence in stated.items() if licence == "not stated"} == set()


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("GPL-3.0-or-later", True),
        ("AGPL-3.0", True),
        ("GNU General Public License v3 (GPLv3)", True),
        ("LGPL-3.0-only", False),
        ("GNU Lesser General Public License v3 (LGPLv3)", False),
        ("Apache-2.0 AND MIT", False),
    ],
)
def test_a_gpl_is_known_by_any_of_its_names(licence, expected):
    assert licences.is_copyleft(licence) is expected
