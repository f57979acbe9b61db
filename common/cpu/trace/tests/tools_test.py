"""Programs built by cucpu, run with CUCPU_TOOLS as a user does."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CUCPU = pathlib.Path(sys.argv[1]).resolve()

PROGRAM = """#include <cstdio>

__global__ void twice(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

int main(int argc, char** argv) {
  float* x;
  cudaMalloc(&x, 1024 * sizeof(float));
  twice<<<4, 256>>>(x, 1000);
  cudaDeviceSynchronize();
  std::printf("%d arguments, %s\\n", argc, argv[argc - 1]);
  return 3;
}
"""


class Tools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "twice.cu").write_text(PROGRAM)
        command = [CUCPU, "twice.cu", "-o", "twice"]
        subprocess.run(command, cwd=cls.path, check=True, timeout=120)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_program(self, program="./twice", **environment):
        return subprocess.run([program, "last"], cwd=self.path, capture_output=True, text=True,
                              env={**os.environ, **environment}, timeout=60)

    def test_without_tools(self):
        ran = self.run_program()
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (3, "2 arguments, last\n", ""))

    def test_counters_are_printed_and_change_nothing_else(self):
        ran = self.run_program(CUCPU_TOOLS="counters")
        self.assertEqual((ran.returncode, ran.stdout), (3, "2 arguments, last\n"))
        self.assertIn("twice <<<(4), (256)>>>", ran.stderr)
        self.assertIn("twice.cu:5", ran.stderr)
        for line in ran.stderr.splitlines():
            self.assertLessEqual(len(line), 80)

    def test_json(self):
        ran = self.run_program(CUCPU_TOOLS="counters", CUCPU_JSON="out.jsonl")
        self.assertEqual(ran.returncode, 3)
        [line] = (self.path / "out.jsonl").read_text().splitlines()
        launch = json.loads(line)
        self.assertEqual(launch["type"], "launch")
        self.assertEqual(launch["kernel"], "twice")
        self.assertEqual((launch["grid"], launch["block"]), ([4, 1, 1], [256, 1, 1]))
        counters = launch["counters"]
        for kind in ("global_load", "global_store"):
            self.assertEqual(counters[kind]["requests"], 32)
            self.assertEqual(counters[kind]["sectors"], 125)
            self.assertEqual(counters[kind]["threads"], 1000)
        self.assertEqual(counters["shared_load"]["requests"], 0)
        self.assertEqual(counters["barriers"], 0)

    def test_unknown_tool(self):
        ran = self.run_program(CUCPU_TOOLS="counters,luck")
        self.assertEqual(ran.returncode, 2)
        self.assertEqual(ran.stdout, "")
        self.assertEqual(ran.stderr.count("\n"), 1)
        self.assertIn("error: CUCPU_TOOLS=counters,luck: ", ran.stderr)
        self.assertIn("counters", ran.stderr.split("must be")[1])

    def test_number_of_multiprocessors_that_makes_no_sense(self):
        ran = self.run_program(CUCPU_SMS="0")
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertEqual(ran.stderr, "error: CUCPU_SMS=0: must be a number from 1 to 1024\n")

    def test_no_twin(self):
        (self.path / "alone").write_bytes((self.path / "twice").read_bytes())
        (self.path / "alone").chmod(0o755)
        ran = self.run_program("./alone", CUCPU_TOOLS="counters")
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("alone.traced", ran.stderr)

    def test_file_that_cannot_be_written(self):
        ran = self.run_program(CUCPU_TOOLS="counters", CUCPU_JSON="no/such/folder")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("error: CUCPU_JSON=no/such/folder", ran.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
