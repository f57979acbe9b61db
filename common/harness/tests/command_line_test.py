"""Runs the steps' executables and the tour as a user does: bad input, exit codes, output."""

import contextlib
import functools
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path.append(str(ROOT / "steps"))
import ladder  # noqa: E402

LADDER = ladder.read()
TOUR_STEPS = [step.name for step in LADDER.steps if "/" not in step.name]
BUILD = pathlib.Path(sys.argv[1])
BACKEND = sys.argv[2]
NO_DEVICE = 77
HUGE = str(2**40)


def step(name):
    return BUILD / "steps" / name / name


ADD = step("01_naive_add")
REDUCE = step("05_reduce_warp_shuffle")
TRANSPOSE = step("08_transpose_shared")
SGEMM = step("10_sgemm_blocktile")
GEMV = BUILD / "steps/05_reduce_warp_shuffle/gemv/gemv"
TOUR = BUILD / "tour"
BENCH = BUILD / "bench"
ROOFS = BUILD / "roofs"
COUNTS = TRANSPOSE.with_name(f"{TRANSPOSE.name}.traced").exists()
FAULTY = BUILD / "common" / "harness" / "tests" / "faulty_step"

FIELDS = set(
    "step variant backend device shape status median_ms min_ms max_ms repeats bytes flops gb_per_s "
    "gflop_per_s roof_gb_per_s roof_gflop_per_s percent_of_roof roof_at_size_gb_per_s "
    "percent_of_roof_at_size baseline baseline_ms baseline_min_ms baseline_max_ms "
    "percent_of_baseline max_error error_bound sm_clock_mhz measuring_error output_hash "
    "grows_from figures counters".split()
)


# The further fields of a record. (A CPU has no driver.)
CIRCUMSTANCES = {"date"}
if BACKEND == "cuda":
    CIRCUMSTANCES |= {"driver", "toolkit", "clock_mhz", "memory_clock_mhz"}

# A result as a step prints it.
SUM = {"step": "05_reduce_warp_shuffle", "variant": "fast", "backend": BACKEND, "device": "d",
       "shape": {"n": 2**28}, "status": "pass", "median_ms": 0.8, "min_ms": 0.7, "max_ms": 0.9,
       "repeats": 20, "bytes": 2**30, "baseline": "CUB", "baseline_ms": 1.0,
       "percent_of_baseline": 125.0}


def run(*command):
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=120
    )


NEEDS_DEVICE = unittest.skipIf(run(ADD, "--n", 0).returncode == NO_DEVICE, "no device")


def run_on_terminal(*command):
    """The output of a command on a terminal that is both its stdout and its stderr."""
    try:
        ours, theirs = pty.openpty()
    except OSError as error:  # a container or chroot without /dev/pts
        raise unittest.SkipTest(f"no pseudo-terminal to be had: {error}") from error
    with subprocess.Popen([str(word) for word in command], stdout=theirs, stderr=theirs):
        os.close(theirs)
        written = b""
        with contextlib.suppress(OSError):  # how Linux says that the other end was closed
            while piece := os.read(ours, 4096):
                written += piece
    os.close(ours)
    return written.decode()


