"""The judge as a learner uses it: on right files in every style, on wrong ones, on ones that cannot be
built or do not come to an end.

    judge_test.py JUDGE BACKEND WATCHES [TEST...]

A TEST is the name of a class below, or of one of its methods (Wrong.test_nan_does_not_pass); without
any, all of them are run. `list` prints all their names instead, and `2/4` runs the second quarter of
them, for those who run several at once.
"""

import glob
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

JUDGE = str(pathlib.Path(sys.argv[1]).resolve())
ON_CPU = sys.argv[2] == "cpu"
WATCHES = sys.argv[3] == "yes"  # the checkers and counters are there
TESTS = sys.argv[4:]
STYLES = pathlib.Path(__file__).resolve().parent / "styles"
STEPS = pathlib.Path(__file__).resolve().parents[3] / "steps"

PASS, FAIL, USAGE, TODO, NO_DEVICE = 0, 1, 2, 3, 77

RELU = """#include <cuda_runtime.h>

__global__ void relu_kernel(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = fmaxf(x[i], 0.0f);
}

extern "C" void solve(float* x, int n) {
  relu_kernel<<<(n + 255) / 256, 256>>>(x, n);
}
"""


def run(*words, folder=None, **environment):
    return subprocess.run([JUDGE, *map(str, words)], capture_output=True, text=True, timeout=300,
                          cwd=folder, env={**os.environ, **environment})


# Tests must not change what a learner has solved.
progress = tempfile.TemporaryDirectory()
os.environ["JUDGE_PROGRESS"] = progress.name

HAS_DEVICE = run("relu").returncode != NO_DEVICE
NEEDS_DEVICE = unittest.skipUnless(HAS_DEVICE, "no device")
NEEDS_CHECKERS = unittest.skipUnless(WATCHES, "no checkers")


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, text, name="my.cu"):
        (self.folder / name).write_text(text, encoding="utf-8")

    def judge(self, text, *words, exercise="relu", **environment):
        """The judge's output on a file with this text."""
        self.write(text)
        return run(exercise, "my.cu", *words, folder=self.folder, **environment)

    def verdict(self, text, *words, exercise="relu", **environment):
        """The same as JSON, with the exit code."""
        done = self.judge(text, "--json", *words, exercise=exercise, **environment)
        self.assertEqual(done.stderr, "")
        return done.returncode, json.loads(done.stdout)

    def assert_rejected(self, reason, text, *words, **more):
        code, said = self.verdict(text, *words, **more)
        self.assertEqual((code, said["status"]), (FAIL, "fail"), said)
        self.assertIn(reason, said["reasons"], said)
        return said


class Usage(unittest.TestCase):
    def refused(self, *words):
        done = run(*words)
        self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
        self.assertRegex(done.stderr, r"\Aerror: .*allowed: .*\n\Z")
        return done.stderr

    def test_bad_usage(self):
        self.assertIn("--list", self.refused())
        self.assertIn("--list", self.refused("no_such_exercise"))
        self.assertIn("no/such.cu", self.refused("relu", "no/such.cu"))
        self.assertIn("too many", self.refused("relu", "a.cu", "b.cu"))
        self.assertIn("--nonsense", self.refused("relu", "--nonsense"))
        self.assertIn("--hint", self.refused("relu", "--hint"))
        self.assertIn("--hint 0", self.refused("relu", "--hint", "0"))
        self.assertIn("from 1 to 3", self.refused("relu", "--hint", "4"))
        self.assertIn("soon", self.refused("relu", "--timeout", "soon"))
        self.assertIn("--timeout 0", self.refused("relu", "--timeout", "0"))
        self.assertIn("--json=yes", self.refused("relu", "--json=yes"))
        self.assertIn("--bench", self.refused("relu", "--record", "times.jsonl"))
        self.assertIn("--device 'one'", self.refused("relu", "--device", "one"))

    @NEEDS_DEVICE
    def test_no_such_device(self):
        for words in (("relu",), ("relu", "--json"), ("relu", "--watch"), ("--grade", STYLES)):
            error = self.refused(*words, "--device", "99999")
            self.assertRegex(error, r"--device 99999: .* 0 to \d+$")
        if ON_CPU:
            self.assertIn("--device 1:", self.refused("relu", "--device", "1"))

    @unittest.skipUnless(ON_CPU, "there may be a GPU")
    def test_no_bench_on_a_cpu(self):
        self.assertIn("--bench", self.refused("relu", "--bench"))

    def test_help_and_version(self):
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (PASS, ""))
        for option in ("--list --hint --watch --bench --sanitize --json --record --timeout "
                       "--seed --device").split():
            self.assertIn(option, done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        self.assertRegex(run("--version").stdout, r"\Ajudge \d+\.\d+\.\d+\n\Z")

    def test_a_reader_that_needs_no_more(self):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([JUDGE, "--list"], stdout=write, stderr=subprocess.PIPE, text=True)
        os.close(write)
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, ""))

    def test_hints(self):
        hints = [run("relu", "--hint", number) for number in (1, 2, 3)]
        self.assertEqual([hint.returncode for hint in hints], [PASS] * 3)
        self.assertEqual(len({hint.stdout for hint in hints}), 3)
        self.assertNotIn("## Hint", "".join(hint.stdout for hint in hints))

    def test_list(self):
        lines = run("--list").stdout.splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        names = [line.split()[0] for line in lines if line.startswith("  ")]
        self.assertIn("relu", names)
        self.assertEqual(len(names), len(set(names)))
        listed = [json.loads(line) for line in run("--list", "--json").stdout.splitlines()]
        self.assertEqual([line["exercise"] for line in listed], names)


