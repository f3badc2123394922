import re
import shutil
import subprocess
from dataclasses import replace

import pytest
from tests.support.fake_results import fake_result
from tests.support.fake_runs import HOSTILE, fake_run, hostile_run

from gameproof.reports.html import ReportedRun
from gameproof.reports.latex import latex_tables, render_latex
from gameproof.reports.latex_text import safe_latex

AWKWARD = "a\\b{c}$d&e#f^g_h~i%j<k>l|m\"n'o`p--q,,r?`s é Ł ß \N{MINUS SIGN} \N{EN DASH} — … ✓ ≤ \N{GREEK SMALL LETTER RHO} 中文 😀 نص \u0301 ﬁ \x07"


def compile_latex(folder, text):
    (folder / "tables.tex").write_text(text, encoding="utf-8")
    words = [
        "pdflatex",
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-no-shell-escape",
        "-draftmode",
        "tables.tex",
    ]
    done = subprocess.run(words, cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2_000:]


needs_tex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")


@needs_tex
@pytest.mark.parametrize("n_runs", [1, 8])
def test_the_tables_compile_with_a_stock_tex(tmp_path, n_runs):
    compile_latex(tmp_path, render_latex([fake_run()] * n_runs))


@needs_tex
@pytest.mark.parametrize("text", [HOSTILE, AWKWARD, "\\input{x}\\write18{ls}%", "]", "[x]"])
def test_any_text_compiles_and_nothing_in_it_is_a_command(tmp_path, text):
    compile_latex(tmp_path, render_latex([hostile_run(text), fake_run()]))


@needs_tex
def test_no_metric_at_all_compiles(tmp_path):
    compile_latex(tmp_path, render_latex([ReportedRun(result=replace(fake_result(), metrics=()))]))


def test_every_special_character_is_escaped():
    for character in "\\{}$&#^_~%":
        written = safe_latex(character)
        assert written != character
        assert re.fullmatch(r"\\[{}$&#%_]|\\text[a-z]+\{\}", written)


def test_letters_of_other_scripts_keep_their_number():
    assert safe_latex("中") == r"\gpchar{4E2D}{中}"


def test_the_layouts_are_those_of_the_papers():
    tables = latex_tables([fake_run()])

    assert list(tables) == [
        "correlation",
        "degradation",
        "degradation_papers",
        "degradation_smd",
        "manipulation",
        "manipulation_papers",
        "manipulation_smd",
    ]
    assert r"\emph{Mutual-{}information metrics}" in tables["degradation"]
    assert r"\textbf{\textcolor[HTML]{B3261E}{M}}" in tables["manipulation"]
    assert "$m=" in tables["degradation"]
    assert r"\toprule" in tables["correlation"]


def test_a_table_has_as_many_cells_in_every_row():
    for name, table in latex_tables([fake_run(), fake_run()]).items():
        body = table[
            table.index(r"\toprule") : table.index(
                r"\bottomrule" if "smd" not in name else r"\end{longtable}"
            )
        ]
        rows = [line for line in body.splitlines() if line.endswith(r"\\") and "multicolumn" not in line]
        assert len({line.count(" & ") for line in rows}) == 1
