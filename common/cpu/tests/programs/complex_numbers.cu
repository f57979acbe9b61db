// cuComplex and 2-D grids: Julia set; host and device give the same counts.
#include <cuComplex.h>
#include <cstdio>
#include <vector>
__host__ __device__ int julia(cuComplex z, cuComplex c, int most) {
  int n = 0;
  for (; n < most; ++n) {
    z = cuCaddf(cuCmulf(z, z), c);
    if (cuCrealf(z) * cuCrealf(z) + cuCimagf(z) * cuCimagf(z) > 1000) break;
  }
  return n;
}
__global__ void kernel(unsigned char* p, int w, int h) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= w || y >= h) return;
  p[y * w + x] = julia(make_cuComplex(1.5f * (w / 2 - x) / (w / 2), 1.5f * (h / 2 - y) / (h / 2)),
                       make_cuFloatComplex(-0.8f, 0.156f), 200);
}
__global__ void fft4(cuDoubleComplex* x) {
  cuDoubleComplex a = cuCadd(x[0], x[2]), b = cuCsub(x[0], x[2]), c = cuCadd(x[1], x[3]),
                  d = cuCmul(cuCsub(x[1], x[3]), make_cuDoubleComplex(0, -1));
  x[0] = cuCadd(a, c);
  x[2] = cuCsub(a, c);
  x[1] = cuCadd(b, d);
  x[3] = cuCsub(b, d);
}
int main() {
  const int w = 70, h = 50;
  unsigned char* d;
  cudaMallocManaged(&d, w * h);
  kernel<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(d, w, h);
  cudaDeviceSynchronize();
  int bad = 0;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      bad += d[y * w + x] != (unsigned char)julia(make_cuComplex(1.5f * (w / 2 - x) / (w / 2),
                                                                 1.5f * (h / 2 - y) / (h / 2)),
                                                  make_cuFloatComplex(-0.8f, 0.156f), 200);
  cuDoubleComplex* x;
  cudaMallocManaged(&x, 4 * sizeof *x);
  for (int i = 0; i < 4; ++i) x[i] = make_cuDoubleComplex(i + 1, 0);
  fft4<<<1, 1>>>(x);
  cudaDeviceSynchronize();
  bad += cuCreal(x[0]) != 10 || cuCreal(x[2]) != -2 || cuCimag(x[1]) != 2 ||
         cuCabs(cuCdiv(x[1], x[3])) < 0.999;
  printf("%d\n", bad);
  cudaFree(d);
  cudaFree(x);
  return bad;
}
