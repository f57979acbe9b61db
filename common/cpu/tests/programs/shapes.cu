// Classes with virtual functions, whose objects one kernel makes, another calls and a third
// deletes.
#include "check.h"

class Shape {
 public:
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};

__device__ int deleted_polygons = 0;

class Square : public Shape {
 public:
  __device__ explicit Square(float side) : side_(side) {}
  __device__ float area() const override { return side_ * side_; }

 private:
  float side_;
};

template <int Corners>
class Polygon : public Shape {
 public:
  __device__ explicit Polygon(float triangle) : triangle_(triangle) {}
  __device__ ~Polygon() override { atomicAdd(&deleted_polygons, 1); }
  __device__ float area() const override { return Corners * triangle_; }

 private:
  float triangle_;
};

__global__ void make(Shape** shapes, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  if (i % 2 == 0)
    shapes[i] = new Square(static_cast<float>(i));
  else
    shapes[i] = new Polygon<6>(static_cast<float>(i));
}

__global__ void add_areas(Shape* const* shapes, int n, float* sum) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(sum, shapes[i]->area());
}

__global__ void remove(Shape** shapes, int n, int* deleted) {
  const int i = threadIdx.x;
  if (i < n) delete shapes[i];
  __syncthreads();
  if (i == 0) *deleted = deleted_polygons;
}

int main() {
  const int n = 10;
  Shape** shapes;
  float* sum;
  int* deleted;
  CUDA_CHECK(cudaMalloc(&shapes, n * sizeof(Shape*)));
  CUDA_CHECK(cudaMallocManaged(&sum, sizeof(float)));
  CUDA_CHECK(cudaMallocManaged(&deleted, sizeof(int)));
  *sum = 0;
  make<<<1, 32>>>(shapes, n);
  add_areas<<<1, 4>>>(shapes, n, sum);
  remove<<<1, 32>>>(shapes, n, deleted);
  CUDA_CHECK(cudaDeviceSynchronize());
  // 0 + 4 + 16 + 36 + 64 of the squares, 6 * (1 + 3 + 5 + 7 + 9) of the hexagons.
  EXPECT(*sum == 120 + 150);
  EXPECT(*deleted == 5);
  CUDA_CHECK(cudaFree(shapes));
  CUDA_CHECK(cudaFree(sum));
  CUDA_CHECK(cudaFree(deleted));
}