def interrupt(test, *command):
    """Ctrl-C in an endless run: it and all that it started end at once."""
    child = subprocess.Popen(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # A shell has its background jobs ignore it, and what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    time.sleep(1)
    test.assertIsNone(child.poll(), "it was to run longer than this")
    # To this process alone, not to its group as a terminal would.
    os.kill(child.pid, signal.SIGINT)
    start = time.monotonic()
    # The pipes end when the last process that holds them has ended.
    child.communicate(timeout=60)
    test.assertLess(time.monotonic() - start, 2)
    test.assertEqual(child.returncode, -signal.SIGINT)


class BadInput(unittest.TestCase):
    def refuse(self, *command, says):
        """One line on stderr with all of `says`, nothing on stdout, exit code 2."""
        done = run(*command)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Aerror: [^\n]+\n\Z")
        for part in (*says, "allowed"):
            self.assertIn(part, done.stderr)

    def test_options_of_the_map_without_it(self):
        for option in ("--seed", "--shapes", "--seconds"):
            self.refuse(BENCH, option, "5", says=[option, "--map"])

    def test_values(self):
        self.refuse(ADD, "--n", "-5", says=["--n", "-5", "negative", "0 to"])
        self.refuse(ADD, "--n", "many", says=["--n", "many", "0 to"])
        self.refuse(ADD, "--n", "9" * 30, says=["--n", "9" * 30, "too large"])
        self.refuse(ADD, "--n", says=["--n", "missing"])
        self.refuse(ADD, "--n", "--json", says=["--n"])
        self.refuse(ADD, "--json", "--repeat", "-1", says=["--repeat", "-1"])
        self.refuse(ADD, "--n", "1\n2", says=["--n"])

    def test_names(self):
        self.refuse(ADD, "--bogus", says=["--bogus", "--kernel"])
        self.refuse(ADD, "--rows", "3", says=["--rows"])
        self.refuse(ADD, "--kernel", "bogus", says=["--kernel", "bogus", "add"])
        self.refuse(ADD, "--kernel", "add", "--kernel", "bogus", says=["--kernel", "bogus"])
        self.refuse(TOUR, "--bogus", says=["--bogus", "--quick"])
        self.refuse(TOUR, "--quick", "extra", says=["extra"])
        self.refuse(TOUR, "--record", says=["--record", "missing", "a file name"])
        self.refuse(TOUR, "--record", "", says=["--record", "a file name"])
        self.refuse(BENCH, "--bogus", says=["--bogus", "--quick"])
        self.refuse(BENCH, "--only", "13", says=["--only", "13", "12_sgemm_warptile_zorder"])
        self.refuse(BENCH, "--runs", "two", says=["--runs", "two", "1 to"])
        self.refuse(BENCH, "--runs", "0", says=["--runs 0", "too small", "1 to"])
        self.refuse(BENCH, "--goals", "/nowhere", says=["--goals", "/nowhere", "--record"])
        self.refuse(BENCH, "--goals", "/dev/null", says=["--goals /dev/null", "no result"])
        self.refuse(BENCH, "--peers", __file__, says=["--peers", "line 1", "--record"])

    def test_questions_are_no_excuse(self):
        """A bad command line is refused even where nothing would be run."""
        self.refuse(ADD, "--list", "--bogus", says=["--bogus"])
        self.refuse(ADD, "--help", "--n", "abc", says=["--n", "abc"])
        self.refuse(ADD, "--counters", "--kernel", "bogus", says=["--kernel", "bogus"])
        self.refuse(TRANSPOSE, "--sanitize", "--rows", "x", says=["--rows", "x"])
        self.refuse(TOUR, "--help", "--bogus", says=["--bogus"])
        self.refuse(BENCH, "--version", "--record", "", says=["--record"])
        self.refuse(ROOT / ".ci" / "gpu", BUILD, BUILD / "out", "bench", "tset", says=["tset"])
        self.refuse(ROOT / ".ci" / "gpu", "/nowhere", BUILD / "out", says=["/nowhere"])

    @unittest.skipUnless(BACKEND == "cpu", "the CPU backend checks")
    def test_what_cannot_be_run_is_not_checked(self):
        self.refuse(TRANSPOSE, "--sanitize", "--device", 1, says=["--device 1"])
        self.refuse(TRANSPOSE, "--sanitize", "--rows", 10**6, "--cols", 10**6, says=["memory"])

    def test_matrices_that_do_not_match(self):
        self.refuse(SGEMM, "--wA", 64, "--hB", 32, says=["--wA 64", "--hB 32"])

    @NEEDS_DEVICE
    def test_what_the_machine_lacks(self):
        self.refuse(ADD, "--n", HUGE, says=["--n " + HUGE, "GiB", "free"])
        self.refuse(ADD, "--json", "--n", HUGE, says=["--n " + HUGE])
        self.refuse(TRANSPOSE, "--rows", HUGE, "--cols", HUGE, says=["--rows", "--cols", "memory"])
        self.refuse(SGEMM, "--m", 2**31 - 1, "--n", 2**31 - 1, "--k", 0, says=["--m", "--n"])
        self.refuse(ADD, "--device", 99999, says=["--device 99999", "0 to"])
        for command in ([TOUR], [ROOFS], [BENCH], [BENCH, "--quick"], [BENCH, "--map"]):
            self.refuse(*command, "--device", 99999, says=["--device 99999", "0 to"])


class Answers(unittest.TestCase):
    """Answers that need no device."""

    def test_list(self):
        done = run(REDUCE, "--list")
        self.assertEqual(done.returncode, 0)
        names = done.stdout.split()
        self.assertIn("reduce_shuffle", names)
        self.assertEqual("\n".join(names) + "\n", done.stdout)

    def test_help_and_version(self):
        wrong = ADD.with_name(f"{ADD.name}_wrong")
        for program in (ADD, wrong, SGEMM, TOUR, BENCH, ROOFS):
            for option in ("--help", "--version"):
                done = run(program, option)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertNotEqual(done.stdout, "")
                self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
            self.assertIn(f"Usage: {program.name} ", run(program, "--help").stdout)

    def test_goals(self):
        with tempfile.TemporaryDirectory() as folder:
            record = pathlib.Path(folder) / "record.jsonl"
            record.write_text(json.dumps(SUM) + "\n")
            done = run(BENCH, "--goals", record)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^  2\^28 +fast +1.250 +1.00 +- +goal$")

    @unittest.skipUnless(BACKEND == "cpu", "it measures a GPU")
    def test_the_bench_has_nothing_to_measure_on_a_cpu(self):
        done = run(BENCH)
        self.assertEqual((done.returncode, done.stdout), (NO_DEVICE, ""))
        self.assertRegex(done.stderr, r"\Aerror: bench measures a GPU[^\n]+\n\Z")

    @unittest.skipIf(BACKEND == "cpu", "a CPU is always there")
    def test_no_device(self):
        hide = ["env", "CUDA_VISIBLE_DEVICES="]
        for command in ([ADD], [SGEMM, "--json"], [TOUR], [TOUR, "--quick", "--json"], [BENCH],
                        [BENCH, "--quick"], [ROOFS]):
            done = run(*hide, *command)
            self.assertEqual((done.returncode, done.stdout), (NO_DEVICE, ""))
            self.assertRegex(done.stderr, r"\Aerror: [^\n]+\n\Z")
        done = run(*hide, BUILD / "common" / "harness" / "tests" / "harness_test")
        self.assertEqual(done.returncode, NO_DEVICE)
        self.assertIn("skipped", done.stdout)


@NEEDS_DEVICE
class Runs(unittest.TestCase):
    def results(self, *command):
        done = run(*command)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        results = [json.loads(line) for line in done.stdout.splitlines()]
        for result in results:
            self.assertLessEqual(set(result), FIELDS)
            self.assertEqual(result["status"], "pass")
            self.assertEqual(result["backend"], BACKEND)
        return results

    def test_json(self):
        names = run(REDUCE, "--list").stdout.split()
        results = self.results(REDUCE, "--n", 1000, "--repeat", 4, "--json")
        self.assertEqual([result["variant"] for result in results], names)
        for result in results:
            self.assertEqual(result["step"], "05_reduce_warp_shuffle")
            self.assertEqual(result["shape"], {"n": 1000})
            self.assertEqual(result["bytes"], 4004)
            self.assertEqual(result["repeats"], 4)
            self.assertLessEqual(result["min_ms"], result["median_ms"])
            self.assertLessEqual(result["median_ms"], result["max_ms"])
            self.assertLessEqual(result["max_error"], result["error_bound"])

    def test_exact(self):
        for program in (ADD, REDUCE, TRANSPOSE, SGEMM, step("06_softmax_warp")):
            for result in self.results(program, "--quick", "--exact", "--json"):
                self.assertEqual((result["max_error"], result["error_bound"]), (0, 0))

    def test_hash(self):
        def hashes(*options):
            results = self.results(TRANSPOSE, "--rows", 40, "--cols", 50, "--json", *options)
            return {result.get("output_hash") for result in results}

        self.assertEqual(hashes(), {None})
        [same] = hashes("--hash")  # all variants move the same floats
        self.assertRegex(same, r"\A[0-9a-f]{16}\Z")
        self.assertEqual(hashes("--hash"), {same})
        [other] = hashes("--hash", "--seed", 2)
        self.assertNotEqual(other, same)
        done = run(TRANSPOSE, "--rows", 40, "--cols", 50, "--hash", "--kernel", "transpose_tile")
        self.assertIn(f"hash of the result: {same}\n", done.stdout)

    def test_no_timed_launch(self):
        for result in self.results(ADD, "--n", 1000, "--repeat", 0, "--json"):
            self.assertEqual(result["repeats"], 0)
            self.assertNotIn("median_ms", result)

    def test_empty_sizes(self):
        self.results(ADD, "--n", 0, "--json")
        self.results(REDUCE, "--n", 0, "--json")
        self.results(TRANSPOSE, "--rows", 0, "--cols", 5, "--json")
        self.results(SGEMM, "--m", 3, "--n", 5, "--k", 0, "--json")
        for result in self.results(TRANSPOSE, "--rows", 5, "--cols", 0, "--json"):
            self.assertEqual(set(result) & {"median_ms", "max_error", "error_bound"}, set())
        for options in ((), ("--times",)) if BACKEND == "cpu" else ((),):
            done = run(ADD, "--n", 0, *options)
            self.assertRegex(done.stdout, r"(?m)^add +pass +- +-")

    def test_one_kernel(self):
        names = run(REDUCE, "--list").stdout.split()
        results = self.results(REDUCE, "--n", 10, "--kernel", names[1], "--json")
        self.assertEqual([result["variant"] for result in results], [names[1]])

    def test_table(self):
        done = run(REDUCE, "--n", 1000)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("n=1000", done.stdout)
        for name in run(REDUCE, "--list").stdout.split():
            self.assertRegex(done.stdout, rf"(?m)^{name} +pass ")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_classic_sample(self):
        done = run(SGEMM, "--wA", 96, "--hA", 64, "--wB", 32, "--hB", 96)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("m=64 n=32 k=96", done.stdout)
        for part in ("GFLOP/s", " ms", f"Operations = {2 * 64 * 32 * 96}", "Threads a block ="):
            self.assertIn(part, done.stdout)
        self.assertIn("Result = PASS", done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_interrupt(self):
        interrupt(self, ADD, "--n", 100000, "--repeat", 1000000)


@NEEDS_DEVICE
@unittest.skipUnless(BACKEND == "cpu" and COUNTS, "only twins count")
class Counts(unittest.TestCase):
    """On the CPU a run counts by itself, and takes times only if asked."""

    TIMES = {"median_ms", "min_ms", "max_ms", "gb_per_s"}

    def results(self, program, *options):
        done = run(program, "--json", *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return {result["variant"]: result for result in map(json.loads, done.stdout.splitlines())}

    def test_counts_or_times(self):
        for result in self.results(REDUCE, "--n", 5000).values():
            self.assertEqual(set(result) & self.TIMES, set())
            self.assertEqual(result["repeats"], 0)
            self.assertEqual(list(result["figures"]), ["atomics", "barriers", "shared_wavefronts"])
            self.assertEqual(result["figures"]["barriers"], result["counters"]["barriers"])
        for options in (["--times"], ["--repeat", 2], ["--warmup", 1]):
            for result in self.results(REDUCE, "--n", 5000, *options).values():
                self.assertLessEqual(self.TIMES, set(result))
                self.assertNotIn("figures", result)
        [fields] = self.results(REDUCE, "--n", 5000, "--repeat", 0, "--kernel", "reduce_shuffle"
                                ).values()
        self.assertEqual(set(fields) & ({"figures", "counters"} | self.TIMES), set())

    def test_changes_against_the_rung_before(self):
        blocks = 16
        done = run(step("04_reduce_shared"), "--n", 256 * blocks)
        self.assertEqual(done.returncode, 0)
        counted = self.results(step("04_reduce_shared"), "--n", 256 * blocks)
        self.assertEqual(counted["reduce_shared"]["grows_from"], "reduce_interleaved")
        before, now = (counted[name]["figures"]["shared_wavefronts"]
                       for name in ("reduce_interleaved", "reduce_shared"))
        self.assertLess(now, before / 2)
        self.assertRegex(done.stdout, rf"(?m)^reduce_shared +pass +{blocks} += +{9 * blocks} +="
                                      rf" +{now:.0f} +1/{before / now:.1f}$")

    def test_the_manifest_names_the_rung_before(self):
        for program in (ADD, REDUCE, step("12_sgemm_warptile_zorder")):
            origins = {variant.name: variant.origin for variant in LADDER.variants}
            for name, result in self.results(program, "--quick").items():
                self.assertEqual(result.get("grows_from", ""), origins[name])

    def test_the_ladder_counts_the_same(self):
        """Figures that build/ladder shows, too, made there from the same counters."""
        sys.path.append(str(ROOT / "steps"))
        import ladder_records
        same = {"sectors_per_request": "sect/req", "global_requests": "requests",
                "atomics": "atomics", "shared_wavefronts": "shared",
                "loads_per_element": "loads/el", "sectors_per_fma": "sect/FMA",
                "wavefronts_per_fma": "wave/FMA"}
        compared = set()
        for entry in LADDER.steps:
            program = BUILD / "steps" / entry.name / entry.program
            for result in self.results(program, "--quick").values():
                size = tuple(result["shape"].values())
                launch = {kind: figures for kind, figures in result["counters"].items()
                          if isinstance(figures, dict)}
                counts = ladder_records.Counts("", [launch])
                theirs = {heading: figure(counts, size)
                          for heading, figure in ladder_records.FIGURES[entry.problem]}
                for name, value in result["figures"].items():
                    if same.get(name) in theirs:
                        self.assertEqual(value, theirs[same[name]], (result["variant"], name))
                        compared.add(name)
        self.assertEqual(compared, set(same))

    def test_without_a_twin_there_are_times(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = pathlib.Path(folder) / "alone"
            alone.write_bytes(ADD.read_bytes())
            alone.chmod(0o755)
            [result] = self.results(alone, "--n", 5).values()
        self.assertIn("median_ms", result)

    def test_tools_of_the_environment_have_the_counts(self):
        done = run("env", "CUCPU_TOOLS=counters", ADD, "--n", 99, "--quick")
        self.assertIn("add_kernel <<<", done.stderr)
        self.assertIn("median ms", done.stdout)


@NEEDS_DEVICE
class Counters(unittest.TestCase):
    """The command line's part in counting; the figures are the chapters' claims."""

    @unittest.skipIf(BACKEND == "cpu", "a GPU's profiler counts")
    def test_profiler_command(self):
        done = run(ADD, "--counters", "--n", 5)
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout.startswith("ncu --metrics "))
        self.assertIn("--n 5", done.stdout)
        both = run(ADD, "--counters", "--sanitize", "--n", 5).stdout
        commands = [line.removeprefix("TUTORIAL_GUARDS=off ") for line in both.splitlines()]
        self.assertEqual([command.split()[0] for command in commands],
                         ["ncu"] + 4 * ["compute-sanitizer"])
        self.assertNotIn("--sanitize", both)
        self.assertNotIn("--counters", both)

    @unittest.skipUnless(BACKEND == "cpu", "the CPU backend counts")
    def test_json(self):
        # 260 rows of the output do not start on sectors: the rungs that cut load 8 rows of each of
        # their two upper tiles twice. 256 do. For one SM it halves no tile.
        for rows, read_twice in ((256, 0), (260, 2 * 8)):
            with self.subTest(rows=rows):
                self.check_json(rows, read_twice)

    def check_json(self, rows, read_twice):
        done = run("env", "CUCPU_SMS=1", TRANSPOSE, "--counters", "--json", "--rows", rows,
                   "--cols", 256)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        results = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([r["variant"] for r in results], run(TRANSPOSE, "--list").stdout.split())
        for result in results:
            self.assertEqual((result["status"], result["repeats"]), ("pass", 0))
            counters = result["counters"]
            self.assertGreaterEqual(counters["global_load"]["bytes"], 4 * rows * 256)
            self.assertGreater(counters["global_load"]["sectors_per_request"], 0)
            self.assertGreater(counters["shared_load"]["wavefronts"], 0)
        counted = {result["variant"]: result["counters"] for result in results}
        for variant, twice in (("transpose_tile", 0), ("transpose_halves", read_twice)):
            self.assertEqual(counted[variant]["global_load"]["bytes"], 4 * (rows + twice) * 256)
            self.assertGreater(counted[variant]["barriers"], 0)

    @unittest.skipUnless(BACKEND == "cpu", "the CPU backend counts")
    def test_table(self):
        done = run(TRANSPOSE, "--counters", "--rows", 64, "--cols", 64)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("transpose_tile_kernel <<<", done.stdout)
        self.assertIn("shared load", done.stdout)
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)

    @unittest.skipUnless(BACKEND == "cpu", "the CPU backend counts")
    def test_no_twin(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = pathlib.Path(folder) / "alone"
            alone.write_bytes(ADD.read_bytes())
            alone.chmod(0o755)
            done = run(alone, "--counters", "--n", 5)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("alone.traced", done.stderr)


@NEEDS_DEVICE
class Sanitize(unittest.TestCase):
    WRONG = BUILD / "steps" / "08_transpose_shared" / "08_transpose_shared_wrong"

    @unittest.skipIf(BACKEND == "cpu", "compute-sanitizer checks on a GPU")
    def test_commands(self):
        done = run(ADD, "--sanitize", "--n", 5)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 4)
        for line, tool in zip(lines, ("memcheck", "racecheck", "initcheck", "synccheck")):
            self.assertIn(f"compute-sanitizer --tool {tool} ", line)
            self.assertTrue(line.endswith(f"{ADD} --n 5 --repeat 0"), line)

    @unittest.skipUnless(BACKEND == "cpu", "the CPU backend checks")
    def test_right_kernels_have_no_findings(self):
        done = run(TRANSPOSE, "--sanitize", "--json", "--rows", 33, "--cols", 70)
        self.assertEqual(done.returncode, 0)
        for line in done.stdout.splitlines():
            result = json.loads(line)
            self.assertEqual((result["status"], result["repeats"]), ("pass", 0))
        self.assertTrue(done.stderr.endswith("ERROR SUMMARY: 0 errors\n"), done.stderr)

    @unittest.skipUnless(BACKEND == "cpu", "the CPU backend checks")
    def test_findings_fail_the_kernel_that_has_them(self):
        done = run(self.WRONG, "--sanitize", "--json", "--rows", 33, "--cols", 70,
                   "--kernel", "dropped_barrier", "--kernel", "no_padding")
        self.assertEqual(done.returncode, 1)
        status = {r["variant"]: r["status"] for r in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(status, {"dropped_barrier": "fail", "no_padding": "pass"})
        self.assertRegex(done.stderr, r"wrong/dropped_barrier\.cuh:\d+\n")

    @unittest.skipUnless(BACKEND == "cpu", "the CPU backend checks")
    def test_twin_alone(self):
        done = run(f"{TRANSPOSE}.traced", "--sanitize", "--rows", 5, "--cols", 5)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("not for its traced twin", done.stderr)


@NEEDS_DEVICE
class FaultyStep(unittest.TestCase):
    FAULTS = {
        "lazy": "NaN (not written?)",
        "wrong": "element 500 is ",
        "right_once": "element 500 is ",
        "writes_once": "NaN (not written?)",
        "inside_once": "element 1000 was written",
        "no_launch": "cudaErrorInvalid",
    }

    def check_errors(self, errors, faults):
        self.assertEqual(len(errors), len(faults), errors)
        for error, (name, says) in zip(errors, faults.items()):
            self.assertTrue(error.startswith(f"error: {name}: "), error)
            self.assertNotIn("../", error)
            self.assertIn(says, error)

    def test_each_fault_is_reported(self):
        done = run(FAULTY, "--n", 1000, "--repeat", 2, "--warmup", 0, "--json")
        self.assertEqual(done.returncode, 1)
        results = {r["variant"]: r for r in map(json.loads, done.stdout.splitlines())}
        status = {name: result["status"] for name, result in results.items()}
        self.assertNotIn("max_error", results["no_launch"])
        expected = dict.fromkeys(["right", *self.FAULTS, "right_again"], "fail")
        expected["right"] = expected["right_again"] = "pass"
        self.assertEqual(status, expected)
        self.check_errors(done.stderr.splitlines(), self.FAULTS)

    def test_table(self):
        done = run(FAULTY, "--n", 1000, "--repeat", 2, "--kernel", "right", "--kernel", "wrong")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?m)^right +pass ")
        self.assertRegex(done.stdout, r"(?m)^wrong +fail ")
        self.check_errors(done.stderr.splitlines(), {"wrong": self.FAULTS["wrong"]})

    def test_right_kernels_alone_pass(self):
        self.assertEqual(run(FAULTY, "--n", 1000, "--kernel", "right").returncode, 0)


@functools.cache
def quick_tour():
    """A tour of the real steps: the ended process, and the lines that it recorded."""
    with tempfile.TemporaryDirectory() as folder:
        record = pathlib.Path(folder) / "record.jsonl"
        done = run(TOUR, "--quick", "--json", "--record", record)
        return done, [json.loads(line) for line in record.read_text().splitlines()]


class InOwnFolder(unittest.TestCase):
    """A program in a folder of its own, with scripts in the place of steps."""

    def place(self, program):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.program = self.folder / program.name
        self.program.write_bytes(program.read_bytes())
        self.program.chmod(0o755)

    def write(self, program, script):
        """A script in the place of one of the build's programs."""
        file = self.folder / program.relative_to(BUILD)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#!/bin/sh\n" + script)
        file.chmod(0o755)

    def write_steps(self, script):
        names = [path.name for path in (BUILD / "steps").iterdir()]
        for name in filter(lambda name: step(name).exists(), names):
            self.write(step(name), script)

    def replay(self, program, results):
        """A script that prints these results, as the program printed them."""
        lines = "\n".join(map(json.dumps, results))
        self.write(program, f"cat <<'END'\n{lines}\nEND\n")

    def replay_steps(self, results):
        for name in TOUR_STEPS:
            self.replay(step(name), [result for result in results if result["step"] == name])


@NEEDS_DEVICE
class Tour(InOwnFolder):
    """One tour of the real steps. Tables and progress are shown of what they printed in it."""

    @classmethod
    def setUpClass(cls):
        cls.done, cls.recorded = quick_tour()
        cls.results = [json.loads(line) for line in cls.done.stdout.splitlines()]

    def replay_all(self):
        self.place(TOUR)
        self.replay_steps(self.results)

    def test_all_steps_in_order(self):
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ""))
        steps = list(dict.fromkeys(result["step"] for result in self.results))
        self.assertEqual(len(steps), 12)
        self.assertEqual(steps, sorted(steps))
        for name in steps:
            variants = [r["variant"] for r in self.results if r["step"] == name]
            self.assertEqual(variants, run(step(name), "--list").stdout.split())
        self.assertEqual({result["status"] for result in self.results}, {"pass"})

    def test_record(self):
        more = CIRCUMSTANCES.copy()
        if run(sys.executable, ROOT / "common" / "harness" / "commit.py").stdout.strip():
            more.add("commit")
        self.assertEqual(len(self.recorded), len(self.results))
        for recorded, result in zip(self.recorded, self.results):
            self.assertEqual({k: v for k, v in recorded.items() if k not in more}, result)
            self.assertEqual(set(recorded) - set(result), more)

    def test_table(self):
        self.replay_all()
        done = run(self.program, "--quick")
        self.assertEqual((done.returncode, done.stderr), (0, ""), "no progress into a file")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        self.assertEqual(done.stdout.count(" pass "), len(self.results))
        device = self.results[0]["device"]
        self.assertEqual(done.stdout.splitlines()[0], f"backend {BACKEND}, on {device}"[:80])

    @unittest.skipUnless(BACKEND == "cpu" and COUNTS, "only twins count")
    def test_counts_on_a_cpu(self):
        counted = [json.loads(line) for line in run(TOUR, "--quick", "--json").stdout.splitlines()]
        self.assertEqual([r["variant"] for r in counted], [r["variant"] for r in self.results])
        for result in counted:
            self.assertTrue(result["figures"], result["variant"])
            self.assertNotIn("median_ms", result)
        table = run(TOUR, "--quick").stdout
        self.assertNotIn("median ms", table)
        # Across steps: its rung before is in step 04, of the same size.
        self.assertRegex(table, r"(?m)^  reduce_shuffle +pass +\d+ += +\d+ +1/9 ")
        self.assertIn("median ms", run(TOUR, "--quick", "--times").stdout)
        for result in self.results:  # those of a record
            self.assertIn("median_ms", result)

    def test_progress_on_a_terminal(self):
        self.replay_all()
        written = run_on_terminal(self.program, "--quick")
        for number, name in enumerate(dict.fromkeys(r["step"] for r in self.results), start=1):
            self.assertIn(f"[{number}/12] {name} ...", written)
        left = [line.split("\r\x1b[K")[-1] for line in written.split("\n")]
        self.assertNotIn("...", "".join(left), "it leaves no trace")
        self.assertEqual(sum(" pass " in line for line in left), len(self.results))


