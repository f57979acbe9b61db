#!/usr/bin/env python3
"""The bill of materials: every package that the project needs, from docs/pages/project.md's table.

    materials.py print    as CycloneDX, a JSON object, with the versions that are installed here
    materials.py check    holds the table against the commands that install, and npm's lock files

Exit code 1 if something is missing, or an npm package is not pinned.
"""

import base64
import json
import pathlib
import re
import signal
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/pages/project.md"
LOCKS = [ROOT / "docs/site/package-lock.json", ROOT / "docs/test/package-lock.json"]
# The files with commands that install packages.
INSTALLING = ("README.md", "CONTRIBUTING.md", "docs/pages/*.md", ".ci/*", ".github/workflows/*",
              "Dockerfile")
COMES_WITH = re.compile(r"; comes with `(.+?)`")


class Material:
    """A row of the table."""

    def __init__(self, cells):
        self.name = re.match("`(.+?)`", cells[0])[1]
        self.is_npm = cells[0].endswith("(npm)")
        self.purpose, self.license = cells[1:]

    @property
    def comes_with(self):
        found = COMES_WITH.search(self.purpose)
        return found and found[1]


def materials(text):
    rows = re.findall(r"^\| (`.+?) \| (.+?) \| (.+?) \|$", text, re.M)
    return [Material(row) for row in rows]


def installed_by_commands(root=ROOT):
    """The names of all packages that a command of ours has apt-get install."""
    names = set()
    for pattern in INSTALLING:
        for path in filter(pathlib.Path.is_file, root.glob(pattern)):
            text = path.read_text(encoding="utf-8").replace("\\\n", " ")
            for words in re.findall(r"apt-get install ([^&;|\n}]+)", text):
                names |= {word for word in words.split() if not word.startswith("-")}
    return names


def read_locks():
    return [json.loads(path.read_text(encoding="utf-8")) for path in LOCKS]


def npm_packages(locks):
    """Name -> entry of a lock file."""
    return {path.removeprefix("node_modules/"): entry
            for lock in locks for path, entry in lock["packages"].items() if path}


def npm_wanted(locks):
    """Name -> version, of those that are asked for; all others come with them."""
    return {name: version for lock in locks for group in ("dependencies", "devDependencies")
            for name, version in lock["packages"][""].get(group, {}).items()}


def is_pinned(entry):
    """Whether the entry has one version, and a hash of 512 bits."""
    kind, _, digest = entry.get("integrity", "").partition("-")
    try:
        whole = kind == "sha512" and len(base64.b64decode(digest, validate=True)) == 64
    except ValueError:
        whole = False
    return whole and bool(re.fullmatch(r"\d+\.\d+\.\d+", entry.get("version", "")))


def faults(text, installed, locks):
    """Everything that does not fit together, a line each."""
    listed = materials(text)
    packages, wanted = npm_packages(locks), npm_wanted(locks)
    debian = {one.name: one for one in listed if not one.is_npm}
    npm = {one.name: one for one in listed if one.is_npm}
    found = [f"{name}: installed by a command, but not listed"
             for name in sorted(installed - debian.keys())]
    found += [f"{name}: listed, but nothing installs it" for name, one in debian.items()
              if name not in installed and one.comes_with not in installed]
    found += [f"{name}: in one of the table and npm's lock files"
              for name in sorted(npm.keys() ^ wanted.keys())]
    found += [f"{name}: not pinned by version and hash" for name, entry in packages.items()
              if not is_pinned(entry)]
    found += [f"{name}: the lock file says {packages[name].get('license')}"
              for name, one in npm.items()
              if name in packages and packages[name].get("license") != one.license]
    found += [f"{name}: {version} is asked for, and another version is locked"
              for name, version in wanted.items()
              if packages.get(name, {}).get("version") != version]
    return found


def debian_version(name):
    """The installed version; None: it is not installed."""
    try:
        done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True,
                              text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 and done.stdout else None


def component_that_comes_with_others(name, entry):
    return component(Material([f"`{name}` (npm)", "comes with the npm packages above",
                               entry.get("license", "")]), {name: entry})


def component(material, packages):
    entry = packages.get(material.name) if material.is_npm else None
    version = entry["version"] if entry else debian_version(material.name)
    kind = "npm" if material.is_npm else "deb/debian"
    made = {"type": "library" if material.name.endswith("-dev") or entry else "application",
            "name": material.name, "description": material.purpose.replace("`", ""),
            "licenses": [{"expression": material.license}],
            "purl": f"pkg:{kind}/{urllib.parse.quote(material.name)}"}
    if version:
        made |= {"version": version, "purl": f"{made['purl']}@{version.replace('+', '%2B')}"}
    if entry:
        digest = base64.b64decode(entry["integrity"].partition("-")[2]).hex()
        made["hashes"] = [{"alg": "SHA-512", "content": digest}]
    return made


def bill(text, locks):
    """As CycloneDX has it."""
    packages = npm_packages(locks)
    others = {name: entry for name, entry in packages.items() if name not in npm_wanted(locks)}
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "metadata": {"component": {"type": "application", "name": "cuda-in-twelve-steps",
                                       "licenses": [{"expression": "MIT"}]}},
            "components": [*(component(one, packages) for one in materials(text)),
                           *(component_that_comes_with_others(*one) for one in others.items())]}


def main(arguments):
    text = PAGE.read_text(encoding="utf-8")
    locks = read_locks()
    if arguments == ["print"]:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `materials.py print | head`
        print(json.dumps(bill(text, locks), indent=2))
        return 0
    if arguments != ["check"]:
        print(__doc__, file=sys.stderr)
        return 2
    found = faults(text, installed_by_commands(), locks)
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
