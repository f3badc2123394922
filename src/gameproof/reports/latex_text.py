r"""Write any text so that a stock LaTeX sets it: its special characters escaped, Unicode handled.

pdfLaTeX knows the Latin letters of T1; for everything else it gets the number of the character, while LuaLaTeX
and XeLaTeX get the character itself (``\gpchar`` of the preamble).
"""

from gameproof.reports.printable import printable

__all__ = ["PREAMBLE", "safe_latex"]

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "-": r"-{}",  # two of them are no dash
    ",": ",{}",  # the same for commas, which T1 joins to a quotation mark
    "?": "?{}",
    "!": "!{}",
    "\t": " ",
    "\n": " ",
    "\N{NO-BREAK SPACE}": "~",
    "\N{MINUS SIGN}": r"\ensuremath{-}",
    "\N{EN DASH}": r"\textendash{}",
    "\N{EM DASH}": r"\textemdash{}",
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
    "\N{LEFT DOUBLE QUOTATION MARK}": r"\textquotedblleft{}",
    "\N{RIGHT DOUBLE QUOTATION MARK}": r"\textquotedblright{}",
    "\N{LEFT SINGLE QUOTATION MARK}": r"\textquoteleft{}",
    "\N{RIGHT SINGLE QUOTATION MARK}": r"\textquoteright{}",
    "\N{CHECK MARK}": r"\ensuremath{\surd}",
    "\N{PLUS-MINUS SIGN}": r"\ensuremath{\pm}",
    "\N{MULTIPLICATION SIGN}": r"\ensuremath{\times}",
    "\N{INFINITY}": r"\ensuremath{\infty}",
    "\N{LESS-THAN OR EQUAL TO}": r"\ensuremath{\leq}",
    "\N{GREATER-THAN OR EQUAL TO}": r"\ensuremath{\geq}",
    "\N{RIGHTWARDS ARROW}": r"\ensuremath{\rightarrow}",
    "\N{MIDDLE DOT}": r"\ensuremath{\cdot}",
    "\N{GREEK SMALL LETTER RHO}": r"\ensuremath{\rho}",
    "\N{GREEK SMALL LETTER CHI}": r"\ensuremath{\chi}",
}
# Letters that the T1 encoding of pdfLaTeX has.
LATIN = frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ"
    "ĂăĄąĆćČčĎďĐđĘęĚěĞğĹĺĽľŁłŃńŇňŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŹźŻżŽž"
)

PREAMBLE = r"""\usepackage[T1]{fontenc}
\ifdefined\Umathchar\else\usepackage[utf8]{inputenc}\fi
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage{textcomp}
\usepackage{booktabs}
\usepackage{xcolor}
\providecommand{\gpchar}[2]{\ifdefined\Umathchar #2\else\texttt{U+#1}\fi}"""


def safe_latex(text: str) -> str:
    r"""Return a text as LaTeX sets it character by character.

    Example:
        >>> safe_latex("50% of $x_1$")
        '50\\% of \\$x\\_1\\$'
        >>> safe_latex("\N{GREEK SMALL LETTER OMEGA}")
        '\\gpchar{03C9}{ω}'
    """
    return "".join(_character(character) for character in printable(text))


def _character(character: str) -> str:
    known = SPECIAL.get(character)
    if known is not None:
        return known
    if character in LATIN or " " <= character <= "~":
        return character
    return rf"\gpchar{{{ord(character):04X}}}{{{character}}}"
