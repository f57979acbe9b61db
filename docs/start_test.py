"""The container, the editor's settings and the notebook name nothing that does not exist, and install
what the README's first command installs.

    start_test.py [BUILD]    BUILD: a build folder, whose targets the notebook's are compared with
"""

import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "steps"))
import exercises  # noqa: E402
import ladder  # noqa: E402

INSTALLING = ("Dockerfile", "docs/start.ipynb", "CONTRIBUTING.md", ".github/workflows/site.yml",
              ".github/workflows/start.yml")
PROGRAMS = {"tour", "judge", "cucpu", "ladder"}  # of the build folder itself
BUILD = None


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


def packages(text):
    """The names that follow apt-get install."""
    text = re.sub(r'\\n",\s*"', "\n", text) if text.startswith("{") else text  # a notebook's lines
    commands = re.findall(r"apt-get install ([^&;|\n>]+)", text.replace("\\\n", " "))
    return {word for words in commands for word in words.split() if not word.startswith("-")}


def steps():
    return {step.name for step in ladder.read().steps}


def exists(path):
    """Whether a path of the project, or of its build folder, is there or is made by the build."""
    if not path.startswith("build/"):
        return (ROOT / path).exists()
    made = path.removeprefix("build/")
    if not made.startswith("steps/"):
        return made in PROGRAMS
    step, _, program = made.removeprefix("steps/").rpartition("/")
    return step in steps() and program.removesuffix(".traced") == step.split("/")[-1]


def container_faults(dockerfile, settings):
    stages = re.findall(r"^FROM \S+ AS (\S+)$", dockerfile, re.M)
    users = re.findall(r"^USER (\S+)$", dockerfile, re.M)
    if settings["build"]["target"] not in stages:
        yield "no such stage: " + settings["build"]["target"]
    if settings["remoteUser"] not in users:
        yield "no such user: " + settings["remoteUser"]
    if not users or users[-1] in ("root", "0"):
        yield "the container's user is root"
    if not (ROOT / ".devcontainer" / settings["build"]["dockerfile"]).is_file():
        yield "no such file: " + settings["build"]["dockerfile"]


def editor_faults(tasks, launches):
    text = json.dumps(tasks)
    labels = {task["label"] for task in tasks["tasks"]}
    inputs = {one["id"]: one["default"] for one in tasks["inputs"]}
    known = {"test": {step.replace("/", "_") for step in steps()},
             "exercise": {path.name for path in exercises.all_exercises()}}
    for name in re.findall(r"\$\{input:(\w+)\}", text):
        if inputs.get(name) not in known.get(name, ()):
            yield f"input {name}: {inputs.get(name)}"
    for path in re.findall(r"build/\w+", text):
        if path != "build/debugged" and not exists(path):
            yield "no such file: " + path
    compiled = re.findall(r"-o (build/\w+)", text)
    for launch in launches["configurations"]:
        if launch["preLaunchTask"] not in labels:
            yield "no such task: " + launch["preLaunchTask"]
        for path in re.findall(r"\$\{workspaceFolder\}/([\w./]+)", json.dumps(launch)):
            if path not in compiled and not exists(path):
                yield "no such file: " + path


def notebook_faults(notebook, targets=None):
    """targets: the build's; None: it is not known."""
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    if any(cell.get("outputs") for cell in notebook["cells"]):
        yield "cells with their output"
    for source in code:
        if not source.startswith(("%", "!")):
            compile(source, "cell", "exec")
    text = "\n".join(code).replace("\\\n", " ")
    words = re.search(r"^ninja -C build ([^|\n]+)", text, re.M)[1].split()
    for target in words if targets is not None else ():
        if target not in targets:
            yield "no such target: " + target
    for path in re.findall(r"(?:build|docs|steps|common)/[\w./]+\w", " ".join(text.split(" | "))):
        if path not in words and path != "build/build.ninja" and not exists(path):
            yield "no such file: " + path
    kernels = {one.name for one in ladder.read().variants}
    for kernel in re.findall(r"(?:--kernel|build/ladder) (\w+)", text):
        if kernel not in kernels:
            yield "no such kernel: " + kernel
    for link in re.findall(r"\]\(([^)#]+)", json.dumps(notebook)):
        if not (ROOT / "docs" / link).exists():
            yield "no such page: " + link