@NEEDS_DEVICE
class Bench(InOwnFolder):
    """Two runs over what the real programs print. (The test `bench` runs them all.)"""

    @classmethod
    def setUpClass(cls):
        cls.results = [json.loads(line) for line in quick_tour()[0].stdout.splitlines()]
        timed = ("--times",) if BACKEND == "cpu" else ()
        for command in ([ROOFS, "--quick"], [GEMV, "--quick", *timed]):
            cls.results += [json.loads(line) for line in run(*command, "--json").stdout.splitlines()]

    def setUp(self):
        self.place(BENCH)
        self.replay_steps(self.results)
        for program in (ROOFS, GEMV):
            self.replay(program, [r for r in self.results if r["step"] == program.name])
        record = self.folder / "record.jsonl"
        self.done = run(self.program, "--quick", "--runs", 2, "--record", record)
        self.recorded = [json.loads(line) for line in record.read_text().splitlines()]

    def test_all_programs_in_order(self):
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ""))
        steps = list(dict.fromkeys(result["step"] for result in self.recorded))
        self.assertEqual(steps, ["roofs", *(step.program for step in LADDER.steps)])
        for result in self.recorded:
            self.assertEqual(result["status"], "pass")
        self.assertEqual({result["run"] for result in self.recorded}, {1, 2})
        half = len(self.recorded) // 2
        self.assertEqual([(r["step"], r["variant"]) for r in self.recorded[:half]],
                         [(r["step"], r["variant"]) for r in self.recorded[half:]])

    def test_table(self):
        self.assertLessEqual(max(map(len, self.done.stdout.splitlines())), 80)
        self.assertEqual(self.done.stdout.count(" pass "), len(self.recorded))
        self.assertIn("run 2 of 2", self.done.stdout)
        device = self.recorded[0]["device"]
        self.assertEqual(self.done.stdout.splitlines()[0], f"backend {BACKEND}, on {device}"[:80])

    def test_only(self):
        done = run(BENCH, "--quick", "--json", "--only", "01", "--only", "12_sgemm")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        results = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(list(dict.fromkeys(r["step"] for r in results)),
                         ["01_naive_add", "12_sgemm_warptile_zorder"])


