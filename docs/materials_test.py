"""The bill of materials has every package, with its license, and npm's are pinned."""

import copy
import json
import pathlib
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parent))
import materials  # noqa: E402

TEXT = materials.PAGE.read_text(encoding="utf-8")
LOCKS = materials.read_locks()
INSTALLED = materials.installed_by_commands()


class Materials(unittest.TestCase):
    def test_as_it_is(self):
        self.assertEqual(materials.faults(TEXT, INSTALLED, LOCKS), [])

    def found(self, fault, text=TEXT, installed=frozenset(INSTALLED), locks=LOCKS):
        self.assertRegex("\n".join(materials.faults(text, installed, locks)), fault)

    def test_a_package_that_is_not_listed(self):
        self.found("^left-pad: installed by a command", installed=INSTALLED | {"left-pad"})
        for name in ("libcli11-dev", "gdb", "axe-core"):
            row = next(line for line in TEXT.splitlines() if line.startswith(f"| `{name}`"))
            self.found(f"{name}: in", text=TEXT.replace(row + "\n", ""))

    def test_a_package_that_nothing_installs(self):
        self.found("^doctest-dev: listed, but", installed=INSTALLED - {"doctest-dev"})
        self.found("binutils: listed, but", installed=INSTALLED - {"g++"})

    def test_npm_is_pinned(self):
        for change in ({"integrity": ""}, {"integrity": "sha1-AAAA"}, {"integrity": "sha512-AAAA"},
                       {"version": "^4.14.1"}, {"license": "MIT"}):
            locks = copy.deepcopy(LOCKS)
            locks[1]["packages"]["node_modules/axe-core"] |= change
            self.found("^axe-core: ", locks=locks)
        for lock in range(len(LOCKS)):
            locks = copy.deepcopy(LOCKS)
            locks[lock]["packages"][""].setdefault("dependencies", {})["left-pad"] = "1.3.0"
            self.found("^left-pad: in one of", locks=locks)

    def test_the_bill(self):
        made = materials.bill(TEXT, LOCKS)
        names = [component["name"] for component in made["components"]]
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual({"g++", "libboost-context-dev", "playwright-core"}, set(names))
        for component in made["components"]:
            self.assertRegex(component["licenses"][0]["expression"],
                             r"^[(A-Z0][\w.-]+( (WITH|OR|AND) [\w.-]+)*\)?$")
            self.assertTrue(component["description"])
        npm = [one for one in made["components"] if one["purl"].startswith("pkg:npm/")]
        self.assertEqual(len(npm), len(materials.npm_packages(LOCKS)))
        self.assertEqual({len(one["hashes"][0]["content"]) for one in npm}, {128})


if __name__ == "__main__":
    unittest.main()