@NEEDS_DEVICE
class Right(InFolder):
    def test_text(self):
        done = self.judge(RELU)
        self.assertEqual((done.returncode, done.stderr), (PASS, ""))
        self.assertRegex(done.stdout, r"\Arelu: pass \(\d+\.\d s\)\n\d+ cases are right")
        if WATCHES:
            self.assertIn("relu_kernel <<<", done.stdout)
            self.assertIn("Faster? ", done.stdout)

    def test_fields(self):
        code, said = self.verdict(RELU)
        self.assertEqual((code, said["exercise"], said["file"]), (PASS, "relu", "my.cu"))
        self.assertGreater(said["cases"], 20)
        self.assertEqual(len(said["launches"]), 1 if WATCHES else 0)

    def test_every_style(self):
        files = sorted(STYLES.glob("*.cu"))
        self.assertGreater(len(files), 5)
        for file in files:
            with self.subTest(style=file.stem):
                exercise = re.match(r"// (\w+):", file.read_text(encoding="utf-8"))[1]
                done = run(exercise, file, "--json")
                said = json.loads(done.stdout)
                self.assertEqual((done.returncode, said["status"]), (PASS, "pass"), said)

    def test_an_answer_may_look_like_poison(self):
        # With this seed one of the sums is -1, which has the bits that outputs are filled with.
        solution = next(STEPS.glob("*/exercises/exclusive_scan/solutions/2_*.cu"))
        done = run("exclusive_scan", solution, "--json", "--seed", "6000")
        self.assertEqual(json.loads(done.stdout)["status"], "pass", done.stdout)

    def test_own_main_is_not_in_the_way(self):
        self.assertEqual(self.verdict(RELU + "int main() { return 5; }\n")[0], PASS)

    def test_own_headers(self):
        self.write("#define RELU(x) fmaxf(x, 0.0f)\n", "mine.h")
        text = RELU.replace("fmaxf(x[i], 0.0f)", "RELU(x[i])")
        self.assertEqual(self.verdict('#include "mine.h"\n' + text)[0], PASS)

    # Does nothing where it does not get the device that WANTED names, and no other.
    ON_ITS_DEVICE = "#include <cstdlib>\n#include <cstring>\n" + RELU.replace(
        "  relu_kernel<<<", """  int count = 0;
  cudaGetDeviceCount(&count);
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (count != 1 || visible == nullptr || std::strcmp(visible, "WANTED") != 0) return;
  relu_kernel<<<""")

    def test_device(self):
        text = self.ON_ITS_DEVICE.replace("WANTED", "0")
        for words, status in ((["--device", "0"], PASS), ([], FAIL)):
            code, said = self.verdict(text, *words, CUDA_VISIBLE_DEVICES="0,99")
            self.assertEqual(code, status, said)

    def test_no_device(self):
        done = self.judge(RELU, CUDA_VISIBLE_DEVICES="")
        self.assertEqual((done.returncode, done.stdout), (NO_DEVICE, ""))
        self.assertRegex(done.stderr, r"\Aerror: [^\n]+\n\Z")

    @NEEDS_CHECKERS
    def test_memory_that_is_not_freed_is_a_note(self):
        text = RELU.replace("  relu_kernel<<<", "  float* p;\n  cudaMalloc(&p, n);\n  relu_kernel<<<")
        code, said = self.verdict(text)
        self.assertEqual(code, PASS)
        self.assertIn("never frees", "".join(said["notes"]))

    def test_compilers_warnings_are_notes(self):
        code, said = self.verdict(RELU.replace("  relu_kernel<<<", "#warning mind this\n  relu_kernel<<<"))
        self.assertEqual(code, PASS)
        self.assertIn("mind this", "".join(said["notes"]))


