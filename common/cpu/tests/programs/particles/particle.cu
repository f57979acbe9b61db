#include "forces.cuh"
#include "particle.cuh"

__constant__ float gravity[3];
__device__ unsigned int bounces = 0;

__host__ __device__ Particle::Particle() : position_(0, 0, 0), velocity_{0, 0, 0} {}

__host__ __device__ Particle::Particle(Vec3 position, Vec3 velocity)
    : position_(position), velocity_(velocity) {}

__host__ __device__ void Particle::advance(float dt) { position_ += velocity_ * dt; }

__device__ float forces::bounce(float height, float& speed) {
  if (height >= 0) return height;
  atomicAdd(&bounces, 1u);
  speed = -speed;
  return -height;
}
