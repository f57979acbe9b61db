"""Parts that only the start page has: the way in, proofs from the records, where the code is."""

import html

import book
import faults
import measured
import publishing
from faults import wrong_twins_report

# The steps whose best kernels are compared with the fastest library.
COMPARED = ["05_reduce_warp_shuffle", "08_transpose_shared", "12_sgemm_warptile_zorder"]


def way_in():
    first = next(step for step in book.steps())
    return ('<p class="way-in">'
            f'<a class="primary" href="{first.page}.html">Start with {first.number}</a> '
            '<a href="#get-the-code">Get the code</a> '
            '<a class="quiet" href="first.html">New to CUDA? Before step 01</a></p>')


def proof(figure, title, text, target):
    return (f'<li><b class="figure">{figure}</b><strong>{title}</strong>'
            f'<span>{text} <a href="{target}.html">How we know</a></span></li>')


def counts():
    launches = book.recorded("agreement")
    same = sum(not line["differ"] for line in launches)
    return proof(f"{same} of {len(launches)}", "You need no GPU",
                 "launches have every count equal on a CPU and by Nsight Compute on an H200; "
                 "the others are listed with their differences.", "results_agreement")


def planted():
    lines = faults.twins()
    on_gpu = [line for line in lines if line["gpu"] is not None]

    def found(among, side):
        return sum(wrong_twins_report.is_found(line, side) for line in among)
    return proof(f"{found(lines, 'cpu')} of {len(lines)}", "Your mistakes get a name",
                 "planted faults are found on a CPU. On an H200, results and compute-sanitizer "
                 f"find {found(on_gpu, 'gpu')} of the {len(on_gpu)} that were run there.", "faults")


def speed():
    rivals = [(book.step(name), measured.rival(name)) for name in COMPARED]
    said = ", ".join(f"step {step.number} {book.number(percent)} % of {html.escape(library)}"
                     for step, (library, percent) in rivals)
    least = min(percent for _, (_, percent) in rivals)
    return proof(f"{book.number(least)} %", "As fast as the libraries",
                 f"or more of the fastest library's rate on an H200: {said}.", "measured")


def make(about):
    """<!-- site way_in -->, <!-- site proofs -->, <!-- site code -->"""
    def of(_page, arguments):
        match arguments:
            case ["way_in"]:
                return way_in()
            case ["proofs"]:
                return f'<ul class="proofs">{counts()}{planted()}{speed()}</ul>'
            case ["code"]:
                return publishing.code_section(about)
        raise ValueError(f"site {' '.join(arguments)}")
    return of
