"""Parts that only the start page has: the way in, and proofs from the records."""

import book
import faults
import measured
import templates
from directives import directive

# The steps whose best kernels are compared with the vendor's.
COMPARED = ["05_reduce_warp_shuffle", "08_transpose_shared", "12_sgemm_warptile_zorder"]


@directive("site way_in")
def way_in(_page):
    return templates.part("way_in", book.steps()[0])


@directive("site proofs")
def proofs(_page):
    launches, lines = book.recorded("agreement"), faults.twins()
    on_gpu = faults.run_on_gpu(lines)
    rivals = [(book.step(name), *measured.rival(name)) for name in COMPARED]
    return templates.part(
        "proofs", sum(not line["differ"] for line in launches), len(launches),
        (faults.found(lines, "cpu"), len(lines), faults.found(on_gpu, "gpu"), len(on_gpu)),
        rivals, min(percent for _, _, percent in rivals))
