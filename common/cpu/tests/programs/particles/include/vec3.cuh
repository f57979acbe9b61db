#ifndef VEC3_CUH
#define VEC3_CUH

// A vector for both sides.
struct Vec3 {
  float x, y, z;

  Vec3() = default;
  __host__ __device__ Vec3(float x_, float y_, float z_) : x(x_), y(y_), z(z_) {}

  __host__ __device__ Vec3 operator+(const Vec3& o) const { return Vec3(x + o.x, y + o.y, z + o.z); }
  __host__ __device__ Vec3 operator*(float s) const;
  __host__ __device__ Vec3& operator+=(const Vec3& o) { return *this = *this + o; }
  __host__ __device__ friend Vec3 operator*(float s, const Vec3& v) { return v * s; }
};

inline __host__ __device__ Vec3 Vec3::operator*(float s) const { return {x * s, y * s, z * s}; }

#endif
