#!/usr/bin/env python3
"""code_claims.py reads what nvcc writes, and finds each claim that does not hold."""

import unittest

import code_claims

PTX = """
.version 9.0
.visible .entry _Z4copyPKfPf(
	.param .u64 _Z4copyPKfPf_param_0
)
.maxntid 256
{
	.reg .pred 	%p<2>;
	ld.param.u64 	%rd1, [_Z4copyPKfPf_param_0];
	@%p1 bra 	$L__BB0_2;
	ld.global.v4.f32 	{%f1, %f2, %f3, %f4}, [%rd1];
	@!%p1 ld.global.nc.f32 	%f5, [%rd1+16];
	bar.sync 	0;
	bar.warp.sync 	-1;
	fma.rn.f32 	%f6, %f5, %f1, %f2;
	{ st.global.f32 	[%rd2], %f6; }
$L__BB0_2:
	ret;
}
.weak .entry _Z5widenILi4ELi1EEvPf(
	.param .u64 _Z5widenILi4ELi1EEvPf_param_0
)
{
	st.global.f32 	[%rd2], %f6;
	ret;
}
"""

PTXAS = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z4copyPKfPf' for 'sm_80'
ptxas info    : Function properties for _Z4copyPKfPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 22 registers, used 1 barriers, 1024 bytes smem, 368 bytes cmem[0]
ptxas info    : Compiling entry function '_Z5widenILi4ELi1EEvPf' for 'sm_80'
ptxas info    : Function properties for _Z5widenILi4ELi1EEvPf
    32 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 255 registers
"""


def report():
    ptxas = code_claims.read_ptxas(PTXAS)
    return {"sm_80": {kernel: {"ptx": ptx, **ptxas["sm_80", kernel]}
                      for kernel, ptx in code_claims.read_ptx(PTX).items()}}


class Reading(unittest.TestCase):
    def test_kernels(self):
        self.assertEqual(list(report()["sm_80"]), ["copy", "widen<4, 1>"])

    def test_names(self):
        for mangled, name in (("_Z4copyPKfPf", "copy"), ("_Z5widenILi4ELb1EEvPf", "widen<4, true>"),
                              ("_Z5widenILi4EL4Mode1EEvPf", "widen<4, (Mode)1>"),
                              ("_Z5widenI5TilesILi4EEEvPf", "widen<Tiles<4> >")):
            self.assertEqual(code_claims.demangled(mangled), name)

    def test_figures(self):
        copy, widen = report()["sm_80"].values()
        for key, figures in (("registers", (22, 255)), ("shared_bytes", (1024, 0)),
                             ("stack_bytes", (0, 32)), ("spill_bytes", (0, 20)),
                             ("ld.global", (2, 0)), ("ld.global.v4", (1, 0)),
                             ("ld.global.nc", (1, 0)), ("st.global", (1, 1)),
                             ("bar.sync", (1, 0)), ("bar.warp", (1, 0)), ("fma", (1, 0))):
            found = code_claims.figure(copy, key), code_claims.figure(widen, key)
            self.assertEqual(found, figures, key)


class Claims(unittest.TestCase):
    ALWAYS = ["widen<4, 1> for sm_80: stack_bytes is 32, not 0",
              "widen<4, 1> for sm_80: spill_bytes is 20, not 0"]

    def check(self, claims, *wrong):
        self.assertEqual(sorted(code_claims.failures(claims, report())),
                         sorted([*self.ALWAYS, *wrong]))

    def test_claims_that_hold(self):
        self.check({"copy": {"registers": "<= 22", "ld.global": 2, "fma": ">= 1",
                             "ld.global.v4": "fma", "st.shared": 0},
                    "widen": {"st.global": 1}, "widen<4, 1>": {"ld.global": "2 * bar.sync"}})

    def test_claims_that_do_not(self):
        self.check({"copy": {"registers": "<= 21"}}, "copy for sm_80: registers is 22, not <= 21")
        self.check({"copy": {"bar.sync": 2}}, "copy for sm_80: bar.sync is 1, not 2")
        self.check({"copy": {"fma": ">= 2"}}, "copy for sm_80: fma is 1, not >= 2")
        self.check({"copy": {"ld.global": "3 * fma"}},
                   "copy for sm_80: ld.global is 2, not 3 * fma, which is 3")
        self.check({"widen": {"st.global": 0}}, "widen<4, 1> for sm_80: st.global is 1, not 0")
        self.check({"widen<4, 1>": {"st.global": 0}}, "widen<4, 1> for sm_80: st.global is 1, not 0")

    def test_claims_about_nothing(self):
        self.check({"copies": {"fma": 1}}, "copies: there is no such kernel for sm_80")
        self.check({"widen<4, 4>": {"fma": 0}}, "widen<4, 4>: there is no such kernel for sm_80")
        self.check({"copy": {"st.shard": 0}},
                   "copy for sm_80: 'st.shard' is neither a figure nor an instruction that claims "
                   "are about")
        self.check({"copy": {"fma": "1 *"}},
                   "copy for sm_80: '1 *' is not a number, a bound or a multiple of an instruction")


if __name__ == "__main__":
    unittest.main()
