"""The access lab in a page: what a warp's request touches and costs, at readers' settings.

    <!-- lab memory=shared shape=1x32 -->

on a line of its own makes a lab that begins with this setting; lab_rules.js (FIELDS) has the fields
and their values. A second lab on a page needs a name of its own, `id=NAME`. Readers without scripts
see the setting's code, drawing and counts, made by the same rules when the site is built.
"""

import highlight
import node
import staging
import templates
from directives import directive

# One script and one style for all pages with labs or stories (stories.py), which share rules.
PARTS = {"lab.js": ("lab_rules.js", "lab_drawing.js", "lab.js", "story_shapes.js",
                    "product_stories.js", "stories.js", "story.js"),
         "lab.css": ("lab.css", "story.css")}


@directive("lab")
def make(page, *arguments):
    """The HTML of a lab; `arguments`: FIELD=VALUE..."""
    fields = dict(argument.split("=", 1) for argument in arguments)
    name = fields.pop("id", "lab")
    [view] = node.run("lab_cli.js", ["&".join(f"{field}={fields[field]}" for field in fields)])
    for field, value in fields.items():
        if str(view["setting"].get(field)) != value and field != "lanes":
            raise staging.Fault(f"{page.source}: a lab has no setting {field}={value}")
    return templates.part("lab", name, view, highlight.to_html("\n".join(view["code"]), "cpp"))


def assets(out):
    for made, parts in PARTS.items():
        texts = [(node.HERE / name).read_text(encoding="utf-8") for name in parts]
        (out / made).write_text("\n".join(texts), encoding="utf-8")
