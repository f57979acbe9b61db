// Functions and forms that programs use now and then.
#include <algorithm>
#include <cmath>

#include "check.h"

using namespace std;

// The program's own go before CUDA's.
__host__ __device__ inline float max(float a, float b) { return a < b ? b + 100 : a + 100; }

static bool near(double a, double b) { return fabs(a - b) <= 1e-13 * fabs(b); }

__global__ void compute(unsigned* out, float4* sum, float2* pair) {
  __builtin_assume(blockDim.x == 32);
  atomicAdd(sum, make_float4(1, 2, 3, 4));
  atomicAdd(pair, make_float2(0.5f, -1));
  if (threadIdx.x != 0) return;
  out[0] = __vadd4(0xff01807fu, 0x01010101u);
  out[1] = __vaddss4(0x7f80017fu, 0x01ff0101u);
  out[2] = __vsubus2(0x00050003u, 0x00030005u);
  out[3] = __vabsdiffu4(0x01ff1020u, 0xff012010u);
  out[4] = __vcmpgts4(0x7f80ff00u, 0x00000000u);
  out[5] = __vsetltu2(0x00018000u, 0x0002ffffu);
  out[6] = __vsads4(0x01fe7f80u, 0xff02807fu);
  out[7] = __vmaxs2(0x80000001u, 0x7fffffffu);
  out[8] = __vavgu4(0x01020304u, 0x02020404u);
  out[9] = __vnegss2(0x80000001u);
  out[10] = __fns(0x90u, 0, 2);
  out[11] = __fns(0x90u, 31, -2);
  out[12] = __fns(0x90u, 5, 1);
  out[13] = static_cast<unsigned>(__dp2a_lo(0x00020003, 0x0405ff07, 1));
  out[14] = __dp2a_hi(0x00020003u, 0x0405ff07u, 1u);
  const short2 words = make_short2(-3, 2);
  out[15] = static_cast<unsigned>(__dp2a_lo(words, make_char4(7, -1, 5, 4), 1));
  out[16] = static_cast<unsigned>(__dp2a_hi(words, make_char4(7, -1, 5, 4), 1));
  out[17] = __dp2a_lo(make_ushort2(3, 2), make_uchar4(7, 255, 5, 4), 1u);
  out[18] = __dp2a_hi(make_ushort2(3, 2), make_uchar4(7, 255, 5, 4), 1u);
  out[19] = __fmaf_ieee_rn(3, 0.1f, 1) == __fmaf_rn(3, 0.1f, 1) &&
            __fmaf_ieee_ru(3, 0.1f, 1) > __fmaf_ieee_rd(3, 0.1f, 1);
  __prof_trigger(1);
}

int main() {
  unsigned* out;
  float4* sum;
  float2* pair;
  CUDA_CHECK(cudaMallocManaged(&out, 20 * sizeof(unsigned)));
  CUDA_CHECK(cudaMallocManaged(&sum, sizeof(float4)));
  CUDA_CHECK(cudaMallocManaged(&pair, sizeof(float2)));
  *sum = make_float4(0, 0, 0, 0);
  *pair = make_float2(0, 0);
  // clang-format off
  compute<< <1, 32 >> >(out, sum, pair);
  // clang-format on
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT(sum->x == 32 && sum->y == 64 && sum->z == 96 && sum->w == 128);
  EXPECT(pair->x == 16 && pair->y == -32);
  EXPECT(out[0] == 0x00028180u);
  EXPECT(out[1] == 0x7f80027fu);
  EXPECT(out[2] == 0x00020000u);
  EXPECT(out[3] == 0xfefe1010u);
  EXPECT(out[4] == 0xff000000u);
  EXPECT(out[5] == 0x00010001u);
  EXPECT(out[6] == 2 + 4 + 255 + 255);
  EXPECT(out[7] == 0x7fff0001u);
  EXPECT(out[8] == 0x02020404u);
  EXPECT(out[9] == 0x7fffffffu);
  EXPECT(out[10] == 7 && out[11] == 4 && out[12] == 7);
  EXPECT(out[13] == 1 + 3 * 7 + 2 * -1u);
  EXPECT(out[14] == 1 + 3 * 5 + 2 * 4);
  EXPECT(out[15] == 1 - 3 * 7 - 2u && out[16] == 1 - 3 * 5 + 2 * 4u);
  EXPECT(out[17] == 1 + 3 * 7 + 2 * 255 && out[18] == 1 + 3 * 5 + 2 * 4);
  EXPECT(out[19] == 1);
  EXPECT(max(1.0f, 2.0f) == 102 && max(1, 2) == 2 && max(1.0, 2.0) == 2 && max<int>(3, 2) == 3);
  EXPECT(min(1u, 2u) == 1 && std::max(4, 3) == 4);
  for (const double x : {1e-10, 0.1, 0.49, 0.51, 0.9, 0.999999}) {
    EXPECT(near(erf(erfinv(x)), x));
    EXPECT(near(erfc(erfcinv(x)), x));
    EXPECT(near(normcdf(normcdfinv(x)), x));
  }
  EXPECT(near(erfc(erfcinv(1e-300)), 1e-300) || fabs(erfc(erfcinv(1e-300)) / 1e-300 - 1) < 1e-10);
  EXPECT(near(erfcx(1.0), 0.42758357615580700) &&
         near(erfcx(19.999999), erfcx(20.000001)) == false);
  EXPECT(fabs(erfcx(19.999999) / erfcx(20.000001) - 1) < 2e-7);
  EXPECT(near(cyl_bessel_i0(-1), 1.2660658777520084) &&
         near(cyl_bessel_i1(-1), -0.5651591039924850));
  CUDA_CHECK(cudaFree(out));
  CUDA_CHECK(cudaFree(sum));
  CUDA_CHECK(cudaFree(pair));
}