@NEEDS_DEVICE
class Wrong(InFolder):
    def test_first_difference(self):
        text = RELU.replace("fmaxf(x[i], 0.0f)", "i == 5 ? 7.0f : fmaxf(x[i], 0.0f)")
        said = self.assert_rejected("result", text)
        self.assertEqual((said["case"]["sizes"], said["index"], said["got"]), ("n=7", 5, "7"))
        self.assertIn("x[5] is 7, expected ", said["message"])
        done = self.judge(text)
        self.assertEqual(done.returncode, FAIL)
        self.assertRegex(done.stdout, r"\Arelu: wrong: result \(\d+\.\d s\)\ncase 6 of \d+: n=7, random values\n")
        self.assertIn(f"Stuck? {JUDGE} relu --hint 1\n", done.stdout)

    def test_output_that_is_not_written(self):
        text = ('#include <cuda_runtime.h>\n'
                'extern "C" void solve(const float* A, float* B, int N) {\n'
                '  cudaMemcpy(B, A, 4 * (N * N - 1), cudaMemcpyDefault);\n}\n')
        said = self.assert_rejected("result", text, exercise="matrix_copy")
        self.assertEqual(said["got"], "NaN (not written?)")

    def test_nan_does_not_pass(self):
        said = self.assert_rejected("result", RELU.replace("fmaxf(x[i], 0.0f)", "-nanf(\"\")"))
        self.assertEqual(said["got"], "NaN")

    def test_special_values(self):
        text = RELU.replace("fmaxf(x[i], 0.0f)", "x[i] * (x[i] > 0.0f)")  # infinity * 0
        said = self.assert_rejected("result", text)
        self.assertEqual(said["case"]["values"], "special")

    def test_changed_input(self):
        text = """#include <cuda_runtime.h>
__global__ void sum(float* input, float* output, int N) {
  for (int i = 1; i < N; ++i) input[0] += input[i];
  *output = input[0];
}
extern "C" void solve(const float* input, float* output, int N) {
  sum<<<1, 1>>>((float*)input, output, N);
}
"""
        said = self.assert_rejected("input", text, exercise="reduction")
        self.assertIn("input[0] has changed", said["message"])

    def test_launch_errors(self):
        said = self.assert_rejected("launch", RELU.replace("256>>>", "2048>>>"))
        self.assertRegex(said["message"], "cudaErrorInvalid(Configuration|Value)")
        self.assertIn("1024 threads", said["message"])

    def test_errors_of_calls(self):
        text = RELU.replace("  relu_kernel<<<", "  cudaMemset(nullptr, 0, n);\n  relu_kernel<<<")
        said = self.assert_rejected("launch", text)
        self.assertIn("cudaErrorInvalidValue", said["message"])

    @NEEDS_CHECKERS
    def test_errors_of_calls_come_before_what_follows_from_them(self):
        text = RELU.replace("  relu_kernel<<<", "  float* copy;\n  cudaMalloc(&copy, 4 * n);\n"
                            "  cudaMemcpy(copy, x, 4 * n + 4, cudaMemcpyDeviceToDevice);\n"
                            "  relu_kernel<<<").replace("(x, n);", "(copy, n);")
        said = self.assert_rejected("initcheck (uninitialized)", text)
        self.assertIn("launch", said["reasons"])

    def test_red_zones_or_memcheck(self):
        text = RELU.replace("if (i < n) ", "if (i < n + 1) ").replace(
            "x[i] = fmaxf(x[i], 0.0f)", "x[i] = i < n ? fmaxf(x[i], 0.0f) : 1.0f")
        self.assert_rejected("memcheck (out_of_bounds)", text)

    @NEEDS_CHECKERS
    def test_findings_name_the_learners_line(self):
        text = RELU.replace("if (i < n) ", "")
        said = self.assert_rejected("memcheck (out_of_bounds)", text)
        line = text.splitlines().index("  x[i] = fmaxf(x[i], 0.0f);") + 1
        for finding in said["findings"]:  # the load and the store
            self.assertEqual((finding["file"], finding["line"]), ("my.cu", line))
        done = self.judge(text)
        self.assertIn(f"{line} |   x[i] = fmaxf(x[i], 0.0f);\n", done.stdout)
        self.assertIn("========= Invalid __global__ read of size 4 bytes\n", done.stdout)
        self.assertIn(f"Stuck? {JUDGE} relu --hint 2\n", done.stdout)

    @NEEDS_CHECKERS
    def test_a_race_inside_a_line_needs_an_atomic_function(self):
        text = ('#include <cuda_runtime.h>\n'
                '__global__ void sum(const float* input, float* output, int N) {\n'
                '  int i = blockIdx.x * blockDim.x + threadIdx.x;\n'
                '  if (i < N) *output += input[i];\n}\n'
                'extern "C" void solve(const float* input, float* output, int N) {\n'
                '  cudaMemset(output, 0, sizeof(float));\n'
                '  sum<<<(N + 255) / 256, 256>>>(input, output, N);\n}\n')
        self.assert_rejected("racecheck (race)", text, exercise="reduction")
        done = self.judge(text, exercise="reduction")
        self.assertIn("or an atomic function", done.stdout.replace("\n=========         ", " "))

    @NEEDS_CHECKERS
    def test_notes_do_not_repeat_the_race_of_the_verdict(self):
        # Blocks also write the same value to an element, which alone is only a possible race.
        race = RELU.replace("blockIdx.x * blockDim.x + ", "")
        same_value = ("  __shared__ volatile int s;\n  s = 1;\n  if (i > 99) s = 1;\n"
                      "  if (i < n) x[i]")
        for text, notes in (
                (race, []),
                (race.replace("fmaxf(x[i], 0.0f)", "\n      fmaxf(x[i], 0.0f)"), []),
                (race.replace("  if (i < n) x[i]", same_value),
                 [f"a possible race {where}" for where in
                  ("at my.cu:6", "at my.cu:7", "between my.cu:6 and my.cu:7")])):
            with self.subTest(text):
                said = self.assert_rejected("racecheck (race)", text)
                self.assertEqual(said["notes"], notes)

    @NEEDS_CHECKERS
    def test_no_line_is_wider_than_a_terminal(self):
        for text in (RELU, RELU.replace("if (i < n) ", ""), RELU.replace("256>>>", "2048>>>"),
                     RELU.replace("x[i] = fmaxf(x[i], 0.0f)", "x[0] = x[i]")):
            with self.subTest(text):
                self.assertLessEqual(max(map(len, self.judge(text).stdout.splitlines())), 80)

    @NEEDS_CHECKERS
    def test_host_code_does_not_reach_device_memory(self):
        text = ('#include <cuda_runtime.h>\nextern "C" void solve(float* x, int n) {\n'
                '  for (int i = 0; i < n; ++i) x[i] = x[i] > 0 ? x[i] : 0;\n}\n')
        said = self.assert_rejected("memcheck (out_of_bounds)", text)
        self.assertEqual(said["findings"][0]["line"], 3)

    def test_far_out_of_bounds(self):
        text = RELU.replace("if (i < n) x[i]", "if (i < n) x[i + 100000000000]")
        said = self.assert_rejected("memcheck (out_of_bounds)" if WATCHES else "launch", text)
        self.assertEqual(said["case"]["number"], 1)

    def test_state_of_the_first_call_must_not_matter(self):
        text = RELU.replace("  relu_kernel<<<(n + 255) / 256",
                            "  static int blocks = (n + 255) / 256;\n  relu_kernel<<<blocks")
        said = self.assert_rejected("result", text)
        self.assertGreater(said["case"]["number"], 10)


