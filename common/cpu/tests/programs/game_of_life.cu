// Conway's Game of Life on a torus, in pitched memory: a blinker, a block and a glider that comes
// round to where it began.
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

typedef unsigned char cell;

// A row of a pitched array.
template <class T>
__device__ T *row(T *base, size_t pitch, int y) { return (T *)((char *)base + y * pitch); }

__global__ void generation(const cell *now, cell *next, size_t pitch, int width, int height)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;

  int neighbors = 0;
  for (int dy = -1; dy <= 1; dy++)
  {
    const cell *r = (const cell *)((const char *)now + (y + dy + height) % height * pitch);
    for (int dx = -1; dx <= 1; dx++)
      if (dx || dy) neighbors += r[(x + dx + width) % width];
  }
  bool alive = ((const cell *)((const char *)now + y * pitch))[x];
  row(next, pitch, y)[x] = neighbors == 3 || (alive && neighbors == 2);
}

__global__ void population(const cell *cells, size_t pitch, int width, int height, int *count)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int alive = x < width && y < height && cells[y * pitch + x];
  int of_block = __syncthreads_count(alive);
  if (threadIdx.x == 0 && threadIdx.y == 0) atomicAdd(count, of_block);
}

#define W 37
#define H 29

static cell start[H][W], field[H][W];

static void put(int x, int y, const char *pattern)
{
  for (int i = 0, px = x; pattern[i]; i++)
  {
    if (pattern[i] == '/') { y++; px = x; continue; }
    start[y][px++] = pattern[i] == '#';
  }
}

int main()
{
  put(5, 5, "###");
  put(20, 3, "##/##");
  put(10, 15, ".#./..#/###");

  cell *d_a, *d_b;
  size_t pitch, pitch_b;
  int *d_count, count = 0;
  if (cudaMallocPitch((void **)&d_a, &pitch, W * sizeof(cell), H) != cudaSuccess ||
      cudaMallocPitch((void **)&d_b, &pitch_b, W * sizeof(cell), H) != cudaSuccess ||
      cudaMalloc((void **)&d_count, sizeof(int)) != cudaSuccess || pitch != pitch_b)
  {
    fprintf(stderr, "allocation failed: %s\n", cudaGetErrorString(cudaGetLastError()));
    return 1;
  }
  cudaMemset2D(d_b, pitch, 0, W, H);
  cudaMemcpy2D(d_a, pitch, start, W, W, H, cudaMemcpyHostToDevice);
  cudaMemset(d_count, 0, sizeof(int));

  dim3 block(32, 4), grid((W + 31) / 32, (H + 3) / 4);
  const int generations = 4;
  for (int g = 0; g < generations; g++)
  {
    generation<<<grid, block>>>(d_a, d_b, pitch, W, H);
    cell *t = d_a;
    d_a = d_b;
    d_b = t;
  }
  population<<<grid, block>>>(d_a, pitch, W, H, d_count);
  cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy2D(field, W, d_a, pitch, W, H, cudaMemcpyDeviceToHost);

  // After four generations the glider is one cell further down and right, all else as before.
  memset(start, 0, sizeof start);
  put(5, 5, "###");
  put(20, 3, "##/##");
  put(11, 16, ".#./..#/###");
  int wrong = memcmp(start, field, sizeof field) != 0 || count != 3 + 4 + 5;

  // A glider that flies alone, until it has gone 37 steps right and down.
  memset(start, 0, sizeof start);
  put(10, 15, ".#./..#/###");
  cudaMemcpy2D(d_a, pitch, start, W, W, H, cudaMemcpyHostToDevice);
  const int h = 27;  // as many rows as fit into a block of that width
  dim3 small(W, h);
  for (int g = 0; g < 4 * W; g++)
  {
    generation<<<1, small>>>(d_a, d_b, pitch, W, h);
    cell *t = d_a;
    d_a = d_b;
    d_b = t;
  }
  cudaMemcpy2D(field, W, d_a, pitch, W, h, cudaMemcpyDeviceToHost);
  count = 0;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < W; x++) count += field[y][x];
  // 37 steps right are one round; 37 steps down are one of 27 rows and 10 more.
  static const int glider[5][2] = {{11, 15}, {12, 16}, {10, 17}, {11, 17}, {12, 17}};
  for (int i = 0; i < 5; i++) wrong += !field[(glider[i][1] + W) % h][glider[i][0]];
  wrong += count != 5;

  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_count);
  cudaError_t err = cudaGetLastError();
  if (err != cudaSuccess) printf("%s\n", cudaGetErrorString(err));
  printf(wrong ? "FAILED\n" : "PASSED\n");
  return err != cudaSuccess || wrong;
}