def targets_of_build():
    if not BUILD:
        return None
    listed = subprocess.run(["ninja", "-C", BUILD, "-t", "targets", "all"], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    return set(re.findall(r"^(.+): \w+$", listed, re.M))


def script_faults(text):
    for name in re.findall(r"(?<!\w)\.ci/(\w+)", text):
        path = ROOT / ".ci" / name
        if not path.is_file() or not path.stat().st_mode & 0o100:
            yield "no such script: " + name


class Start(unittest.TestCase):
    def setUp(self):
        self.dockerfile = text_of("Dockerfile")
        self.container = json.loads(text_of(".devcontainer/devcontainer.json"))
        self.tasks = json.loads(text_of(".vscode/tasks.json"))
        self.launches = json.loads(text_of(".vscode/launch.json"))
        self.notebook = json.loads(text_of("docs/start.ipynb"))

    def test_packages(self):
        wanted = packages(text_of("README.md"))
        self.assertIn("libcli11-dev", wanted)
        for path in INSTALLING:
            self.assertEqual(wanted - packages(text_of(path)), set(), path)
        self.assertEqual(packages("apt-get install -y g++ meson >/dev/null"), {"g++", "meson"})

    def test_as_they_are(self):
        self.assertEqual(list(container_faults(self.dockerfile, self.container)), [])
        self.assertEqual(list(editor_faults(self.tasks, self.launches)), [])
        self.assertEqual(list(notebook_faults(self.notebook, targets_of_build())), [])

    def test_a_container_with_faults(self):
        for change in ({"remoteUser": "nobody"}, {"build": {"dockerfile": "Dockerfile",
                                                            "target": "first"}}):
            found = list(container_faults(self.dockerfile, self.container | change))
            self.assertNotEqual(found, [], change)
        self.assertIn("the container's user is root",
                      container_faults(self.dockerfile + "USER root\n", self.container))

    def changed(self, which, before, after):
        self.assertIn(before, json.dumps(which))
        return json.loads(json.dumps(which).replace(before, after))

    def test_tasks_with_faults(self):
        for before, after in (("build/judge", "build/jugde"), ("vector_addition", "vector_sum"),
                              ("08_transpose_shared", "08_transpose")):
            tasks = self.changed(self.tasks, before, after)
            self.assertNotEqual(list(editor_faults(tasks, self.launches)), [], after)
        for before, after in (("build/debugged", "build/debug"), ("file for", "file before"),
                              ("08_transpose_shared/", "08_transpose/"),
                              ("cuda_gdb.py", "gdb.py")):
            launches = self.changed(self.launches, before, after)
            self.assertNotEqual(list(editor_faults(self.tasks, launches)), [], after)

    def test_a_notebook_with_faults(self):
        for before, after in (("first.cu", "last.cu"), ("build/judge", "build/jugde"),
                              ("--kernel transpose_tile ", "--kernel transpose_tiles "),
                              ("pages/first.md", "pages/last.md")):
            notebook = self.changed(self.notebook, before, after)
            self.assertNotEqual(list(notebook_faults(notebook)), [], after)
        self.assertIn("no such target: cucpu", notebook_faults(self.notebook, {"judge.linked"}))

    def test_scripts(self):
        for path in (*INSTALLING, "docs/pages/project.md", ".github/workflows/matrix.yml",
                     ".github/workflows/test.yml", "docs/pages/gpu.md"):
            self.assertEqual(list(script_faults(text_of(path))), [], path)
        self.assertEqual(list(script_faults("run .ci/made")), ["no such script: made"])

    def test_version(self):
        version = re.search(r"version: '(.+?)'", text_of("meson.build"))[1]
        self.assertIn(f"\nversion: {version}\n", text_of("CITATION.cff"))
        self.assertIn(f"\n## {version}\n", text_of("CHANGELOG.md"))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        BUILD = sys.argv.pop()
    unittest.main()