@NEEDS_DEVICE
class Ended(InFolder):
    """Files that would take the judge along."""

    SOLVE = '#include <cuda_runtime.h>\n%s\nextern "C" void solve(float* x, int n) { %s }\n'

    def solve(self, body, before=""):
        return self.SOLVE % (before, body)

    def test_kernel_without_end(self):
        text = self.solve("k<<<1, 1>>>(x);",
                          "__global__ void k(float* x) { while (x[0] > -1e30f) x[0] = 1; }")
        said = self.assert_rejected("timeout", text, "--timeout", "1")
        self.assertEqual(said["case"]["number"], 1)

    def test_host_without_end(self):
        start = time.monotonic()
        self.assert_rejected("timeout", self.solve("volatile int go = 1; while (go) {}"),
                             "--timeout", "1")
        self.assertLess(time.monotonic() - start, 60)

    def test_deadlock_of_the_host(self):
        self.assert_rejected("timeout", self.solve("sleep(1000);", "#include <unistd.h>"),
                             "--timeout", "1")

    def test_too_much_memory(self):
        said = self.assert_rejected(
            "memory", self.solve("while (true) memset(malloc(1 << 26), 1, 1 << 26);",
                                 "#include <stdlib.h>\n#include <string.h>"), "--timeout", "60")
        self.assertIn("4 GiB", said["message"])

    def test_exit(self):
        for how in ("exit(0);", "_exit(0);", "quick_exit(0);"):
            with self.subTest(how):
                text = self.solve(how, "#include <stdlib.h>\n#include <unistd.h>")
                said = self.assert_rejected("exit", text)
                self.assertEqual(said["reasons"], ["exit"])

    def test_exit_at_a_limit(self):
        """As of a program that looks at the errors of launches, at more blocks than y may have."""
        text = (STYLES / "two_dimensions.cu").read_text(encoding="utf-8")
        short = text.replace("min(blocks(rows), 65535)", "blocks(rows)")
        self.assertNotEqual(short, text)
        said = self.assert_rejected("exit", short, exercise="matrix_transpose")
        self.assertGreater(int(re.search(r"rows=(\d+)", said["case"]["sizes"])[1]), 65535 * 16)

    def test_crashes(self):
        for what, says in (("raise(SIGSEGV);", "Segmentation fault"),
                           ("abort();", "Aborted"), ("throw std::bad_alloc();", "bad_alloc"),
                           ("throw 5;", "an exception")):
            with self.subTest(what):
                said = self.assert_rejected(
                    "crash", self.solve(what, "#include <signal.h>\n#include <stdlib.h>\n#include <new>"))
                self.assertIn(says, said["message"])

    def test_what_it_printed_is_shown(self):
        done = self.judge(self.solve('printf("so far %d\\n", n); abort();',
                                     "#include <stdio.h>\n#include <stdlib.h>"))
        self.assertIn("It printed:\n  so far 1\n", done.stdout.replace("\n\n", "\n"))

    def test_output_without_end(self):
        said = self.assert_rejected("timeout", self.solve('for (;;) puts("more");',
                                                          "#include <stdio.h>"), "--timeout", "1")
        self.assertEqual(said["reasons"], ["timeout"])

    def test_processes_that_are_left_behind(self):
        text = self.solve("if (fork() == 0) { sleep(1000); }", "#include <unistd.h>")
        start = time.monotonic()
        self.verdict(text)
        self.assertLess(time.monotonic() - start, 60)

    def test_nothing_is_left_in_tmp(self):
        scratch = self.folder / "tmp"
        scratch.mkdir()
        for text in (RELU, self.solve("abort();", "#include <stdlib.h>"), "no C++"):
            self.judge(text, TMPDIR=str(scratch))
            self.assertEqual(list(scratch.iterdir()), [])

    def test_interruption(self):
        scratch = self.folder / "tmp"
        scratch.mkdir()
        self.write(self.solve("for (;;) {}"))
        child = subprocess.Popen([JUDGE, "relu", "my.cu", "--timeout", "1000"], cwd=self.folder,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env={**os.environ, "TMPDIR": str(scratch)})
        deadline = time.monotonic() + 60
        # Not rglob, which fails where a folder of the compiler's is removed meanwhile.
        while time.monotonic() < deadline and not glob.glob(f"{scratch}/**/solution", recursive=True):
            time.sleep(0.1)
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=60)
        self.assertEqual(child.returncode, -signal.SIGINT)
        self.assertEqual(list(scratch.iterdir()), [])


