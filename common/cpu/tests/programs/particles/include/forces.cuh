#pragma once
#include "vec3.cuh"

// Known to all files of the program, defined in particle.cu.
extern __constant__ float gravity[3];
extern __device__ unsigned int bounces;

namespace forces {
__device__ inline Vec3 gravity_now() { return Vec3(gravity[0], gravity[1], gravity[2]); }
__device__ float bounce(float height, float& speed);
}