class Recorded(unittest.TestCase):
    """docs/results/cpu.jsonl: the whole tour, on a CPU."""

    def test_it_has_every_kernel(self):
        lines = (ROOT / "docs" / "results" / "cpu.jsonl").read_text().splitlines()
        recorded = [json.loads(line) for line in lines]
        listed = [(name, variant) for name in TOUR_STEPS
                  for variant in run(step(name), "--list").stdout.split()]
        self.assertEqual([(result["step"], result["variant"]) for result in recorded], listed,
                         "make it anew: build/tour --record docs/results/cpu.jsonl")
        self.assertEqual({(result["backend"], result["status"]) for result in recorded},
                         {("cpu", "pass")})


class Readme(unittest.TestCase):
    """The commands of the README and of docs/pages. (Their transcripts are output_test.py's part.)"""

    TEXT = "".join(path.read_text(encoding="utf-8") for path in
                   (ROOT / "README.md", *sorted((ROOT / "docs" / "pages").glob("*.md"))))

    def test_the_scripts_that_they_run_can_be_run(self):
        scripts = set(re.findall(r"(?:^|`)((?:\w+/)+\w+\.py|\.ci/\w+) ", self.TEXT, re.M))
        self.assertGreater(len(scripts), 3)
        self.assertEqual([name for name in scripts if not os.access(ROOT / name, os.X_OK)], [])


