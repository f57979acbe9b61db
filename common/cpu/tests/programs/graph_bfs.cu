// Breadth-first search over a graph in compressed rows: level by level over all vertices until
// nothing changes, and with queues of vertices.
#include <cstdio>
#include <queue>
#include <vector>

using namespace std;

#define cudaCheck(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true) {
  if (code != cudaSuccess) {
    fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
    if (abort) exit(code);
  }
}

struct Graph {
  int vertices;
  int *row_offsets;
  int *columns;
};

const int UNSEEN = -1;

__device__ int d_queue_size;

__global__ void bfs_by_level(Graph g, int *distance, int level, bool *changed) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  // Others may be setting it, though not to this level.
  if (v >= g.vertices || *(volatile int *)&distance[v] != level) return;
  for (int e = g.row_offsets[v]; e < g.row_offsets[v + 1]; e++) {
    // Several vertices may find the same one; only one of them gets it.
    if (atomicCAS(&distance[g.columns[e]], UNSEEN, level + 1) == UNSEEN) *changed = true;
  }
}

__global__ void bfs_by_queue(Graph g, int *distance, int level, const int *frontier, int size,
                             int *next) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {
    const int v = frontier[i];
    for (int e = g.row_offsets[v], end = g.row_offsets[v + 1]; e < end; ++e) {
      const int neighbor = g.columns[e];
      if (atomicCAS(distance + neighbor, UNSEEN, level + 1) != UNSEEN) continue;
      next[atomicAdd(&d_queue_size, 1)] = neighbor;
    }
  }
}

vector<int> host_bfs(const vector<int> &offsets, const vector<int> &columns, int source) {
  vector<int> distance(offsets.size() - 1, UNSEEN);
  queue<int> q;
  q.push(source);
  distance[source] = 0;
  while (!q.empty()) {
    int v = q.front();
    q.pop();
    for (int e = offsets[v]; e < offsets[v + 1]; e++)
      if (distance[columns[e]] == UNSEEN) {
        distance[columns[e]] = distance[v] + 1;
        q.push(columns[e]);
      }
  }
  return distance;
}

int main() {
  const int N = 3000, source = 17;
  vector<vector<int>> adjacency(N);
  unsigned state = 99;
  auto next_random = [&state](int below) {
    state ^= state << 13; state ^= state >> 17; state ^= state << 5;
    return static_cast<int>(state % below);
  };
  for (int i = 0; i < N * 2; i++) adjacency[next_random(N)].push_back(next_random(N));
  vector<int> offsets{0}, columns;
  for (auto &list : adjacency) {
    columns.insert(columns.end(), list.begin(), list.end());
    offsets.push_back(columns.size());
  }
  const vector<int> expected = host_bfs(offsets, columns, source);

  Graph g;
  g.vertices = N;
  cudaCheck(cudaMalloc((void **)&g.row_offsets, offsets.size() * sizeof(int)));
  cudaCheck(cudaMalloc((void **)&g.columns, columns.size() * sizeof(int)));
  cudaCheck(cudaMemcpy(g.row_offsets, &offsets[0], offsets.size() * sizeof(int), cudaMemcpyHostToDevice));
  cudaCheck(cudaMemcpy(g.columns, &columns[0], columns.size() * sizeof(int), cudaMemcpyHostToDevice));
  int *distance;
  bool *changed;
  cudaCheck(cudaMalloc((void **)&distance, N * sizeof(int)));
  cudaCheck(cudaMalloc((void **)&changed, sizeof(bool)));

  const int threads = 256, blocks = (N + threads - 1) / threads, zero = 0;
  cudaCheck(cudaMemset(distance, UNSEEN, N * sizeof(int)));
  cudaCheck(cudaMemcpy(distance + source, &zero, sizeof(int), cudaMemcpyHostToDevice));
  bool again;
  int level = 0;
  do {
    again = false;
    cudaCheck(cudaMemcpy(changed, &again, sizeof(bool), cudaMemcpyHostToDevice));
    bfs_by_level<<<blocks, threads>>>(g, distance, level++, changed);
    cudaCheck(cudaPeekAtLastError());
    cudaCheck(cudaMemcpy(&again, changed, sizeof(bool), cudaMemcpyDeviceToHost));
  } while (again);
  vector<int> result(N);
  cudaCheck(cudaMemcpy(result.data(), distance, N * sizeof(int), cudaMemcpyDeviceToHost));
  if (result != expected) { printf("by level: wrong\n"); return 1; }

  int *frontier, *next_frontier, size = 1;
  cudaCheck(cudaMalloc(&frontier, N * sizeof(int)));
  cudaCheck(cudaMalloc(&next_frontier, N * sizeof(int)));
  cudaCheck(cudaMemcpy(frontier, &source, sizeof(int), cudaMemcpyHostToDevice));
  cudaCheck(cudaMemset(distance, UNSEEN, N * sizeof(int)));
  cudaCheck(cudaMemcpy(&distance[source], &zero, sizeof(int), cudaMemcpyHostToDevice));
  for (level = 0; size > 0; level++) {
    cudaCheck(cudaMemcpyToSymbol(d_queue_size, &zero, sizeof(int)));
    bfs_by_queue<<<min(blocks, 4), threads>>>(g, distance, level, frontier, size, next_frontier);
    cudaCheck(cudaMemcpyFromSymbol(&size, d_queue_size, sizeof(int)));
    swap(frontier, next_frontier);
  }
  cudaCheck(cudaMemcpy(result.data(), distance, N * sizeof(int), cudaMemcpyDeviceToHost));
  if (result != expected) { printf("by queue: wrong\n"); return 1; }

  printf("%d levels\n", level);
  for (int *p : {g.row_offsets, g.columns, distance, frontier, next_frontier}) cudaCheck(cudaFree(p));
  cudaCheck(cudaFree(changed));
  return 0;
}