@NEEDS_DEVICE
class NotBuilt(InFolder):
    def message(self, reason, text, **more):
        return self.assert_rejected(reason, text, **more)["message"]

    def test_compilers_message(self):
        said = self.message("compile", RELU.replace("threadIdx.x;", "threadIdx.x"))
        self.assertRegex(said, r"my\.cu[:(]5\b.*error")
        self.assertNotIn("unit.cu", said)
        self.assertNotIn("judge_asks", said)

    def test_unbalanced_braces(self):
        self.assertIn("my.cu", self.message("compile", RELU.replace("n) {", "n) { {", 1)))

    def test_undefined_function(self):
        said = self.message("compile", RELU.replace("  relu_kernel<<<", "  helper(n);\n  relu_kernel<<<")
                            .replace("extern", "void helper(int);\nextern"))
        self.assertIn("helper", said)

    def test_no_solve(self):
        said = self.message("signature", RELU.replace("solve", "solution"))
        self.assertIn("there is no function solve", said)
        self.assertIn('extern "C" void solve(float* x, int n)', said)

    def test_other_signature(self):
        for other in ("void solve(float* x, unsigned n) {}", "void solve(const float* x, int n) {}",
                      "void solve(int n, float* x) {}", "int solve(float* x, int n) { return 0; }",
                      "void solve(float* x, float* y, int n) {}"):
            with self.subTest(other):
                said = self.message("signature",
                                    '#include <cuda_runtime.h>\nextern "C" ' + other)
                self.assertIn("another signature", said)
                self.assertIn('extern "C" void solve(float* x, int n)', said)

    def test_missing_extern_c(self):
        said = self.message("signature", RELU.replace('extern "C" ', ""))
        self.assertIn('not extern "C"', said)

    def test_several_solves(self):
        said = self.message("signature", RELU + "void solve(int) {}\n")
        self.assertIn("several functions called solve", said)

    def test_extern_c_block(self):
        text = RELU.replace('extern "C" ', 'extern "C" {\n') + "}\n"
        self.assertEqual(self.verdict(text)[0], PASS)