@NEEDS_DEVICE
class BrokenTour(InOwnFolder):
    def setUp(self):
        self.place(TOUR)

    def test_no_steps(self):
        done = run(self.program)
        self.assertEqual(done.returncode, 1)
        self.assertIn("No such file", done.stderr)

    def test_faults(self):
        fields = {"step": "s", "variant": "v", "backend": "cpu", "device": "d", "shape": {"n": 1}}
        fields |= {"status": "pass", "repeats": 0, "bytes": 4}
        good, bad = json.dumps(fields), json.dumps(fields | {"status": "fail"})
        for script, code, says in (
            (f"echo '{good}'", 0, ""),
            (f"echo '{bad}'", 1, ""),
            (f"echo '{good}'; exit 1", 1, "exit code 1"),
            (f"echo '{good}'; kill -SEGV $$", 1, "signal 11"),
            ("true", 1, "reported no kernel"),
            ("echo nonsense", 1, "not a result"),
        ):
            self.write_steps(script)
            done = run(self.program)
            self.assertEqual(done.returncode, code, script)
            self.assertIn(says, done.stderr)

    def test_interrupt(self):
        self.write_steps("exec sleep 30")
        interrupt(self, self.program)


@NEEDS_DEVICE
class BrokenBench(InOwnFolder):
    """Wrong results, and times that are no measurement, are marked and not recorded."""

    def setUp(self):
        self.place(BENCH)

    def bench(self, *results):
        """A bench whose step prints these, and what it has recorded."""
        lines = "; ".join(f"echo '{json.dumps(result)}'" for result in results)
        self.write_steps(lines + "\n")
        record = self.folder / "record.jsonl"
        record.write_text("before\n")
        done = run(self.program, "--quick", "--only", "05", "--record", record)
        self.assertEqual(list(self.folder.glob("*.part")), [])
        text = record.read_text()
        return done, [json.loads(line) for line in text.splitlines() if line != "before"]

    def test_what_is_right_is_recorded(self):
        printed = [SUM, SUM | {"variant": "other"}]
        done, recorded = self.bench(*printed)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(recorded), 2)
        for result, line in zip(recorded, printed):
            self.assertEqual({key: result[key] for key in line}, line)
            self.assertEqual(result["run"], 1)
            self.assertLessEqual(CIRCUMSTANCES, set(result))

    def test_clocks_that_fell(self):
        why = "measuring error: the clock fell from 1980 to 1500 MHz"
        done, recorded = self.bench(SUM | {"measuring_error": why}, SUM | {"variant": "other"})
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"not recorded: {why}", done.stdout)
        self.assertEqual([r["variant"] for r in recorded], ["other"])
        self.assertIn("2 results, 1 of them", done.stdout)

    def test_above_the_roof(self):
        why = "measuring error: 5000 G/s is above the roof of 4700 G/s"
        done, recorded = self.bench(SUM | {"status": "fail", "measuring_error": why})
        self.assertEqual((done.returncode, recorded), (1, []))
        self.assertIn(f"not recorded: {why}", done.stdout)

    def test_wrong(self):
        done, recorded = self.bench(SUM | {"status": "fail"})
        self.assertEqual((done.returncode, recorded), (1, []))
        self.assertEqual((self.folder / "record.jsonl").read_text(), "before\n")

    def test_a_record_takes_its_place_at_the_end(self):
        """Until then what was recorded before is still there."""
        record = self.folder / "record.jsonl"
        record.write_text("before\n")
        self.write_steps(f"cat {record} >&2; echo '{json.dumps(SUM)}'\n")
        done = run(self.program, "--quick", "--only", "05", "--record", record)
        self.assertEqual((done.returncode, done.stderr), (0, "before\n"))
        self.assertEqual(json.loads(record.read_text())["variant"], "fast")

    def test_programs_that_end_badly(self):
        self.write_steps("exit 3\n")
        done = run(self.program, "--quick", "--only", "05")
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit code 3", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
