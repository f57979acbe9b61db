#ifndef PARTICLE_CUH
#define PARTICLE_CUH

#include "vec3.cuh"

class Particle {
 public:
  __host__ __device__ Particle();
  __host__ __device__ Particle(Vec3 position, Vec3 velocity);
  // In another file: needs -rdc=true.
  __host__ __device__ void advance(float dt);
  __host__ __device__ const Vec3& position() const { return position_; }

 private:
  Vec3 position_, velocity_;
};

#endif
