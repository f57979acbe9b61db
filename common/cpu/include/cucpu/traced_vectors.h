// The vectors of 2 and 4 elements as a traced program has them: copying one is a single access of
// its whole size, as on the device, where a compiler for the CPU would make it one access for each
// element.
#pragma once

#include <cstdint>
#include <type_traits>

namespace cucpu {

// A type that holds `Bytes` bytes in one register. No device register has 32: that takes two.
template <unsigned Bytes>
struct Register;
template <>
struct Register<2> {
  using Type [[gnu::may_alias]] = std::uint16_t;
};
template <>
struct Register<4> {
  using Type [[gnu::may_alias]] = std::uint32_t;
};
template <>
struct Register<8> {
  using Type [[gnu::may_alias]] = std::uint64_t;
};
template <>
struct Register<16> {
  typedef float Type __attribute__((vector_size(16), may_alias));
};

template <unsigned Bytes>
inline void copy_whole(void* to, const void* from) {
  constexpr unsigned kPiece = Bytes > 16 ? 16 : Bytes;
  using Piece = typename Register<kPiece>::Type;
  for (unsigned i = 0; i < Bytes / kPiece; ++i) {
    Piece piece = static_cast<const Piece*>(from)[i];
    // The compiler cannot see through this, so the register stays one.
    if constexpr (kPiece < 16)
      asm("" : "+r"(piece));
    else
#if defined(__x86_64__)
      asm("" : "+x"(piece));
#else
      asm("" : "+w"(piece));
#endif
    static_cast<Piece*>(to)[i] = piece;
  }
}

template <class T>
constexpr unsigned vector_alignment(unsigned elements) {
  return elements * sizeof(T) < 16 ? elements * sizeof(T) : 16;
}

template <class T>
struct alignas(vector_alignment<T>(2)) Vector2 {
  T x, y;
  Vector2() = default;
  constexpr Vector2(T x_, T y_ = {}) : x(x_), y(y_) {}
  constexpr Vector2(const Vector2& v) { *this = v; }
  constexpr Vector2& operator=(const Vector2& v) {
    if (std::is_constant_evaluated()) {
      x = v.x, y = v.y;
    } else {
      copy_whole<sizeof(Vector2)>(this, &v);
    }
    return *this;
  }
};

template <class T>
struct alignas(vector_alignment<T>(4)) Vector4 {
  T x, y, z, w;
  Vector4() = default;
  constexpr Vector4(T x_, T y_ = {}, T z_ = {}, T w_ = {}) : x(x_), y(y_), z(z_), w(w_) {}
  constexpr Vector4(const Vector4& v) { *this = v; }
  constexpr Vector4& operator=(const Vector4& v) {
    if (std::is_constant_evaluated()) {
      x = v.x, y = v.y, z = v.z, w = v.w;
    } else {
      copy_whole<sizeof(Vector4)>(this, &v);
    }
    return *this;
  }
};

template <class T>
void takes_vector(const Vector2<T>&);
template <class T>
void takes_vector(const Vector4<T>&);
template <class T>
concept CopiedWhole = requires(const T& v) {
  takes_vector(v);
};

}  // namespace cucpu

// Their bytes are all that is copied, which programs ask for before they send them to a device. The
// compiler knows of functions only; types that contain vectors remain what it takes them for.
template <cucpu::CopiedWhole Vector>
constexpr bool std::is_trivially_copyable_v<Vector> = true;
template <cucpu::CopiedWhole Vector>
struct std::is_trivially_copyable<Vector> : std::true_type {};

struct char2 : cucpu::Vector2<signed char> {
  using Vector2::Vector2;
};
struct char4 : cucpu::Vector4<signed char> {
  using Vector4::Vector4;
};
struct uchar2 : cucpu::Vector2<unsigned char> {
  using Vector2::Vector2;
};
struct uchar4 : cucpu::Vector4<unsigned char> {
  using Vector4::Vector4;
};
struct short2 : cucpu::Vector2<short> {
  using Vector2::Vector2;
};
struct short4 : cucpu::Vector4<short> {
  using Vector4::Vector4;
};
struct ushort2 : cucpu::Vector2<unsigned short> {
  using Vector2::Vector2;
};
struct ushort4 : cucpu::Vector4<unsigned short> {
  using Vector4::Vector4;
};
struct int2 : cucpu::Vector2<int> {
  using Vector2::Vector2;
};
struct int4 : cucpu::Vector4<int> {
  using Vector4::Vector4;
};
struct uint2 : cucpu::Vector2<unsigned int> {
  using Vector2::Vector2;
};
struct uint4 : cucpu::Vector4<unsigned int> {
  using Vector4::Vector4;
};
struct long2 : cucpu::Vector2<long int> {
  using Vector2::Vector2;
};
struct long4 : cucpu::Vector4<long int> {
  using Vector4::Vector4;
};
struct ulong2 : cucpu::Vector2<unsigned long int> {
  using Vector2::Vector2;
};
struct ulong4 : cucpu::Vector4<unsigned long int> {
  using Vector4::Vector4;
};
struct longlong2 : cucpu::Vector2<long long int> {
  using Vector2::Vector2;
};
struct longlong4 : cucpu::Vector4<long long int> {
  using Vector4::Vector4;
};
struct ulonglong2 : cucpu::Vector2<unsigned long long int> {
  using Vector2::Vector2;
};
struct ulonglong4 : cucpu::Vector4<unsigned long long int> {
  using Vector4::Vector4;
};
struct float2 : cucpu::Vector2<float> {
  using Vector2::Vector2;
};
struct float4 : cucpu::Vector4<float> {
  using Vector4::Vector4;
};
struct double2 : cucpu::Vector2<double> {
  using Vector2::Vector2;
};
struct double4 : cucpu::Vector4<double> {
  using Vector4::Vector4;
};
