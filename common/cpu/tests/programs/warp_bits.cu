// Transposes in registers by shuffles, ballot-based compaction, match_any histogram, __reduce, byte
// permutes and SIMD video instructions.
#include <cstdint>
#include <cstdio>
__global__ void t8(int* a) {
  int lane = threadIdx.x & 31;
  int v[8];
  for (int i = 0; i < 8; ++i) v[i] = a[i * 32 + lane];
  int w[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    int src = (lane + i) & 31;
    w[i] = __shfl_sync(0xffffffffu, v[i], src);
  }
  for (int i = 0; i < 8; ++i) a[i * 32 + lane] = w[i];
}
__global__ void compact(const int* in, int* out, int* n, int len) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  bool keep = i < len && in[i] % 3 == 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0 && m) base = atomicAdd(n, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & ((1u << lane) - 1))] = in[i];
}
__global__ void hist(const unsigned char* x, int n, int* h) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
    unsigned act = __activemask();
    unsigned peers = __match_any_sync(act, (int)x[i]);
    if ((threadIdx.x & 31) == __ffs(peers) - 1) atomicAdd(&h[x[i]], __popc(peers));
  }
}
__global__ void bits(unsigned* o) {
  unsigned x = threadIdx.x * 0x9e3779b9u;
  o[threadIdx.x * 8] = __byte_perm(x, ~x, 0x5140);
  o[threadIdx.x * 8 + 1] = __brev(x);
  o[threadIdx.x * 8 + 2] = __vadd4(x, 0x01010101);
  o[threadIdx.x * 8 + 3] = __vabsdiffu4(x, 0x80808080);
  o[threadIdx.x * 8 + 4] = __funnelshift_l(x, ~x, 7);
  o[threadIdx.x * 8 + 5] = __reduce_add_sync(~0u, x);
  o[threadIdx.x * 8 + 6] = __umulhi(x, x);
  o[threadIdx.x * 8 + 7] =
      __clz(x) + __popcll((unsigned long long)x << 16 | 5) + __dp4a((int)x, 0x01020304, 9);
}
unsigned perm(unsigned x, unsigned y, unsigned s) {
  uint64_t v = (uint64_t)y << 32 | x;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i) {
    unsigned k = s >> 4 * i & 15;
    unsigned b = v >> 8 * (k & 7) & 255;
    if (k & 8) b = b & 128 ? 255 : 0;
    r |= b << 8 * i;
  }
  return r;
}
int main() {
  int* a;
  cudaMallocManaged(&a, 256 * 4);
  for (int i = 0; i < 256; ++i) a[i] = i;
  t8<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  int bad = 0;
  for (int i = 0; i < 8; ++i)
    for (int l = 0; l < 32; ++l) bad += a[i * 32 + l] != i * 32 + (l + i) % 32;
  int *in, *out, *n;
  cudaMallocManaged(&in, 4000);
  cudaMallocManaged(&out, 4000);
  cudaMallocManaged(&n, 4);
  *n = 0;
  for (int i = 0; i < 1000; ++i) in[i] = i;
  compact<<<8, 128>>>(in, out, n, 1000);
  cudaDeviceSynchronize();
  long s = 0;
  for (int i = 0; i < *n; ++i) s += out[i];
  bad += *n != 334 || s != 166833;
  unsigned char* x;
  int* h;
  cudaMallocManaged(&x, 5000);
  cudaMallocManaged(&h, 1024);
  for (int i = 0; i < 5000; ++i) x[i] = i * i % 251;
  cudaMemset(h, 0, 1024);
  hist<<<3, 96>>>(x, 5000, h);
  cudaDeviceSynchronize();
  int hh[256] = {};
  for (int i = 0; i < 5000; ++i) ++hh[x[i]];
  for (int i = 0; i < 256; ++i) bad += h[i] != hh[i];
  unsigned* o;
  cudaMallocManaged(&o, 32 * 8 * 4);
  bits<<<1, 32>>>(o);
  cudaDeviceSynchronize();
  unsigned sum = 0;
  for (unsigned t = 0; t < 32; ++t) sum += t * 0x9e3779b9u;
  for (unsigned t = 0; t < 32; ++t) {
    unsigned x = t * 0x9e3779b9u;
    unsigned* p = o + 8 * t;
    bad += p[0] != perm(x, ~x, 0x5140);
    unsigned r = 0;
    for (int i = 0; i < 32; ++i) r |= (x >> i & 1) << (31 - i);
    bad += p[1] != r;
    unsigned q = 0, d = 0;
    int dp = 9;
    for (int i = 0; i < 4; ++i) {
      unsigned b = x >> 8 * i & 255;
      q |= ((b + 1) & 255) << 8 * i;
      d |= (b > 128 ? b - 128 : 128 - b) << 8 * i;
      dp += (signed char)b * (4 - i);
    }
    bad += p[2] != q || p[3] != d;
    bad += p[4] != (unsigned)(((uint64_t)~x << 32 | x) << 7 >> 32);
    bad += p[5] != sum || p[6] != (unsigned)((uint64_t)x * x >> 32);
    bad += p[7] != (unsigned)((x ? __builtin_clz(x) : 32) +
                              __builtin_popcountll((uint64_t)x << 16 | 5) + dp);
  }
  cudaFree(a);
  cudaFree(in);
  cudaFree(out);
  cudaFree(n);
  cudaFree(x);
  cudaFree(h);
  cudaFree(o);
  printf("%d\n", bad);
  return bad;
}
