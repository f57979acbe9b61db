// A 5x5 Gaussian blur of an RGBA image: weights in constant memory, a tile with a halo, edges that
// are clamped; then a Sobel filter of its luminance, and a grayscale image of bytes.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>

#define CUDA_CALL(x) do { if((x) != cudaSuccess) { \
    printf("Error at %s:%d\n",__FILE__,__LINE__); \
    return EXIT_FAILURE;}} while(0)

const int RADIUS = 2;
const int TILE_W = 16, TILE_H = 16;
constexpr int FILTER_SIZE = 2 * RADIUS + 1;

__constant__ float c_weights[FILTER_SIZE][FILTER_SIZE];

template <typename T>
__host__ __device__ constexpr T clamp_to(T x, T low, T high) {
  return x < low ? low : (x > high ? high : x);
}

__global__ void blur(const uchar4* in, uchar4* out, int width, int height) {
  __shared__ uchar4 tile[TILE_H + 2 * RADIUS][TILE_W + 2 * RADIUS];
  const int x0 = blockIdx.x * TILE_W - RADIUS, y0 = blockIdx.y * TILE_H - RADIUS;
  for (int ty = threadIdx.y; ty < TILE_H + 2 * RADIUS; ty += blockDim.y)
    for (int tx = threadIdx.x; tx < TILE_W + 2 * RADIUS; tx += blockDim.x) {
      const int x = clamp_to(x0 + tx, 0, width - 1), y = clamp_to(y0 + ty, 0, height - 1);
      tile[ty][tx] = in[y * width + x];
    }
  __syncthreads();

  const int x = blockIdx.x * TILE_W + threadIdx.x, y = blockIdx.y * TILE_H + threadIdx.y;
  if (x >= width || y >= height) return;
  float3 sum = make_float3(0.f, 0.f, 0.f);
  #pragma unroll
  for (int fy = 0; fy < FILTER_SIZE; ++fy) {
    #pragma unroll
    for (int fx = 0; fx < FILTER_SIZE; ++fx) {
      const uchar4 p = tile[threadIdx.y + fy][threadIdx.x + fx];
      sum.x += c_weights[fy][fx] * p.x;
      sum.y += c_weights[fy][fx] * p.y;
      sum.z += c_weights[fy][fx] * p.z;
    }
  }
  out[y * width + x] = make_uchar4(__float2int_rn(sum.x), __float2int_rn(sum.y),
                                   __float2int_rn(sum.z), 255);
}

__device__ unsigned char luminance(uchar4 p) { return (77 * p.x + 150 * p.y + 29 * p.z) >> 8; }

__global__ void to_gray(const uchar4* rgba, unsigned char* gray, int pixels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pixels) gray[i] = luminance(rgba[i]);
}

__global__ void sobel(const unsigned char* in, unsigned char* out, int w, int h) {
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  auto at = [=](int dx, int dy) -> int { return in[(y + dy) * w + x + dx]; };
  int gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
  int gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
  out[y * w + x] = min(abs(gx) + abs(gy), 255);
}

int main() {
  const int width = 75, height = 53, pixels = width * height;
  std::unique_ptr<uchar4[]> image(new uchar4[pixels]), result(new uchar4[pixels]);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image[y * width + x] = make_uchar4(x * 3, y * 4, (x * y) & 255, 255);

  float weights[FILTER_SIZE][FILTER_SIZE], total = 0;
  for (int i = 0; i < FILTER_SIZE; ++i)
    for (int j = 0; j < FILTER_SIZE; ++j)
      total += weights[i][j] = expf(-((i - RADIUS) * (i - RADIUS) + (j - RADIUS) * (j - RADIUS)) / 4.5f);
  for (auto& row : weights)
    for (float& w : row) w /= total;
  CUDA_CALL(cudaMemcpyToSymbol(c_weights, weights, sizeof(weights)));

  uchar4 *d_in, *d_out;
  uint8_t *d_gray, *d_edges;
  CUDA_CALL(cudaMalloc(&d_in, pixels * sizeof(uchar4)));
  CUDA_CALL(cudaMalloc(&d_out, pixels * sizeof(uchar4)));
  CUDA_CALL(cudaMalloc(&d_gray, pixels));
  CUDA_CALL(cudaMalloc(&d_edges, pixels));
  CUDA_CALL(cudaMemcpy(d_in, image.get(), pixels * sizeof(uchar4), cudaMemcpyHostToDevice));
  CUDA_CALL(cudaMemset(d_edges, 0, pixels));

  const dim3 block(TILE_W, TILE_H);
  const dim3 blocks((width + TILE_W - 1) / TILE_W, (height + TILE_H - 1) / TILE_H);
  blur<<<blocks, block>>>(d_in, d_out, width, height);
  to_gray<<<(pixels + 127) / 128, 128>>>(d_in, d_gray, pixels);
  sobel<<<blocks, block>>>(d_gray, d_edges, width, height);
  CUDA_CALL(cudaGetLastError());
  std::unique_ptr<uint8_t[]> gray(new uint8_t[pixels]), edges(new uint8_t[pixels]);
  CUDA_CALL(cudaMemcpy(result.get(), d_out, pixels * sizeof(uchar4), cudaMemcpyDeviceToHost));
  CUDA_CALL(cudaMemcpy(gray.get(), d_gray, pixels, cudaMemcpyDeviceToHost));
  CUDA_CALL(cudaMemcpy(edges.get(), d_edges, pixels, cudaMemcpyDeviceToHost));

  int wrong = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double sum[3] = {};
      for (int fy = -RADIUS; fy <= RADIUS; ++fy)
        for (int fx = -RADIUS; fx <= RADIUS; ++fx) {
          const uchar4 p = image[clamp_to(y + fy, 0, height - 1) * width + clamp_to(x + fx, 0, width - 1)];
          const double w = weights[fy + RADIUS][fx + RADIUS];
          sum[0] += w * p.x, sum[1] += w * p.y, sum[2] += w * p.z;
        }
      const uchar4 r = result[y * width + x], p = image[y * width + x];
      // A sum close to a half may be rounded either way.
      wrong += std::fabs(r.x - sum[0]) > 0.501 || std::fabs(r.y - sum[1]) > 0.501 ||
               std::fabs(r.z - sum[2]) > 0.501 || r.w != 255;
      wrong += gray[y * width + x] != (77 * p.x + 150 * p.y + 29 * p.z) >> 8;
      int edge = 0;
      if (x >= 1 && y >= 1 && x < width - 1 && y < height - 1) {
        const uint8_t* g = &gray[y * width + x];
        const int gx = g[1 - width] + 2 * g[1] + g[1 + width] - g[-1 - width] - 2 * g[-1] - g[width - 1];
        const int gy = g[width - 1] + 2 * g[width] + g[width + 1] - g[-width - 1] - 2 * g[-width] - g[1 - width];
        edge = std::min(std::abs(gx) + std::abs(gy), 255);
      }
      wrong += edges[y * width + x] != edge;
    }
  }
  printf("%d wrong pixels\n", wrong);
  cudaFree(d_in), cudaFree(d_out), cudaFree(d_gray), cudaFree(d_edges);
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
