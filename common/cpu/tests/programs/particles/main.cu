// Device functions and variables in several files and headers, linked (nvcc: -rdc=true).
#include <cstdio>
#include <vector>

#include "particle.cuh"
#include "forces.cuh"
#include "report.h"

__global__ void advance_all(Particle* particles, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) particles[i].advance(dt);
}

__global__ void fall(float* heights, float* speeds, int n, int steps, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float height = heights[i], speed = speeds[i];
  for (int s = 0; s < steps; ++s) {
    speed += forces::gravity_now().z * dt;
    height = forces::bounce(height + speed * dt, speed);
  }
  heights[i] = height;
  speeds[i] = speed;
}

int main() {
  const int n = 1000;
  std::vector<Particle> host(n);
  for (int i = 0; i < n; ++i) host[i] = Particle(Vec3(i, 0, 1), Vec3(1, 2, -0.5f * i));

  Particle* device;
  cudaMalloc(&device, n * sizeof(Particle));
  cudaMemcpy(device, host.data(), n * sizeof(Particle), cudaMemcpyHostToDevice);
  for (int step = 0; step < 10; ++step) {
    advance_all<<<(n + 255) / 256, 256>>>(device, n, 0.25f);
    for (Particle& p : host) p.advance(0.25f);
  }
  std::vector<Particle> result(n);
  cudaMemcpy(result.data(), device, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const Vec3 &a = host[i].position(), &b = result[i].position();
    wrong += a.x != b.x || a.y != b.y || a.z != b.z;
  }
  report("positions", wrong);

  // One meter down with g = 2 takes a second; with steps of 1/64 it bounces within 64 of them.
  const float g[3] = {0, 0, -2};
  cudaMemcpyToSymbol(gravity, g, sizeof(g));
  float *heights, *speeds;
  cudaMallocManaged(&heights, n * sizeof(float));
  cudaMallocManaged(&speeds, n * sizeof(float));
  for (int i = 0; i < n; ++i) heights[i] = 1, speeds[i] = 0;
  fall<<<(n + 127) / 128, 128>>>(heights, speeds, n, 64, 1.0f / 64);
  unsigned int hits = 0;
  cudaMemcpyFromSymbol(&hits, bounces, sizeof(hits));
  wrong = hits != n;
  for (int i = 0; i < n; ++i) wrong += heights[i] < 0 || speeds[i] < 0;
  report("bounces", wrong);

  cudaFree(device);
  cudaFree(heights);
  cudaFree(speeds);
  return cudaGetLastError() == cudaSuccess ? failures() : 1;
}
