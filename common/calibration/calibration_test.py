"""The scripts that compare what ncu and the CPU count, on small made-up records."""

import contextlib
import copy
import io
import os
import pathlib
import re
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
import agreement
import agreement_text
import generated
import half_functions
import ncu
import probes
import stalls
import traces

CSV = '''==PROF== Connected to process 1
"ID","Kernel Name","Block Size","Grid Size","smsp__sass_inst_executed_op_shared_ld.sum","{hw}.sum",\
"{requests}ld.sum","{requests}red.sum","{requests}atom.sum"
"","","","","inst","","","",""
"0","add_kernel","(32, 4, 1)","(7, 1, 1)","1,024","n/a","3","1","2"
'''.format(hw=ncu.HARDWARE_WAVEFRONTS + "ld", requests=ncu.REQUESTS)


class Ncu(unittest.TestCase):
    def test_csv(self):
        [launch] = ncu.read_csv(CSV, ncu.metrics_of())
        self.assertEqual((launch["kernel"], launch["grid"], launch["block"]),
                         ("add_kernel", [7, 1, 1], [32, 4, 1]))
        figures = ncu.figures_of(launch["metrics"])
        self.assertEqual(figures["global_load"], {"requests": 3})
        self.assertEqual(figures["global_atomic"], {"requests": 3})
        # A figure that ncu could not tell is no zero.
        self.assertEqual(figures["shared_load"], {"requests": 1024})
        self.assertNotIn("global_store", figures)

    def test_csv_without_launches(self):
        with self.assertRaisesRegex(ncu.Failure, "no kernels were profiled"):
            ncu.read_csv("==WARNING== no kernels were profiled\n", [])

    def test_metrics(self):
        names = ncu.metrics_of(["global_load"], ["sectors"])
        self.assertEqual(names, [ncu.SECTORS + "ld.sum", ncu.MULTIPROCESSORS])

    def test_steps_name_the_same_metrics(self):
        named = set(re.findall(r'"(\w+__\w+)\.sum,?"', ncu.header()))
        wanted = {name.removesuffix(".sum") for name in ncu.metrics_of(figures=ncu.COUNTED)}
        self.assertEqual(named, wanted - {ncu.MULTIPROCESSORS})

    def test_program_that_is_missing(self):
        with self.assertRaisesRegex(ncu.Failure, "not found"):
            ncu._run(["no-such-program-anywhere"])


class WithoutPermission(unittest.TestCase):
    """An ncu that may not read counters, as it says so in each of its ways."""

    SAYS = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access counters"
    LOGS = f"""while [ $# -gt 0 ]; do
  if [ "$1" = --log-file ]; then echo "{SAYS}" >"$2"; fi
  shift
done"""
    WAYS = {"prints": f'echo "{SAYS}"; exit 1', "logs": f"{LOGS}\nexit 1",
            "logs, and ends well": LOGS}

    def run_with(self, way, call):
        with tempfile.TemporaryDirectory() as folder:
            for name, body in (("nvidia-smi", "echo GPU, 1"),
                               ("ncu", f'[ "$1" = --version ] && echo Version 1 && exit\n{way}')):
                program = pathlib.Path(folder, name)
                program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
                program.chmod(0o755)
            path = f"{folder}:{os.environ['PATH']}"
            with unittest.mock.patch.dict(os.environ, PATH=path):
                return call(pathlib.Path(folder))

    def test_it_is_named(self):
        for name, way in self.WAYS.items():
            with self.subTest(name), self.assertRaisesRegex(ncu.NoPermission, "as root"):
                self.run_with(way, lambda _: ncu.profile(["true"], ["m"]))

    def test_what_counts_is_skipped_and_the_record_stays(self):
        def collect(folder):
            record = folder / "record.jsonl"
            record.write_text("before\n", encoding="utf-8")
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                code = probes.main(["collect", "true", str(record)])
            self.assertRegex(said.getvalue(), r"\Aerror: ncu may not [^\n]+\n\Z")
            self.assertEqual(record.read_text(encoding="utf-8"), "before\n")
            return code

        self.assertEqual(self.run_with(self.WAYS["prints"], collect), ncu.SKIPPED)


