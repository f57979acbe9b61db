"""Parts that only the start page has: the way in, proofs from the records, where the code is."""

import book
import faults
import measured
import publishing
import templates
from faults import wrong_twins_report

# The steps whose best kernels are compared with the vendor's.
COMPARED = ["05_reduce_warp_shuffle", "08_transpose_shared", "12_sgemm_warptile_zorder"]


def counts():
    launches = book.recorded("agreement")
    same = sum(not line["differ"] for line in launches)
    return (f"{same} of {len(launches)}", "You need no GPU",
            "launches have every count equal on a CPU and by Nsight Compute on an H200; "
            "the others are listed with their differences.", "results_agreement")


def planted():
    lines = faults.twins()
    on_gpu = [line for line in lines if line["gpu"] is not None]

    def found(among, side):
        return sum(wrong_twins_report.is_found(line, side) for line in among)
    return (f"{found(lines, 'cpu')} of {len(lines)}", "Your mistakes get a name",
            "planted faults are found on a CPU. On an H200, results and compute-sanitizer "
            f"find {found(on_gpu, 'gpu')} of the {len(on_gpu)} that were run there.", "faults")


def speed():
    rivals = [(book.step(name), measured.rival(name)) for name in COMPARED]
    said = ", ".join(f"step {step.number} {book.number(percent)} % of {library}"
                     for step, (library, percent) in rivals)
    least = min(percent for _, (_, percent) in rivals)
    return (f"{book.number(least)} %", "As fast as the libraries",
            f"or more of the rate of NVIDIA's own kernels, at one size each on an H200: {said}.", "measured")


def make(about):
    """<!-- site way_in -->, <!-- site proofs -->, <!-- site code -->"""
    def of(_page, arguments):
        match arguments:
            case ["way_in"]:
                return templates.part("way_in", book.steps()[0])
            case ["proofs"]:
                return templates.part("proofs", (counts(), planted(), speed()))
            case ["code"]:
                return publishing.code_section(about)
        raise ValueError(f"site {' '.join(arguments)}")
    return of
