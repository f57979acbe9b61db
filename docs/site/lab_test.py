#!/usr/bin/env python3
"""The rules of the access lab: held to what ncu counted on a GPU, for all recorded probes, and to what
the CPU counts when it runs the code that the lab shows, for 1,000 random settings.

    lab_test.py BUILD     a build folder of the cpu backend

Skips (exit code 77) where node is not installed.
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "common" / "calibration"))

import ncu  # noqa: E402
import probes  # noqa: E402

BUILD = pathlib.Path()  # from the command line
SETTINGS = 1000
RULES = "lab_rules.js"


def in_node(program, given, rules=None):
    """Applies a function of labRules, given as its source, to a value. `rules`: the source of other
    rules than the lab's."""
    source = rules if rules is not None else (HERE / RULES).read_text(encoding="utf-8")
    script = (f"{source}\nconst given = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n"
              f"process.stdout.write(JSON.stringify(({program})(given)));")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.js"
        path.write_text(script, encoding="utf-8")
        done = subprocess.run(["node", path], input=json.dumps(given), capture_output=True,
                              text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def planted(before, after):
    """The source of the rules with one place changed."""
    source = (HERE / RULES).read_text(encoding="utf-8")
    assert source.count(before) == 1, before
    return source.replace(before, after)


def run_with(tool, command):
    """The lines that a program of the cpu backend writes to CUCPU_JSON, and what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "counted.jsonl"
        environment = {**os.environ, "CUCPU_TOOLS": tool, "CUCPU_JSON": str(file)}
        printed = subprocess.run(command, env=environment, capture_output=True, text=True,
                                 check=True).stdout
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()], printed


# --- single accesses on a GPU ---------------------------------------------------------------------


def way_of(probe):
    """How the hardware carries out an atomic function in shared memory, by the probe's name."""
    name = probe["kind"]
    if name == "add_one":
        return "count"
    name = name.removesuffix("_result")
    if name.startswith("cas"):
        return "swap"
    is_loop = name in ("add_float", "add_double") or \
        (probe["bytes"] == 8 and name.startswith(("add", "max")))
    return "loop" if is_loop else "plain"


def by_lane(access):
    """The addresses of an access, with None for lanes that take no part."""
    at = iter(access["offsets"])
    return [next(at) if access["lanes"] >> lane & 1 else None for lane in range(32)]


def requests_of(probe, accesses):
    """The requests of a launch as the lab's rules take them."""
    requests, loads = [], {}
    for access in accesses:
        request = {"space": access["space"], "kind": access["kind"], "bytes": access["bytes"],
                   "way": way_of(probe), "at": by_lane(access)}
        if access.get("copy") and access["kind"] == "store":
            request = {**request, "kind": "copy", "from": loads[access["warp"]]}
        if access["kind"] == "load":
            loads[access["warp"]] = request["at"]
        requests.append(request)
    return requests


def probed():
    """[(probe, its requests)], from a run on the CPU, which knows the addresses."""
    program = BUILD / "common" / "calibration" / "probes"
    lines, printed = run_with("accesses", [program, *probes.PARTS])
    by_launch = {}
    for line in lines:
        if line["type"] == "access":
            by_launch.setdefault(line["launch"], []).append(line)
    ran = [json.loads(line) for line in printed.splitlines()]
    return [(probe, requests_of(probe, by_launch[number])) for number, probe in enumerate(ran)]


def counters_of(costs):
    """The sum of the counters of several requests, by kind and figure."""
    total = {kind: dict.fromkeys(("requests", "sectors", "wavefronts", "conflicts"), 0)
             for kind in ncu.METRICS}
    for cost in costs:
        for kind, figures in cost.items():
            for figure in total[kind]:
                total[kind][figure] += figures.get(figure, 0)
    return total


COUNT = "launches => launches.map(requests => requests.map(one => labRules.cost(one).counters))"


class Probes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        _, cls.recorded = ncu.read_lines(ROOT / "docs" / "results" / "probes_h200.jsonl")
        cls.ran = probed()

    def faults(self, rules=None):
        costs = in_node(COUNT, [requests for _, requests in self.ran], rules)
        counted = [(probe, counters_of(cost)) for (probe, _), cost in zip(self.ran, costs)]
        return probes.check(self.recorded, counted)

    def test_all_probes(self):
        faults, explained = self.faults()
        self.assertEqual(faults, [])
        self.assertEqual(len(self.ran), len(self.recorded))
        self.assertLess(sum(explained), len(self.recorded) / 6)

    def test_planted_faults_are_found(self):
        for before, after in (
                ("const SECTOR = 32;", "const SECTOR = 64;"),
                ("const BANKS = 32;", "const BANKS = 16;"),
                ("size *= 2;", "size *= 1;"),
                ("way === 'swap' ? inTwoSteps(lanes)", "way === 'swap' ? [{lanes}]"),
                ("Math.ceil(countOf(group", "Math.floor(countOf(group"),
                ("!changed.has(at[lane])", "at[lane] !== null")):
            faults, _ = self.faults(planted(before, after))
            self.assertTrue(faults, after)


# --- settings on the CPU --------------------------------------------------------------------------


def random_lanes(chance):
    return chance.choice([
        0xffffffff, 0xffffffff, 0xffffffff, chance.getrandbits(32), 2 ** chance.randint(1, 31) - 1,
        0x55555555, 0xaaaaaaaa, 0x11111111, 0xffff0000, 1 << chance.randint(0, 31), 0])


def random_settings(count):
    """Settings as pages' addresses have them, the same ones on every machine."""
    chance = random.Random(19)
    fields = in_node("() => labRules.FIELDS", None)
    settings = []
    for _ in range(count):
        chosen = {}
        for name, field in fields.items():
            if name == "lanes":
                chosen[name] = f"{random_lanes(chance):x}"
            elif "values" in field:
                chosen[name] = chance.choice(field["values"])
            else:
                usual = [0, 1, 2, 4, 8, 16, 32, field["first"]]
                among = [one for one in usual if one <= field["most"]]
                chosen[name] = chance.choice([chance.choice(among),
                                              chance.randint(0, field["most"])])
        chosen["op"] = chance.choice(["load", "load", "store", "store", chosen["op"]])
        settings.append("&".join(f"{name}={value}" for name, value in chosen.items()))
    return settings


VIEW = """settings => settings.map((text) => {
  const {setting, code, counters} = labRules.view(labRules.parse(text));
  return {text: labRules.format(setting), op: setting.op, bytes: setting.bytes, code, counters};
})"""
TYPES = {1: "unsigned char", 2: "unsigned short", 4: "float", 8: "float2", 16: "float4"}
HEAD = """\
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstring>

#include "steps/12_sgemm_warptile_zorder/zorder.cuh"

// So that no load is left out.
template <class T>
__device__ bool is_never(const T& value) {
  const unsigned char pattern[16] = {0x5c, 0xa1, 0xab, 0x1e, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  return std::memcmp(&value, pattern, sizeof(T)) == 0;
}

// One launch for all kernels of a type: each takes the compiler a while.
template <class T>
void run(void (*kernel)(T*, T, int*), void* data, int* found) {
  kernel<<<1, 32>>>(static_cast<T*>(data), T{}, found);
}
"""


def kernel(number, view):
    """A kernel of the code that the lab shows."""
    is_integer = view["op"] in ("add_one", "add_int", "cas")
    element = "int" if is_integer else TYPES[view["bytes"]]
    lines = list(view["code"])
    if view["op"] == "copy":
        lines += ["__pipeline_commit();", "__pipeline_wait_prior(0);"]
    body = "\n  ".join(lines)
    return (f"__global__ void setting_{number}({element}* data, {element} value, int* found) {{\n"
            f"  const int lane = threadIdx.x;\n  {body}\n"
            "  if (is_never(value)) *found = 1;\n}\n")


def program_of(views):
    kernels = "".join(kernel(number, view) for number, view in enumerate(views))
    runs = "".join(f"  run(setting_{number}, data, found);\n" for number in range(len(views)))
    return (f"{HEAD}{kernels}\nint main() {{\n  void* data;\n  int* found;\n"
            "  cudaMalloc(&data, 1 << 17);\n  cudaMalloc(&found, sizeof(int));\n"
            "  cudaMemset(data, 0, 1 << 17);\n"
            f"{runs}  return cudaDeviceSynchronize();\n}}\n")


def counted_on_cpu(views):
    """The counters of each view's code."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "settings.cu", pathlib.Path(folder) / "settings"
        source.write_text(program_of(views), encoding="utf-8")
        subprocess.run([BUILD / "cucpu", source, "-o", program, "-I", ROOT, "-O1"], check=True,
                       capture_output=True, text=True)
        lines, _ = run_with("counters", [program])
    return [line["counters"] for line in lines if line["type"] == "launch"]


def differences(views, counted):
    """Texts on the figures in which the lab and the CPU differ."""
    found = []
    for view, counters in zip(views, counted, strict=True):
        for kind, figures in view["counters"].items():
            found += [f"{view['text']}: {kind} {figure}: lab {value}, CPU {counters[kind][figure]}"
                      for figure, value in figures.items() if counters[kind][figure] != value]
    return found


class Settings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.texts = random_settings(SETTINGS)
        cls.views = in_node(VIEW, cls.texts)
        cls.counted = counted_on_cpu(cls.views)

    def test_the_code_counts_what_the_lab_says(self):
        self.assertEqual(differences(self.views, self.counted), [])
        self.assertEqual(len(self.counted), SETTINGS)

    def test_the_settings_are_of_all_kinds(self):
        self.assertGreater(len({view["text"] for view in self.views}), SETTINGS * 0.95)
        self.assertEqual(len({view["op"] for view in self.views}), 7)
        costs = {(kind, figures.get("wavefronts", figures.get("sectors")))
                 for view in self.views for kind, figures in view["counters"].items()}
        self.assertGreater(len(costs), 60)

    def test_planted_faults_are_found(self):
        for before, after in (
                ("y * (setting.row + setting.pad) + swizzled", "y * setting.row + swizzled"),
                ("column ^ by % setting.row", "column ^ by"),
                ("xor4: y >> 2", "xor4: y >> 1"),
                ("setting.offset + setting.stride * x", "setting.stride * x"),
                ("const WORD = 4;", "const WORD = 8;"),
                ("evenBits(isTall ? lane >> 1 : lane)", "evenBits(isTall ? lane : lane >> 1)")):
            views = in_node(VIEW, self.texts, planted(before, after))
            self.assertTrue(differences(views, self.counted), after)

    def test_a_setting_is_the_same_after_its_text(self):
        again = in_node(VIEW, [view["text"] for view in self.views])
        self.assertEqual([view["text"] for view in again], [view["text"] for view in self.views])


if __name__ == "__main__":
    if shutil.which("node") is None:
        print("skipped, not installed: nodejs")
        sys.exit(77)
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
