// The edit distance of two strings along the diagonals of its table: in shared memory by one block,
// and by the whole grid with a cooperative launch.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace cg = cooperative_groups;

__device__ __forceinline__ int min3(int a, int b, int c) { return min(a, min(b, c)); }

// Three diagonals, each of |a| + 1 cells, in turns.
__global__ void with_block(const char* a, int a_length, const char* b, int b_length, int* distance) {
  extern __shared__ int diagonals[];
  const int width = a_length + 1;
  int *before = diagonals, *previous = before + width, *current = previous + width;
  for (int d = 0; d <= a_length + b_length; ++d) {
    const int first = max(0, d - b_length), last = min(d, a_length);
    for (int i = first + threadIdx.x; i <= last; i += blockDim.x) {
      const int j = d - i;
      if (i == 0 || j == 0)
        current[i] = d;
      else
        current[i] = min3(previous[i - 1] + 1, previous[i] + 1, before[i - 1] + (a[i - 1] != b[j - 1]));
    }
    __syncthreads();
    int* free = before;
    before = previous;
    previous = current;
    current = free;
  }
  if (threadIdx.x == 0) *distance = previous[a_length];
}

__global__ void with_grid(const char* a, int a_length, const char* b, int b_length, int* table, int* distance) {
  cg::grid_group grid = cg::this_grid();
  const int width = a_length + 1;
  for (int d = 0; d <= a_length + b_length; ++d) {
    int *current = table + (d % 3) * width, *previous = table + ((d + 2) % 3) * width, *before = table + ((d + 1) % 3) * width;
    for (int i = max(0, d - b_length) + grid.thread_rank(); i <= min(d, a_length); i += grid.size()) {
      const int j = d - i;
      current[i] = i == 0 || j == 0 ? d : min3(previous[i - 1] + 1, previous[i] + 1, before[i - 1] + (a[i - 1] != b[j - 1]));
    }
    grid.sync();
    if (d == a_length + b_length && grid.thread_rank() == 0) *distance = current[a_length];
  }
}

static int on_host(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const int next = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = row[j];
      row[j] = next;
    }
  }
  return row[b.size()];
}

struct CudaDeleter { void operator()(void* p) const { cudaFree(p); } };

int main() {
  int supported = 0;
  cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0);
  if (!supported) return 1;
  std::string dna[2];
  unsigned state = 7;
  for (int i = 0; i < 240; ++i) {
    state = state * 69069 + 1;
    dna[0] += "ACGT"[state >> 30];
    if (state >> 24 & 7) dna[1] += dna[0].back();
    if ((state >> 20 & 15) == 0) dna[1] += 'A';
  }
  const std::pair<std::string, std::string> cases[] = {
      {"kitten", "sitting"}, {"", "abc"}, {"intention", "execution"}, {"same", "same"}, {"x", ""}, {dna[0], dna[1]}};
  int wrong = 0;
  for (const auto& [a, b] : cases) {
    char *d_a, *d_b;
    int *d_distance, *d_table;
    cudaMalloc(&d_a, a.size() + 1);
    cudaMalloc(&d_b, b.size() + 1);
    cudaMalloc(&d_distance, sizeof(int));
    cudaMalloc(&d_table, 3 * (a.size() + 1) * sizeof(int));
    cudaMemcpy(d_a, a.c_str(), a.size() + 1, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.c_str(), b.size() + 1, cudaMemcpyHostToDevice);
    int a_length = a.size(), b_length = b.size(), by_block = -1, by_grid = -1;
    const size_t shared = 3 * (a.size() + 1) * sizeof(int);
    with_block<<<1, 64, shared>>>(d_a, a_length, d_b, b_length, d_distance);
    cudaMemcpy(&by_block, d_distance, sizeof(int), cudaMemcpyDeviceToHost);
    void* args[] = {&d_a, &a_length, &d_b, &b_length, &d_table, &d_distance};
    cudaLaunchCooperativeKernel((void*)with_grid, dim3(3), dim3(32), args, 0, 0);
    cudaMemcpy(&by_grid, d_distance, sizeof(int), cudaMemcpyDeviceToHost);
    const int expected = on_host(a, b);
    std::printf("%d %d %d\n", expected, by_block, by_grid);
    wrong += by_block != expected || by_grid != expected;
    for (void* p : {(void*)d_a, (void*)d_b, (void*)d_distance, (void*)d_table}) CudaDeleter{}(p);
  }
  return wrong + (cudaGetLastError() != cudaSuccess);
}