class Stalls(unittest.TestCase):
    def test_largest_waits(self):
        waits = {"barrier": 0.25, "long_scoreboard": 7.123, "wait": 1.5, "not_selected": 9}
        line = stalls.figures_of({**{stalls.STALL.format(why): cycles for why, cycles in waits.items()},
                                  "gpu__time_duration": 12345, "launch__registers_per_thread": 32})
        self.assertEqual(line, {"us": 12.3, "registers": 32,
                                "stalls": {"long_scoreboard": 7.12, "wait": 1.5}})

    def test_rung_of_a_kernel(self):
        rungs = [rung for rung in stalls.ladder.read().rungs if rung.name.startswith("sgemm")]
        for kernel, rung in {"sgemm_stream_k_sum_kernel": "sgemm_stream_k",
                             "sgemm_warptile_kernel": "sgemm_warptile",
                             "sgemm_warptile_zorder_kernel": "sgemm_warptile_zorder",
                             "fill_kernel": None}.items():
            self.assertEqual(stalls.rung_of(kernel, rungs), rung)

    def test_fractions_are_kept(self):
        metric = stalls.FIGURES["issue_percent"][0]
        text = f'"ID","Kernel Name","Block Size","Grid Size","{metric}"\n"","","","","%"\n' \
               '"0","k","(1, 1, 1)","(1, 1, 1)","88.73"\n'
        [launch] = ncu.read_csv(text, [metric])
        self.assertEqual(stalls.figures_of(launch["metrics"])["issue_percent"], 88.7)


def counters(**kinds):
    nothing = dict.fromkeys(("requests", "sectors", "wavefronts", "conflicts"), 0)
    return {kind: {**nothing, **kinds.get(kind, {})} for kind in ncu.METRICS}


class Probes(unittest.TestCase):
    def setUp(self):
        wide = {"space": "shared", "kind": "load", "bytes": 8, "pattern": "stride_2", "threads": 32}
        met = {"space": "shared", "kind": "add_one", "bytes": 4, "pattern": "one_address",
               "threads": 32}
        self.recorded = [
            {"part": "shared", **wide, "ncu": {"shared_load": {
                "requests": 1, "wavefronts": 7, "hardware_wavefronts": 4, "conflicts": 2}}},
            {"part": "atomic", **met, "ncu": {"shared_atomic": {
                "requests": 1, "wavefronts": 1, "hardware_wavefronts": 1, "conflicts": 0}}},
        ]
        self.counted = [
            (wide, counters(shared_load={"requests": 1, "wavefronts": 4, "conflicts": 2})),
            (met, counters(shared_atomic={"requests": 1, "wavefronts": 32, "conflicts": 31})),
        ]

    def check(self):
        """Less the exceptions that so few probes do not need."""
        faults, explained = probes.check(self.recorded, self.counted)
        return [fault for fault in faults if "no probe needs" not in fault], explained

    def test_equal_or_explained(self):
        faults, explained = self.check()
        self.assertEqual((faults, sum(explained)), ([], 1))
        self.assertEqual(probes.worked_out_otherwise(self.recorded), self.recorded[:1])

    def test_difference(self):
        self.counted[0][1]["shared_load"]["conflicts"] = 3
        self.assertEqual(self.check()[0], ["shared load of 8 bytes, stride_2, 32 threads: "
                                           "shared_load conflicts: ncu 2, CPU 3"])

    def test_access_that_ncu_did_not_see(self):
        self.counted[0][1]["shared_store"]["requests"] = 1
        self.assertIn("shared_store requests: ncu 0, CPU 1", self.check()[0][0])

    def test_exception_for_other_figures_only(self):
        self.counted[1][1]["shared_atomic"]["requests"] = 2
        self.assertIn("shared_atomic requests: ncu 1, CPU 2", self.check()[0][0])

    def test_exception_that_nothing_needs(self):
        self.counted[1] = (self.counted[1][0], counters(
            shared_atomic={"requests": 1, "wavefronts": 1, "conflicts": 0}))
        faults, _ = probes.check(self.recorded, self.counted)
        self.assertTrue(any("no probe needs" in fault and "REDUX" in fault for fault in faults))

    def test_other_probes(self):
        self.assertIn("collect it anew", self.check_reordered()[0])

    def check_reordered(self):
        return probes.check(self.recorded, self.counted[::-1])[0]


