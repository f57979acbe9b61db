"""The judge's first words on programs as learners write them (learners.py): they have to be the
sentence that names the mistake.

    verdicts_test.py JUDGE_TOGETHER [PART/PARTS]

Programs for one exercise are compiled together, and judged one by one.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import learners

JUDGE = sys.argv[1]
PART, PARTS = map(int, (sys.argv[2] if len(sys.argv) > 2 else "1/1").split("/"))
WANTED_SHARE = 0.95

# The solutions that come with the exercises, and what each gains by the idea of the next one.
STEPS = pathlib.Path(__file__).resolve().parents[3] / "steps"
REFERENCES = {
    "03_reduce_atomic/exercises/reduction/solutions/1_atomic.cu": r".*do one atomic$",
    "03_reduce_atomic/exercises/reduction/solutions/2_shared.cu": r".*start fewer blocks",
    "03_reduce_atomic/exercises/reduction/solutions/3_shuffle.cu": r".*start fewer blocks",
    "03_reduce_atomic/exercises/reduction/solutions/4_grid_stride.cu": "the counters show nothing",
    "06_softmax_warp/exercises/softmax_rows/solutions/1_warp_shared.cu": r".*is read 3 times",
    "06_softmax_warp/exercises/softmax_rows/solutions/2_warp_xor.cu": r".*is read 3 times",
    "06_softmax_warp/exercises/softmax_rows/solutions/3_block.cu": "the counters show nothing",
    "07_transpose_naive/exercises/matrix_transpose/solutions/1_naive.cu":
        r".*each store of a warp.*\(the loads are coalesced\)",
    "07_transpose_naive/exercises/matrix_transpose/solutions/2_tile.cu": r".*bank conflicts",
}


# The lines of the possible races that the notes name. A race that is the verdict is not named again;
# one at other lines is, and so is one beside another verdict. Unlike the sentences, these hold for
# each program.
NOTED_RACES = {
    "relu_thread": [], "relu_by_hand": [], "leaky_sum": [], "max_fmaxf": [],
    "relu_flag": [["6"]],
    "sigmoid_thread": [["5"]], "square_no_blocks": [["5"]], "square_none_16": [["5"]],
    "all_blocks_write_all": [["5"]],
}


def references():
    for name, wanted in REFERENCES.items():
        path = STEPS / name
        yield learners.Program("reference", path.stem, path.parent.parent.name, wanted, True,
                               path.read_text(encoding="utf-8"))


def sentence(said):
    return said["advice"] if said["status"] == "pass" else said["diagnosis"]


def noted_races(said):
    return [re.findall(r"\.cu:(\d+)", note) for note in said["notes"] if "a possible race" in note]


def judged(exercise, programs, folder):
    """The verdict on each of them."""
    files = []
    for program in programs:
        file = folder / f"{program.kind}_{program.name}.cu"
        file.write_text(program.text, encoding="utf-8")
        files.append(str(file))
    done = subprocess.run([JUDGE, exercise, *files], capture_output=True, text=True, timeout=300)
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    if len(verdicts) != len(programs):
        sys.exit(f"{exercise}: {len(verdicts)} verdicts on {len(programs)} programs\n{done.stderr}")
    return zip(programs, verdicts)


def main():
    everything = [*learners.check(), *references()]
    absent = NOTED_RACES.keys() - {program.name for program in everything}
    assert not absent, absent
    by_exercise = collections.defaultdict(list)
    for program in everything:
        by_exercise[program.exercise].append(program)
    # Large groups first, each to the part that has least to do.
    parts = [[] for _ in range(PARTS)]
    for exercise, programs in sorted(by_exercise.items(), key=lambda item: -len(item[1])):
        min(parts, key=lambda part: sum(len(group) for _, group in part)).append((exercise, programs))

    right, count, other, unlike = 0, 0, [], []
    for exercise, programs in parts[PART - 1]:
        with tempfile.TemporaryDirectory() as folder:
            for program, said in judged(exercise, programs, pathlib.Path(folder)):
                count += 1
                wanted = NOTED_RACES.get(program.name)
                if wanted is not None and noted_races(said) != wanted:
                    unlike.append(f"{program.name}: the notes name possible races at "
                                  f"{noted_races(said)}, wanted: {wanted}")
                passes = said["status"] == "pass"
                if passes == program.passes and re.match(program.wanted, sentence(said)):
                    right += 1
                    continue
                other.append(f"{program.kind}/{program.name} ({exercise}): {said['status']} "
                             f"{said.get('reasons', '')}\n  wanted: {program.wanted}\n"
                             f"  said:   {sentence(said)}\n  {said.get('message', '')}")
    print("\n".join(other))
    print(f"{right} of {count} programs get the sentence that they should get")
    print("\n".join(unlike))
    sys.exit(right < WANTED_SHARE * count or bool(unlike))


if __name__ == "__main__":
    main()