@NEEDS_DEVICE
class ToDo(InFolder):
    EMPTY = RELU.replace("  if (i < n) x[i] = fmaxf(x[i], 0.0f);\n", "  // TODO\n")

    def test_untouched(self):
        done = self.judge(self.EMPTY)
        self.assertEqual(done.returncode, TODO)
        self.assertRegex(done.stdout, r"\Arelu: todo: my\.cu still has its TODO")

    def test_without_the_word_it_is_wrong(self):
        self.assert_rejected("result", self.EMPTY.replace("TODO", ""))

    def test_begun_is_wrong(self):
        text = RELU.replace("if (i < n) x[i]", "// TODO: small n\n  if (n > 1000 && i < n) x[i]")
        said = self.assert_rejected("result", text, "--seed", "1")
        self.assertEqual(said["case"]["sizes"], "n=2")  # the first element is positive

    def test_failing_launch_is_wrong(self):
        self.assert_rejected("launch", self.EMPTY.replace("256>>>", "2048>>>"))


@NEEDS_DEVICE
class Watch(InFolder):
    def test_again_at_every_save(self):
        self.write(RELU.replace("0.0f", "1.0f"))
        with subprocess.Popen([JUDGE, "--watch", "relu", "my.cu", "--json"], cwd=self.folder,
                              stdout=subprocess.PIPE, text=True) as child:
            self.addCleanup(child.kill)
            self.assertEqual(json.loads(child.stdout.readline())["status"], "fail")
            time.sleep(0.05)
            self.write(RELU)
            self.assertEqual(json.loads(child.stdout.readline())["status"], "pass")
            # As editors do that write another file and rename it.
            self.write("no C++", "other")
            os.replace(self.folder / "other", self.folder / "my.cu")
            self.assertEqual(json.loads(child.stdout.readline())["reason"], "compile")
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.wait(timeout=60), -signal.SIGINT)


