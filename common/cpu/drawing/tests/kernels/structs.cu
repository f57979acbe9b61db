// An array of structures, and a structure of arrays.
struct Point {
  float x, y, z;
};
struct Points {
  float *x, *y;
};

__global__ void structures(const Point* points, float* out) {
  out[threadIdx.x] = points[threadIdx.x].y;  // draws: global load 2:24, global store 2:8
}

__global__ void arrays(Points points) {
  points.y[threadIdx.x] = points.x[threadIdx.x];  // draws: global load 2:8, global store 2:8
}

int main() {
  Point* points;
  cudaMalloc(&points, 64 * sizeof(Point));
  cudaMemset(points, 0, 64 * sizeof(Point));
  float* x;
  cudaMalloc(&x, 64 * sizeof(float));
  cudaMemset(x, 0, 64 * sizeof(float));
  float* y;
  cudaMalloc(&y, 64 * sizeof(float));
  cudaMemset(y, 0, 64 * sizeof(float));
  structures<<<1, 64>>>(points, x);
  arrays<<<1, 64>>>({x, y});
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