ENVIRONMENT = {"device": "GPU", "ncu": "1", "driver": "2", "date": "2026-01-01"}


def row(**changes):
    figures = {"shared_load": {"requests": 8, "wavefronts": 8}}
    launch = {"kernel": "sgemm_blocktile_kernel", "grid": [1, 1, 1], "block": [32, 1, 1],
              "counters": counters(**figures)}
    measured = {"grid": [1, 1, 1], "block": [32, 1, 1], "ncu": copy.deepcopy(figures)}
    measured.update(changes)
    return agreement.row_of("10_sgemm_blocktile", "--m 1", "round", "sgemm_blocktile", launch,
                            measured)


class Agreement(unittest.TestCase):
    known = staticmethod(lambda: [
        agreement.Reason("vectorized", ["sgemm_blocktile"], ["shared_load"], ["round"])])

    def test_equal(self):
        rows = [row()]
        self.assertEqual(agreement.explain(rows, []), [])
        self.assertIn("the same", agreement_text.table(rows, agreement_text.Notes(agreement.WHY)))

    def test_difference_without_a_reason(self):
        rows = [row(ncu={"shared_load": {"requests": 8, "wavefronts": 9}})]
        [fault] = agreement.explain(rows, [])
        self.assertIn("10_sgemm_blocktile --m 1: sgemm_blocktile_kernel", fault)

    def test_difference_in_more_than_the_reason_is_for(self):
        rows = [row(ncu={"shared_load": {"requests": 2, "wavefronts": 4}}, grid=[2, 1, 1])]
        [fault] = agreement.explain(rows, self.known())
        self.assertIn("sgemm_blocktile differs in grid: ", fault)

    def test_difference_with_a_reason(self):
        rows = [row(ncu={"shared_load": {"requests": 2, "wavefronts": 4}})]
        self.assertEqual(agreement.explain(rows, self.known()), [])
        notes = agreement_text.Notes(agreement.WHY)
        self.assertIn("| 2 requests, 4 wavefronts (1) |", agreement_text.table(rows, notes))
        self.assertIn("\n(1) nvcc joins", notes.text())
        self.assertIn("\n(1) `vectorized`: nvcc joins", notes.text(with_names=True))
        self.assertIn("| 8 × 1; ncu: 2 × 2 (1) |", agreement_text.brief_table(rows, notes))

    def test_each_kind_of_access_has_its_own_reasons(self):
        rows = [row(ncu={"shared_load": {"requests": 2, "wavefronts": 4},
                         "shared_store": {"requests": 1, "wavefronts": 1}})]
        known = [*self.known(), agreement.Reason("sunk", ["sgemm_blocktile"], ["shared_store"]),
                 agreement.Reason("divergent", ["sgemm_blocktile"], ["shared_store"])]
        self.assertEqual(agreement.explain(rows, known), [])
        self.assertEqual(rows[0]["why"], {"shared_load": ["vectorized"],
                                          "shared_store": ["sunk", "divergent"]})
        table = agreement_text.table(rows, agreement_text.Notes(agreement.WHY))
        self.assertIn("| 2 requests, 4 wavefronts (1) |", table)
        self.assertIn("| 1 requests, 1 wavefronts (2) (3) |", table)

    def test_reason_that_nothing_needs(self):
        [fault] = agreement.explain([row()], self.known())
        self.assertIn("nothing differs any more", fault)

    def test_every_step_has_sizes(self):
        for step in agreement.steps():
            self.assertGreaterEqual(len(agreement.shapes_of(step)), 2)