@NEEDS_DEVICE
class Progress(InFolder):
    def progress(self):
        lines = map(json.loads, run("--list", "--json").stdout.splitlines())
        return next(line["progress"] for line in lines if line["exercise"] == "relu")

    def test_solved_for_as_long_as_the_file_is_the_same(self):
        self.judge(RELU)
        self.assertEqual(self.progress(), "solved")
        self.write(RELU + "// changed\n")
        self.assertNotEqual(self.progress(), "solved")
        self.judge(RELU)
        self.assertEqual(self.progress(), "solved")
        (self.folder / "my.cu").unlink()
        self.assertNotEqual(self.progress(), "solved")


@NEEDS_CHECKERS
class Draw(InFolder):
    def drawing(self, text, *words, **more):
        """The verdict on a file, and the data of what was drawn."""
        code, said = self.verdict(text, "--draw", "out.html", *words, **more)
        page = self.folder / "out.html"
        if not page.exists():
            return code, said, None
        text = page.read_text(encoding="utf-8")
        return code, said, json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])

    def test_the_case_that_is_counted(self):
        code, said, drawing = self.drawing(RELU)
        self.assertEqual((code, said["status"]), (PASS, "pass"), said)
        self.assertRegex(said["notes"][-1], r"^case \d+ \(n=\d+\) is drawn in out\.html$")
        launch, = drawing["launches"]
        counted = said["launches"][0]
        self.assertEqual((launch["kernel"], launch["grid"]), (counted["kernel"], counted["grid"]))
        load = next(access for line in launch["lines"] for access in line["accesses"]
                    if access["name"].startswith("load from global"))
        expected = counted["counters"]["global_load"]
        self.assertEqual((load["requests"], load["units"]),
                         (expected["requests"], expected["sectors"]))
        self.assertEqual([file["name"] for file in drawing["files"]], ["my.cu"])

    def test_the_case_that_fails(self):
        code, said, drawing = self.drawing(RELU.replace("fmaxf(x[i], 0.0f)", "5.0f"))
        self.assertEqual((code, said["case"]["number"]), (FAIL, 1), said)
        self.assertIn(f"case 1 ({said['case']['sizes']})", said["notes"][-1])
        self.assertEqual(drawing["launches"][0]["grid"], [1, 1, 1])

    def test_a_solution_without_end_is_not_drawn(self):
        endless = RELU.replace("relu_kernel<<<", "while (true);\n  relu_kernel<<<")
        _, said, drawing = self.drawing(endless, "--timeout", "1")
        self.assertEqual(said["reason"], "timeout")
        self.assertIsNone(drawing)
        self.assertIn("nothing was drawn", said["notes"][-1])

    def test_no_file_but_a_page_is_written(self):
        done = self.judge(RELU, "--draw", "my.cu")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("--draw my.cu", done.stderr)
        self.assertEqual((self.folder / "my.cu").read_text(encoding="utf-8"), RELU)

    def test_where_it_cannot_be_written(self):
        done = self.judge(RELU, "--draw", "missing/out.html")
        self.assertEqual(done.returncode, 4)
        self.assertIn("missing/out.html: cannot be written", done.stderr)


