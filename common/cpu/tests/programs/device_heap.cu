// Objects that kernels make: malloc and free, new and delete, a list, and classes with virtual
// functions, which live on the device and die there.
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>

#define CUDA_CHECK(x)                                                              \
  if ((x) != cudaSuccess) {                                                        \
    fprintf(stderr, "CUDA error: %s, line %d\n", cudaGetErrorString(x), __LINE__); \
    return 1;                                                                      \
  }

class Shape {
 public:
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
};
class Square final : public Shape {
  float side;

 public:
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
class Circle : public Shape {
  float radius;

 public:
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ virtual float area() const override { return 3.0f * radius * radius; }
};

__global__ void create(Shape** shapes, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  if (i % 2) shapes[i] = new Square(i); else shapes[i] = new Circle(i);
}
__global__ void measure(Shape** shapes, float* areas, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) areas[i] = shapes[i]->area();
}
__global__ void destroy(Shape** shapes, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) delete shapes[i];
}

struct Node {
  int value;
  Node* next;
};

// Each thread has a list of its own.
__global__ void lists(int* sums) {
  Node* head = NULL;
  for (int i = 0; i <= threadIdx.x; i++) {
    Node* node = (Node*)malloc(sizeof(Node));
    if (node == NULL) { printf("out of memory\n"); return; }
    node->value = i;
    node->next = head;
    head = node;
  }
  int sum = 0;
  while (head) {
    Node* next = head->next;
    sum += head->value;
    free(head);
    head = next;
  }
  sums[threadIdx.x] = sum;
}

// One buffer for a block, made by its first thread.
__global__ void block_buffer(int* out) {
  __shared__ int* data;
  if (threadIdx.x == 0) data = new int[blockDim.x];
  __syncthreads();
  data[threadIdx.x] = threadIdx.x * threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) delete[] data;
}

int main() {
  CUDA_CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 * 1024 * 1024));
  const int n = 100;
  Shape** shapes;
  float* areas;
  int *sums, *out, wrong = 0;
  CUDA_CHECK(cudaMalloc(&shapes, n * sizeof(Shape*)));
  CUDA_CHECK(cudaMallocManaged(&areas, n * sizeof(float)));
  CUDA_CHECK(cudaMallocManaged(&sums, 64 * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&out, 2 * 64 * sizeof(int)));
  create<<<(n + 31) / 32, 32>>>(shapes, n);
  measure<<<(n + 31) / 32, 32>>>(shapes, areas, n);
  destroy<<<(n + 31) / 32, 32>>>(shapes, n);
  lists<<<1, 64>>>(sums);
  block_buffer<<<2, 64>>>(out);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) wrong += areas[i] != (i % 2 ? 1.0f : 3.0f) * i * i;
  for (int i = 0; i < 64; i++) wrong += sums[i] != i * (i + 1) / 2;
  for (int i = 0; i < 128; i++) wrong += out[i] != (63 - i % 64) * (63 - i % 64);
  CUDA_CHECK(cudaFree(shapes));
  CUDA_CHECK(cudaFree(areas));
  CUDA_CHECK(cudaFree(sums));
  CUDA_CHECK(cudaFree(out));
  printf("%d wrong\n", wrong);
  return wrong;
}
