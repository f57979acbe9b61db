#!/usr/bin/env python3
"""How launches get on that wait: on a busy host, after a stop, or for a launch that cannot begin.

usage: progress_test.py CUCPU CAN_WATCH    (yes or no: whether CUCPU_TOOLS has an effect)
"""

import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
CUCPU = pathlib.Path(sys.argv[1]).resolve()
CAN_WATCH = sys.argv[2] == "yes"
CHAINED_BLOCKS = 1024  # of chained_blocks.cu
# CPU time per block and worker. Measured: 0.0001 at most, also on a busy machine; 0.0006 and more
# if a waiting block uses up its time slices.
MOST_SECONDS = 0.0003


class Progress(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def compiled(self, source):
        program = pathlib.Path(self.folder.name) / pathlib.Path(source).stem
        subprocess.run([CUCPU, "-O1", HERE / source, "-o", program], check=True, timeout=200)
        return program

    def cpu_seconds(self, program, workers):
        """The CPU time of a run with all threads on one core."""
        def used():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime

        before = used()
        core = min(os.sched_getaffinity(0))
        subprocess.run([program], check=True, timeout=100,
                       env={**os.environ, "CUCPU_THREADS": str(workers)},
                       preexec_fn=lambda: os.sched_setaffinity(0, [core]))
        return used() - before

    def test_blocks_that_wait_for_the_one_before(self):
        program = self.compiled("programs/chained_blocks.cu")
        for workers in (2, 8):
            # A single run may be lucky.
            most = max(self.cpu_seconds(program, workers) for _ in range(3))
            with self.subTest(workers=workers):
                self.assertLess(most, CHAINED_BLOCKS * workers * MOST_SECONDS)

    def test_a_stopped_program_loses_no_time(self):
        program = self.compiled("waits_for_input.cu")
        with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "CUCPU_TIMEOUT": "3"}) as running:
            self.assertEqual(running.stdout.readline(), "before it spins\n")
            running.send_signal(signal.SIGSTOP)
            time.sleep(5)
            running.send_signal(signal.SIGCONT)
            time.sleep(0.5)  # for the watchdog to have a look
            self.assertEqual(running.communicate("\n", timeout=60), ("cudaSuccess\n", None))

    @unittest.skipUnless(CAN_WATCH, "needs programs that count what they do")
    def test_launch_that_waits_for_a_later_one(self):
        ran = subprocess.run(
            [self.compiled("programs/launches_that_meet.cu")], capture_output=True, text=True,
            timeout=60, env={**os.environ, "CUCPU_TIMEOUT": "2", "CUCPU_TOOLS": "memcheck"})
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("With CUCPU_TOOLS launches run one at a time: raise_flag, launched later",
                      ran.stderr.replace("\n=========         ", " "))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
