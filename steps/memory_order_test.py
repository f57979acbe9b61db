"""The last block's memory order: acquire-release is enough, and less is a race.

usage: memory_order_test.py CUCPU
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HEADER = (pathlib.Path(__file__).resolve().parent / "05_reduce_warp_shuffle" / "further" /
          "last_arrival.cuh")
PROGRAM = """
__global__ void count_blocks(float* ones, unsigned* done, float* sum) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    ones[blockIdx.x] = 1.0f;
    is_last = is_last_arrival(done);
  }
  __syncthreads();
  if (!is_last || threadIdx.x > 0) return;
  float value = 0.0f;
  for (unsigned block = 0; block < gridDim.x; ++block) value += ones[block];
  *sum = value;
}

int main() {
  constexpr unsigned kBlocks = 20;
  float* ones = nullptr;
  float* sum = nullptr;
  unsigned* done = nullptr;
  cudaMalloc(&ones, kBlocks * sizeof(float));
  cudaMalloc(&sum, sizeof(float));
  cudaMalloc(&done, sizeof(unsigned));
  cudaMemset(done, 0, sizeof(unsigned));
  count_blocks<<<kBlocks, 64>>>(ones, done, sum);
  float result = 0.0f;
  cudaMemcpy(&result, sum, sizeof(float), cudaMemcpyDeviceToHost);
  return result == kBlocks ? 0 : 2;
}
"""


class Order(unittest.TestCase):
    def run_with(self, order):
        text = HEADER.read_text(encoding="utf-8").replace("#pragma once\n", "")
        self.assertEqual(text.count("memory_order_acq_rel"), 1)
        with tempfile.TemporaryDirectory() as folder:
            source, program = (pathlib.Path(folder) / name for name in ("count.cu", "count"))
            source.write_text(text.replace("memory_order_acq_rel", order) + PROGRAM,
                              encoding="utf-8")
            subprocess.run([*CUCPU, str(source), "-o", str(program), "-std=c++20"], check=True)
            return subprocess.run([str(program)], capture_output=True, text=True,
                                  env={**os.environ, "CUCPU_TOOLS": "racecheck"})

    def test_acquire_release_is_enough(self):
        done = self.run_with("memory_order_acq_rel")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Race reported", done.stderr)

    def test_without_release_it_is_a_race(self):
        for order in ("memory_order_relaxed", "memory_order_acquire"):
            done = self.run_with(order)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("Error: Race reported", done.stderr)

    def test_without_acquire_there_is_a_warning(self):
        done = self.run_with("memory_order_release")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Warning: Race reported", done.stderr)
        self.assertIn("A fence is missing after the atomic", " ".join(done.stderr.split()))


if __name__ == "__main__":
    CUCPU = [sys.argv[1]]
    unittest.main(argv=sys.argv[:1])
