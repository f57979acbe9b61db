"""matrix_mul as a user runs it: every flag, bad ones, its lines of output, and the reader's own build.

    matrix_mul_test.py BUILD BACKEND
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent / "matrix_mul.cu"
BUILD = pathlib.Path(sys.argv[1])
BACKEND = sys.argv[2]
PROGRAM = BUILD / "steps" / "10_sgemm_blocktile" / "matrix_mul"
COMPILER = BUILD / "cucpu" if BACKEND == "cpu" else shutil.which("nvcc")
NO_DEVICE = 77

LINES = re.compile(
    r"\[Matrix Multiply Using CUDA\] - Starting\.\.\.\n"
    r'GPU Device (?P<device>\d+): ".+" with compute capability \d+\.\d+\n'
    r"\n"
    r"MatrixA\((?P<wA>\d+),(?P<hA>\d+)\), MatrixB\((?P<wB>\d+),(?P<hB>\d+)\)\n"
    r"Computing result using CUDA Kernel\.\.\.\n"
    r"done\n"
    r"Performance= (?P<gflops>[\d.]+) GFlop/s, Time= (?P<ms>[\d.]+) msec, Size= (?P<ops>\d+) Ops, "
    r"WorkgroupSize= (?P<threads>\d+) threads/block\n"
    r"Checking computed result for correctness: Result = PASS\n")


def run(*arguments, program=PROGRAM):
    return subprocess.run([str(word) for word in (program, *arguments)], capture_output=True,
                          text=True, timeout=120, check=False)


HAS_DEVICE = run("-wA=1", "-hA=1", "-wB=1").returncode != NO_DEVICE
NEEDS_DEVICE = unittest.skipUnless(HAS_DEVICE, "no device")


def built(folder, text=None):
    """The program as a reader builds it, from the file or from a changed one."""
    source = SOURCE
    if text is not None:
        source = pathlib.Path(folder) / "changed.cu"
        source.write_text(text, encoding="utf-8")
    program = pathlib.Path(folder) / "matrix_mul"
    done = subprocess.run([str(COMPILER), str(source), "-o", str(program)], capture_output=True,
                          text=True, timeout=280, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return program


class Flags(unittest.TestCase):
    def passes(self, *arguments, program=PROGRAM):
        done = run(*arguments, program=program)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        match = LINES.fullmatch(done.stdout)
        self.assertIsNotNone(match, done.stdout)
        return {key: float(value) for key, value in match.groupdict().items()}

    def shape(self, *arguments):
        said = self.passes(*arguments, "-repeat=1")
        self.assertEqual(said["wA"], said["hB"])
        self.assertEqual(said["ops"], 2 * said["hA"] * said["wB"] * said["wA"])
        return said["hA"], said["wB"], said["wA"]

    @NEEDS_DEVICE
    def test_no_flags(self):
        said = self.passes("-repeat=1")
        self.assertEqual([said[key] for key in ("wA", "hA", "wB", "hB")], [320, 320, 640, 320])
        self.assertEqual((said["threads"], said["device"]), (1024, 0))
        self.assertGreater(said["gflops"], 0)
        self.assertAlmostEqual(said["gflops"] * said["ms"] * 1e6 / said["ops"], 1, delta=0.05)

    @NEEDS_DEVICE
    def test_every_flag_of_size(self):
        self.assertEqual(self.shape("-wA=64"), (320, 640, 64))
        self.assertEqual(self.shape("-hB=64"), (320, 640, 64))
        self.assertEqual(self.shape("-hA=64"), (64, 640, 320))
        self.assertEqual(self.shape("-wB=64"), (320, 64, 320))
        self.assertEqual(self.shape("--k=64"), (320, 640, 64))
        self.assertEqual(self.shape("--m=64"), (64, 640, 320))
        self.assertEqual(self.shape("--n=64"), (320, 64, 320))

    @NEEDS_DEVICE
    def test_one_dash_or_two_and_equals_or_space(self):
        for dash in "-", "--":
            self.assertEqual(self.shape(f"{dash}wA=6", f"{dash}hA=3", f"{dash}wB=9", f"{dash}hB=6"),
                             (3, 9, 6))
            self.assertEqual(self.shape(f"{dash}m", 3, f"{dash}n", 9, f"{dash}k", 6), (3, 9, 6))
        self.assertEqual(self.shape("-wA=6", "--k", 6, "-hB=6", "-m=3", "-hA", 3, "-wB=9"), (3, 9, 6))

    @NEEDS_DEVICE
    def test_block(self):
        self.assertEqual(self.passes("-block=16", "-repeat=1")["threads"], 256)
        self.assertEqual(self.passes("--block", 32, "-repeat=1")["threads"], 1024)

    @NEEDS_DEVICE
    def test_device(self):
        self.assertEqual(self.passes("-device=0", "-k=1")["device"], 0)
        self.refuses("-device=1000", says="-device 1000: allowed: 0 to ")

    @NEEDS_DEVICE
    def test_right_at_every_size(self):
        sizes = (1, 2, 15, 16, 17, 31, 32, 33, 67)
        for i, m in enumerate(sizes):
            n, k = sizes[(i * 2 + 1) % len(sizes)], sizes[(i * 4 + 3) % len(sizes)]
            for block in 16, 32:
                self.assertEqual(self.shape(f"-hA={m}", f"-wB={n}", f"-wA={k}", f"-block={block}"),
                                 (m, n, k))

    @NEEDS_DEVICE
    def test_more_rows_than_a_grid_has_in_y(self):
        self.shape("-hA=1100000", "-wB=1", "-wA=1", "-block=16")

    def test_help(self):
        for flag in "-help", "--help", "-h", "-?":
            done = run(flag)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for name in "-wA", "-hA", "-wB", "-hB", "--m", "--n", "--k", "-device", "-block", "-repeat":
                self.assertIn(name, done.stdout)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def refuses(self, *arguments, says):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        self.assertRegex(done.stderr, r"\Aerror: [^\n]+\n\Z")
        self.assertIn(says, done.stderr)

    def test_bad_flags(self):
        number = "allowed: a whole number from 1 to 1073741824"
        for flag in "-wA", "-hA", "-wB", "-hB", "--m", "--n", "--k", "-repeat":
            for value in "0", "-1", "x", "", "1.5", "1e3", " 1", "1 ", "1073741825", "9" * 30:
                self.refuses(f"{flag}={value}", says=f"{flag} '{value}': {number}")
            self.refuses(flag, "none", says=f"{flag} 'none': {number}")
            self.refuses(flag, says=f"{flag}: needs a value")
        self.refuses("-device=x", says="-device 'x': allowed: a whole number from 0 to")
        self.refuses("-block=8", says="-block 8: allowed: 16, 32")
        for argument in "-foo", "-foo=1", "foo", "320", "", "-", "--", "---wA=1", "-=1", "-wa=1":
            self.refuses(argument, says=f"'{argument}': there is no such flag")

    def test_sizes_that_differ(self):
        allowed = "allowed: the same value for both"
        self.refuses("-wA=64", "-hB=32", says=f"-hB 32: differs from -wA 64; {allowed}")
        self.refuses("-hB=32", "--k", "64", says=f"--k 64: differs from -hB 32; {allowed}")
        self.refuses("-hA=1", "--m=2", says=f"--m 2: differs from -hA 1; {allowed}")
        self.refuses("-wB=1", "--n=2", says=f"--n 2: differs from -wB 1; {allowed}")

    @NEEDS_DEVICE
    def test_no_memory(self):
        done = run("-hA=1000000000", "-wA=1000000000")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "error: matrices of this size do not fit in memory\n")

    @NEEDS_DEVICE
    @unittest.skipUnless(COMPILER, "no compiler")
    def test_a_reader_builds_it(self):
        with tempfile.TemporaryDirectory() as folder:
            self.passes("-wA=33", "-repeat=1", program=built(folder))

    @NEEDS_DEVICE
    @unittest.skipUnless(COMPILER, "no compiler")
    def test_a_wrong_kernel_fails(self):
        right = "for (int k = 0; k < kTile; ++k)"
        text = SOURCE.read_text(encoding="utf-8")
        self.assertEqual(text.count(right), 1)
        with tempfile.TemporaryDirectory() as folder:
            program = built(folder, text.replace(right, "for (int k = 0; k < kTile - 1; ++k)"))
            done = run("-wA=4096", "-hA=8", "-wB=40", "-repeat=1", program=program)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("Error! C[0][0] = ", done.stdout)
        self.assertTrue(done.stdout.endswith("Result = FAIL\n"), done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
