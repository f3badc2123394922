"""The report as one HTML page; each section has a file of its own."""

from gameproof.reports.html.page import render_html, render_page
from gameproof.reports.html.run import ReportedRun

__all__ = ["ReportedRun", "render_html", "render_page"]
