"""Kernels' output: when it appears, and that a killed program loses nothing of it.

usage: printing_test.py CUCPU CAN_WATCH    (yes or no: whether CUCPU_TOOLS has an effect)
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
CUCPU = pathlib.Path(sys.argv[1]).resolve()
CAN_WATCH = sys.argv[2] == "yes"
SAID = "kernel {} 0.5%   7\na line\nc\n"


class Printing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        subprocess.run([CUCPU, "-O1", HERE / "printing.cu", "-o", cls.path / "printing"],
                       check=True, timeout=200)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_program(self, *command, **environment):
        """The exit code, and what came through the pipes."""
        ran = subprocess.run([self.path / command[0], *command[1:]], capture_output=True, text=True,
                             timeout=60, env={**os.environ, "CUCPU_TIMEOUT": "2", **environment})
        return ran.returncode, ran.stdout, ran.stderr.replace("\n=========         ", " ")

    def test_comes_out_when_something_synchronizes(self):
        for tools in ("", "racecheck") if CAN_WATCH else ("",):
            code, out, err = self.run_program("printing", "order", CUCPU_TOOLS=tools)
            self.assertEqual(out, "host\n" + SAID.format(1) + "returned 5\n")
            self.assertEqual(code, 0, err)

    def test_is_there_when_the_program_aborts(self):
        code, out, _ = self.run_program("printing", "aborts")
        self.assertEqual((code, out), (-6, SAID.format(1)))

    def test_is_there_when_the_program_is_killed(self):
        with subprocess.Popen([self.path / "printing", "spins"], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "CUCPU_TIMEOUT": "50"}) as program:
            self.assertEqual(program.stdout.readline(), "before it spins\n")
            program.kill()

    def test_is_there_when_the_launch_times_out(self):
        for tools in ("", "all") if CAN_WATCH else ("",):
            code, out, err = self.run_program("printing", "spins", CUCPU_TOOLS=tools)
            self.assertEqual((code, out), (0, "before it spins\ncudaErrorLaunchTimeout\n"))
            self.assertIn("CUCPU_TIMEOUT", err)

    def test_nobody_waits(self):
        code, out, err = self.run_program("printing", "leaves")
        self.assertEqual((code, out), (0, SAID.format(1)))
        self.assertIn("note: kernels printed 27 bytes after the last synchronization", err)

    def test_more_than_a_device_keeps(self):
        _, out, err = self.run_program("printing", "much")
        self.assertEqual(out, "".join(f"line {i:4} of many\n" for i in range(200)))
        self.assertEqual(err.count("more than 2000 bytes (cudaLimitPrintfFifoSize)"), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
