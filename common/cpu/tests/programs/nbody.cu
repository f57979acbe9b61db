// All-pairs n-body simulation with tiles of bodies in shared memory. Positions carry the mass in w.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define SOFTENING_SQUARED 1e-3f

inline __host__ __device__ float3 operator+(float3 a, float3 b) {
  return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
inline __host__ __device__ void operator+=(float3 &a, const float3 b) { a = a + b; }
inline __host__ __device__ float3 operator*(float s, float3 a) {
  return make_float3(s * a.x, s * a.y, s * a.z);
}
inline __host__ __device__ float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

struct BodySystem {
  float4 *pos;
  float4 *vel;
};

__device__ float3 bodyBodyInteraction(float3 ai, float4 bi, float4 bj) {
  float3 r;
  r.x = bj.x - bi.x;
  r.y = bj.y - bi.y;
  r.z = bj.z - bi.z;
  float distSqr = dot(r, r) + SOFTENING_SQUARED;
  float invDist = rsqrtf(distSqr);
  float invDistCube = invDist * invDist * invDist;
  ai += (bj.w * invDistCube) * r;
  return ai;
}

__device__ float3 computeBodyAccel(float4 bodyPos, const float4 *positions, int numBodies) {
  extern __shared__ float4 sharedPos[];
  float3 acc = {0.0f, 0.0f, 0.0f};
  for (int tile = 0; tile * blockDim.x < numBodies; tile++) {
    int j = tile * blockDim.x + threadIdx.x;
    sharedPos[threadIdx.x] = j < numBodies ? positions[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 16
    for (unsigned int counter = 0; counter < blockDim.x; counter++)
      acc = bodyBodyInteraction(acc, bodyPos, sharedPos[counter]);
    __syncthreads();
  }
  return acc;
}

__global__ void integrateBodies(float4 *__restrict__ newPos, float4 *__restrict__ oldPos,
                                float4 *vel, int numBodies, float dt, float damping) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  float4 position = index < numBodies ? oldPos[index] : float4{};
  float3 accel = computeBodyAccel(position, oldPos, numBodies);
  if (index >= numBodies) return;

  float4 velocity = vel[index];
  velocity.x = (velocity.x + accel.x * dt) * damping;
  velocity.y = (velocity.y + accel.y * dt) * damping;
  velocity.z = (velocity.z + accel.z * dt) * damping;
  position.x += velocity.x * dt;
  position.y += velocity.y * dt;
  position.z += velocity.z * dt;
  newPos[index] = position;
  vel[index] = velocity;
}

static void integrateOnHost(std::vector<double> &x, std::vector<double> &v,
                            const std::vector<float4> &start, double dt, double damping) {
  const size_t n = start.size();
  const std::vector<double> old = x;
  for (size_t i = 0; i < n; i++) {
    double a[3] = {0, 0, 0};
    for (size_t j = 0; j < n; j++) {
      double r[3], d2 = SOFTENING_SQUARED;
      for (int k = 0; k < 3; k++) r[k] = old[3 * j + k] - old[3 * i + k], d2 += r[k] * r[k];
      for (int k = 0; k < 3; k++) a[k] += start[j].w * r[k] / (d2 * std::sqrt(d2));
    }
    for (int k = 0; k < 3; k++) {
      v[3 * i + k] = (v[3 * i + k] + a[k] * dt) * damping;
      x[3 * i + k] += v[3 * i + k] * dt;
    }
  }
}

int main() {
  const int numBodies = 300, p = 128, steps = 3;
  const float dt = 0.01f, damping = 0.995f;
  std::vector<float4> start(numBodies);
  std::vector<double> x, v(3 * numBodies, 0.0);
  srand(7);
  auto uniform = [] { return rand() / (float)RAND_MAX * 2 - 1; };
  for (auto &body : start) {
    body = make_float4(uniform(), uniform(), uniform(), 0.01f);
    x.insert(x.end(), {body.x, body.y, body.z});
  }

  float4 *pos[2];
  BodySystem bodies;
  size_t bytes = numBodies * sizeof(float4);
  cudaMalloc(&pos[0], bytes);
  cudaMalloc(&pos[1], bytes);
  cudaMalloc(&bodies.vel, bytes);
  cudaMemcpy(pos[0], start.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemset(bodies.vel, 0, bytes);

  dim3 block(p);
  dim3 grid((numBodies + p - 1) / p);
  int current = 0;
  for (int step = 0; step < steps; step++) {
    integrateBodies<<<grid, block, p * sizeof(float4)>>>(pos[1 - current], pos[current],
                                                         bodies.vel, numBodies, dt, damping);
    current = 1 - current;
    integrateOnHost(x, v, start, dt, damping);
  }
  bodies.pos = pos[current];
  std::vector<float4> result(numBodies);
  cudaMemcpy(result.data(), bodies.pos, bytes, cudaMemcpyDeviceToHost);
  cudaError_t err = cudaGetLastError();
  if (err != cudaSuccess) {
    fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(err));
    return 1;
  }

  double worst = 0;
  for (int i = 0; i < numBodies; i++) {
    worst = fmax(worst, fabs(result[i].x - x[3 * i]));
    worst = fmax(worst, fabs(result[i].y - x[3 * i + 1]));
    worst = fmax(worst, fabs(result[i].z - x[3 * i + 2]));
  }
  printf("worst deviation %g\n", worst);
  cudaFree(pos[0]);
  cudaFree(pos[1]);
  cudaFree(bodies.vel);
  return worst < 1e-4 ? 0 : 1;
}
