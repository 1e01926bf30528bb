"""One data model, two renderings: a self-contained HTML page and its Markdown twin."""

from eval.report.render import render_html, render_markdown, write_report

__all__ = ["render_html", "render_markdown", "write_report"]
