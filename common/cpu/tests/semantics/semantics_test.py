"""Runs the programs of this folder, which hold what CUDA promises of warps, barriers and progress.

usage: semantics_test.py CUCPU [NAME...]
       semantics_test.py --nvcc NVCC [NAME...]

With cucpu, each is run in several orders of its threads, with and without tools; nothing may be
wrong, and the tools must have nothing to say. With nvcc, each is run once, on the GPU.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LEAST_CASES = 60  # of all programs together
ORDERS = ['ascending', 'descending', 'random:1', 'random:2', 'random:3']
TOOLS = ['', 'all']
TIMEOUT = 100


def run(command, **environment):
    return subprocess.run([str(word) for word in command], text=True, capture_output=True,
                          timeout=TIMEOUT, env={**os.environ, 'CUCPU_TIMEOUT': '20', **environment})


def build(compiler, options, source, folder):
    program = pathlib.Path(folder) / source.stem
    result = run([compiler, *options, source, '-o', program])
    if result.returncode != 0:
        sys.exit(f'{source.name} does not compile:\n{result.stdout}{result.stderr}')
    return program


def runs(on_gpu):
    """The environments in which each program runs."""
    if on_gpu:
        return [{}]
    return [{'CUCPU_ORDER': order, **({'CUCPU_TOOLS': tools} if tools else {})}
            for order in ORDERS for tools in TOOLS]


def check(program, environment):
    """Returns the number of cases that are right, and what is wrong."""
    name = ' '.join([program.name, *(f'{key}={value}' for key, value in environment.items())])
    try:
        result = run([program], **environment)
    except subprocess.TimeoutExpired:
        return 0, f'{name} does not end'
    lines = result.stdout.splitlines()
    right = sum(line.endswith(': right') for line in lines)
    if result.returncode == 0 and lines and right == len(lines):
        return right, None
    wrong = '\n'.join('  ' + line for line in lines if not line.endswith(': right'))
    return right, f'{name}: exit code {result.returncode}\n{wrong}\n{result.stderr}'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--nvcc', action='store_true', help='run on the GPU')
    parser.add_argument('compiler')
    parser.add_argument('names', nargs='*')
    arguments = parser.parse_args()
    sources = [s for s in sorted(HERE.glob('*.cu')) if s.stem in arguments.names or not arguments.names]
    options = ['-std=c++20', '-arch=native'] if arguments.nvcc else ['-O2', '-Wall', '-Wextra', '-Werror']
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        programs = list(pool.map(
            lambda source: build(arguments.compiler, options, source, folder), sources))
        # Threads that wait for one another need cores: one program at a time.
        results = [check(program, environment)
                   for program in programs for environment in runs(arguments.nvcc)]
    wrong = [what for _, what in results if what is not None]
    cases = sum(right for right, _ in results) // len(runs(arguments.nvcc))
    print(f'{cases} cases in {len(sources)} programs, each in {len(runs(arguments.nvcc))} runs')
    if not arguments.names and cases < LEAST_CASES:
        wrong.append(f'{LEAST_CASES} cases are expected')
    if wrong:
        sys.exit('\n'.join(wrong))


main()
