"""Sphinx's settings for the site: `make site`. Nothing on a page comes from another host."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import gather
import opening
from docutils import nodes
from docutils.utils.math import latex2mathml
from pygments.lexers.special import TextLexer
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

_REPOSITORY = opening.repository(gather.ROOT)

project = "Five Passes to One"
author = "the authors of Five Passes to One"
project_copyright = author
extensions = ["myst_nb"]
language = "en"
html_use_index = False

nb_execution_mode = "off"  # the lessons are executed by tools/build.py
nb_number_source_lines = False
myst_enable_extensions = ["attrs_block", "dollarmath"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = project
html_static_path = [str(pathlib.Path(__file__).parent / "static")]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


def _formula(translator, node) -> None:
    """Formulas as MathML, which browsers draw without a script."""
    translator.body.append(latex2mathml.tex2mathml(node.astext(), as_block=node.tagname == "math_block"))
    raise nodes.SkipNode


class Elsewhere(SphinxPostTransform):
    """Links to files of the repository that are no pages lead to GitHub; without a repository they are plain words."""

    default_priority = 5  # before MyST looks for a page

    def run(self, **kwargs) -> None:
        """Replace them in one page."""
        for link in list(self.document.findall(addnodes.pending_xref)):
            words = link[0].deepcopy() if link.children else nodes.literal(text=link["reftarget"])
            address = self._address(link["refdoc"], link.get("reftarget", ""))
            if address is not None:
                link.replace_self(nodes.reference("", "", words, refuri=address) if address else words)

    def _address(self, page: str, target: str) -> str | None:
        """Where a link leads, "" for nowhere, None where it is MyST's to say."""
        path = pathlib.Path(os.path.normpath((gather.ROOT / page).parent / target.partition("#")[0]))
        if not target or target.startswith("#") or not path.exists():
            return None
        path = path.resolve().relative_to(gather.ROOT)
        if path.match("solutions/*.ipynb"):
            return self.app.builder.get_relative_uri(page, f"notebooks/{path.stem}")
        if path.as_posix() == "README.md":
            return self.app.builder.get_relative_uri(page, "index")
        return opening.file(path.as_posix(), _REPOSITORY) if _REPOSITORY else ""


def _level(app, page: str, template: str, context: dict, doctree) -> None:
    """Say how deep the captions of the list of pages are: a screen reader asks, and Sphinx leaves it out."""
    tree = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')


def setup(app: Sphinx) -> None:
    """Register what the settings name."""
    app.add_html_math_renderer("mathml", (_formula, None), (_formula, None))
    app.add_post_transform(Elsewhere)
    app.connect("html-page-context", _level, priority=900)  # after the theme
    app.add_lexer("mermaid", TextLexer)  # its script would come from another host