@NEEDS_CHECKERS
class Advice(InFolder):
    """One line on what would make a right solution faster, from what was counted."""

    def advice(self, text, exercise="relu"):
        code, said = self.verdict(text, exercise=exercise)
        self.assertEqual(code, PASS, said)
        self.assertEqual(len(said["advice"].splitlines()), 1)
        return said["advice"]

    def test_width(self):
        self.assertIn("float4", self.advice(RELU))

    def test_uncoalesced(self):
        text = RELU.replace("  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "  if (i < n) x[i]", "  int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "  int m = (n + 15) / 16;\n  int i = t % 16 * m + t / 16;\n"
                            "  if (t / 16 < m && i < n) x[i]")
        text = text.replace("(n + 255) / 256", "(n + 15) / 16 * 16 / 256 + 1")
        said = self.advice(text)
        self.assertRegex(said, r"my\.cu:\d+: .* touches 18 sectors where 4 would .*coalescing")

    def test_bank_conflicts(self):
        text = """#include <cuda_runtime.h>
__global__ void relu_kernel(float* x, int n) {
  __shared__ float4 packs[1024];
  int at = threadIdx.x % 32 * 32 + threadIdx.x / 32;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  packs[at] = i < n / 4 ? reinterpret_cast<float4*>(x)[i] : float4();
  float4 v = packs[at];
  v = make_float4(fmaxf(v.x, 0), fmaxf(v.y, 0), fmaxf(v.z, 0), fmaxf(v.w, 0));
  if (i < n / 4) reinterpret_cast<float4*>(x)[i] = v;
  i += n / 4 * 4;
  if (i < n) x[i] = fmaxf(x[i], 0);
}
extern "C" void solve(float* x, int n) { relu_kernel<<<n / 4 / 256 + 1, 256>>>(x, n); }
"""
        self.assertIn("32 wavefronts per load of shared memory where 4 would do", self.advice(text))
        text = RELU.replace("  if (i < n) x[i] = fmaxf(x[i], 0.0f);", """
  __shared__ float words[1024 + 8];
  int at = threadIdx.x % 32 * 32 + threadIdx.x / 32;
  words[at] = i < n ? fmaxf(x[i], 0.0f) : 0.0f;
  if (i < n) x[i] = words[at];""")
        self.assertIn("32 wavefronts per store of shared memory where 1 would do", self.advice(text))

    def test_small_blocks(self):
        text = RELU.replace("(n + 255) / 256, 256", "(n + 31) / 32, 32")
        self.assertIn("blocks of 32 threads", self.advice(text))

    def test_one_thread(self):
        text = (RELU.replace("if (i < n)", "if (i == 0) for (; i < n; ++i)")
                .replace("(n + 255) / 256, 256", "1, 1"))
        self.assertIn("runs in one thread", self.advice(text))

    def test_one_block(self):
        text = (RELU.replace("if (i < n)", "for (; i < n; i += blockDim.x)")
                .replace("(n + 255) / 256, 256", "1, 256"))
        self.assertIn("one SM", self.advice(text))

    def test_single_threads_as_blocks(self):
        self.assertIn("31 have nothing to do", self.advice(RELU.replace(
            "(n + 255) / 256, 256", "n, 1")))

    def test_single_bytes(self):
        text = """#include <cuda_runtime.h>
__global__ void invert(unsigned char* image, int pixels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  for (int c = 0; c < 3; ++c) image[4 * i + c] = 255 - image[4 * i + c];
}
extern "C" void solve(unsigned char* image, int width, int height) {
  invert<<<(width * height + 255) / 256, 256>>>(image, width * height);
}
"""
        self.assertIn("less than 4 bytes", self.advice(text, exercise="color_inversion"))

    def test_no_kernel(self):
        text = ('#include <cuda_runtime.h>\n'
                'extern "C" void solve(const float* A, float* B, int N) {\n'
                '  cudaMemcpy(B, A, 4ull * N * N, cudaMemcpyDefault);\n}\n')
        self.assertIn("no kernel", self.advice(text, exercise="matrix_copy"))

    def test_many_launches(self):
        text = RELU.replace("  relu_kernel<<<", "  for (int i = 0; i < 20; ++i)\n  relu_kernel<<<")
        self.assertRegex(self.advice(text), "20 launches|moves 20 times")


def names_of(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from names_of(test)
        else:
            yield test.id().removeprefix("__main__.")


def main(module):
    """Runs the tests of a module that the command line names."""
    if shutil.which(JUDGE) is None:
        sys.exit(f"{JUDGE}: not there")
    names = list(names_of(unittest.defaultTestLoader.loadTestsFromModule(module)))
    if TESTS == ["list"]:
        print(*names, sep="\n")
    elif share := re.fullmatch(r"(\d+)/(\d+)", " ".join(TESTS)):
        part, parts = map(int, share.groups())
        unittest.main(module, argv=[sys.argv[0], *names[part - 1::parts]])
    else:
        unittest.main(module, argv=[sys.argv[0], *TESTS])


if __name__ == "__main__":
    main(sys.modules["__main__"])
