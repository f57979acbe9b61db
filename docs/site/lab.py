"""The access lab in a page: what a warp's request touches and costs, at readers' settings.

    <!-- lab memory=shared shape=1x32 -->

on a line of its own makes a lab that begins with this setting; lab_rules.js (FIELDS) has the fields
and their values. A second lab on a page needs a name of its own, `id=NAME`. Readers without scripts
see the setting's code, drawing and counts, made by the same rules when the site is built.
"""

import functools
import html
import json
import pathlib
import subprocess

import highlight
import staging

HERE = pathlib.Path(__file__).resolve().parent
# The stories (stories.py) share the rules of the lab.
SCRIPTS = ("lab_rules.js", "lab_drawing.js", "lab.js", "story_shapes.js", "product_stories.js",
           "stories.js", "story.js")
STYLES = ("lab.css", "story.css")


@functools.cache
def view_of(text):
    """lab_cli.js's answer for a setting, given as `memory=shared&stride=2`."""
    done = subprocess.run(["node", HERE / "lab_cli.js"], input=json.dumps([text]),
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise staging.Fault(done.stderr)
    return json.loads(done.stdout)[0]


def make(page, arguments):
    """The HTML of a lab; `arguments`: FIELD=VALUE..."""
    fields = dict(argument.split("=", 1) for argument in arguments)
    name = fields.pop("id", "lab")
    view = view_of("&".join(f"{field}={value}" for field, value in fields.items()))
    for field, value in fields.items():
        if str(view["setting"].get(field)) != value and field != "lanes":
            raise staging.Fault(f"{page.source}: a lab has no setting {field}={value}")
    code = highlight.to_html("\n".join(view["code"]), "cpp")
    return (f'<section class="lab" id="{name}" data-setting="{html.escape(view["text"])}" '
            f'aria-label="Access lab, {view["setting"]["memory"]} memory">'
            f'<pre tabindex="0"><code>{code}</code></pre>'
            f'<div class="scroll" tabindex="0">{view["svg"]}</div>'
            f'<p><b>{view["count"]}</b> for the request of a warp. '
            f'{html.escape(view["details"])}</p>'
            f'<p class="hint">{view["legend"]}</p></section>')


def head(body):
    """The lines in the head of a page that has a lab, a story or a drawing like theirs; else none."""
    is_live = '<section class="lab"' in body or '<section class="story"' in body
    if not is_live and 'class="lab-drawing' not in body:
        return ""
    script = '<script src="lab.js" defer></script>\n' if is_live else ""
    return f'<link rel="stylesheet" href="lab.css">\n{script}'


def assets(out):
    """Writes one style and one script for all pages with labs or stories into the site's folder."""
    for made, parts in (("lab.css", STYLES), ("lab.js", SCRIPTS)):
        texts = [(HERE / name).read_text(encoding="utf-8") for name in parts]
        (out / made).write_text("\n".join(texts), encoding="utf-8")
