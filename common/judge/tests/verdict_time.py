"""How long a verdict takes: each exercise's last solution, judged alone, its compilation included.

    verdict_time.py JUDGE [EXERCISE...]

Prints wall time and processor time per exercise, children included, and their medians. Exit code 1
if a solution fails, or if the median of the processor times is beyond the limit: that is the wall
time of an idle machine with one core, and other work does not change it much.
"""

import json
import pathlib
import resource
import statistics
import subprocess
import sys
import time

LIMIT_S = 1.5


def processor_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def judge(program, exercise, file):
    """The verdict's wall time and processor time, or nothing if it is not a pass."""
    wall, processor = time.monotonic(), processor_s()
    done = subprocess.run([program, exercise, file], capture_output=True, text=True)
    times = time.monotonic() - wall, processor_s() - processor
    if done.returncode != 0:
        print(f"{exercise}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return None
    return times


def main():
    program, *wanted = sys.argv[1:]
    listed = subprocess.run([program, "--list", "--json"], capture_output=True, text=True,
                            check=True)
    times = []
    for exercise in map(json.loads, listed.stdout.splitlines()):
        name = exercise["exercise"]
        if wanted and name not in wanted:
            continue
        solutions = sorted((pathlib.Path(exercise["path"]) / "solutions").glob("*.cu"))
        taken = judge(program, name, solutions[-1])
        times.append(taken)
        if taken:
            print(f"{name:30} {taken[0]:6.2f} s {taken[1]:6.2f} s of a processor", flush=True)
    if not times or None in times:
        return 1
    wall, processor = (statistics.median(each) for each in zip(*times))
    print(f"median of {len(times):3} exercises        {wall:6.2f} s {processor:6.2f} s of a "
          f"processor (limit: {LIMIT_S} s)")
    return 1 if processor > LIMIT_S else 0


if __name__ == "__main__":
    sys.exit(main())