class Traces(unittest.TestCase):
    LOADS = [{"kind": "load", "runs": [[0, 8, 32]], "file": "a.cuh", "line": 7},
             {"kind": "load", "runs": [[4, 8, 32]], "file": "a.cuh", "line": 7}]
    RECORDED = [{"kernel": "k", "requests": LOADS,
                 "lines": [{"file": "a.cuh", "line": 7, "costs": ["shared load: 1 wavefront"]}]}]

    def test_the_same(self):
        self.assertEqual(traces.differences(self.RECORDED, self.RECORDED, False), [])

    def test_what_is_up_to_the_compiler(self):
        made = copy.deepcopy(self.RECORDED)
        made[0]["requests"].reverse()
        made[0]["requests"][0]["line"] = made[0]["lines"][0]["line"] = 8
        self.assertEqual(traces.differences(made, self.RECORDED, True), [])
        self.assertEqual(traces.differences(made, self.RECORDED, False), made + self.RECORDED)

    def test_other_accesses_and_other_costs(self):
        other_lanes, other_costs = copy.deepcopy(self.RECORDED), copy.deepcopy(self.RECORDED)
        other_lanes[0]["requests"][0]["runs"] = [[0, 8, 31]]
        other_costs[0]["lines"][0]["costs"] = ["shared load: 2 wavefronts"]
        for made in other_lanes, other_costs:
            self.assertEqual(traces.differences(made, self.RECORDED, True), made + self.RECORDED)

    def test_launch_that_is_missing(self):
        self.assertEqual(traces.differences([], self.RECORDED, True), self.RECORDED)


class Texts(unittest.TestCase):
    def setUp(self):
        rows = [row()]
        agreement.explain(rows, [])
        self.section = agreement_text.section(rows, "--m 1", ENVIRONMENT, agreement.WHY)

    def test_section_goes_in_and_is_replaced(self):
        readme = "# A\n\n## Run it\n\nsh\n"
        once = agreement_text.with_section(readme, self.section)
        self.assertLess(once.index("## Counted"), once.index("## Run it"))
        self.assertEqual(agreement_text.with_section(once, self.section), once)
        stale = once.replace("| 8 × 1 |", "| 7 × 1 |")
        self.assertNotEqual(stale, once)
        self.assertEqual(agreement_text.with_section(stale, self.section), once)

    def test_file_that_is_out_of_date(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "README.md"
            path.write_text("8 requests")
            self.assertEqual(generated.bring_up_to_date({path: "8 requests"}, False, "x.py"), [])
            [fault] = generated.bring_up_to_date({path: "9 requests"}, False, "x.py")
            self.assertIn("README.md: out of date", fault)
            self.assertEqual(path.read_text(), "8 requests")
            self.assertEqual(generated.bring_up_to_date({path: "9 requests"}, True, "x.py"), [])
            self.assertEqual(path.read_text(), "9 requests")


class HalfFunctions(unittest.TestCase):
    def setUp(self):
        self.lines = [
            {"function": "hexp", "type": "half", "hashes": "00000a00000b"},
            {"function": "bits", "type": "xorwow", "seed": 7, "hashes": "123456", "first": "00ff"},
            {"function": "normal", "type": "philox", "seed": 7, "hashes": "1", "first": "3f800000"}]
        self.other = copy.deepcopy(self.lines)

    def test_the_same(self):
        self.other[2].update(hashes="2", first="3f800009")  # close enough
        self.assertEqual(half_functions.check(self.lines, self.other), [])

    def test_differences(self):
        self.other[0]["hashes"] = "00000a00000c"
        self.other[1]["hashes"] = "123457"
        self.other[2]["first"] = "3f810000"
        self.assertEqual(half_functions.check(self.lines, self.other),
                         ["hexp half: 1 of 2 parts differ, the first of them 1",
                          "bits xorwow seed 7: 1 of 1 parts differ, the first of them 0",
                          "normal philox seed 7: number 0 is 1.0078125, on the GPU 1.0"])

    def test_approximated_functions_differ(self):
        self.lines[0]["function"] = self.other[0]["function"] = "htanh_approx"
        self.assertEqual(half_functions.check(self.lines, self.other),
                         ["htanh_approx half: does not differ any more"])
        self.other[0]["hashes"] = "00000a00000c"
        self.assertEqual(half_functions.check(self.lines, self.other), [])

    def test_another_list_of_functions(self):
        self.other[0]["function"] = "hexp2"
        self.assertEqual(len(half_functions.check(self.lines, self.other)), 2)


if __name__ == "__main__":
    unittest.main()
