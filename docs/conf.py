"""The documentation as a site: sphinx-build docs FOLDER. bin/test builds it and refuses a broken link."""

project = "ADE"
author = copyright = "the ADE authors"  # noqa: A001 - Sphinx asks for this name
extensions = ["myst_parser"]
root_doc = "index"
exclude_patterns = ["README.md"]  # shown on the first page
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
html_theme = "furo"
html_title = "ADE"
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 3
