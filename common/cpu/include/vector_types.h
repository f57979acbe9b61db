// CUDA's vector types, with CUDA's alignments: a vector of 2 or 4 elements is aligned to its size,
// up to 16 bytes, so that one access can move it; a vector of 3 only to its element.
#pragma once

#define __VECTOR_TYPES_H__  // NVIDIA's include guard, which programs ask for

#include "cucpu/dim3.h"

struct char1 {
  signed char x;
};
struct char3 {
  signed char x, y, z;
};
struct uchar1 {
  unsigned char x;
};
struct uchar3 {
  unsigned char x, y, z;
};
struct short1 {
  short x;
};
struct short3 {
  short x, y, z;
};
struct ushort1 {
  unsigned short x;
};
struct ushort3 {
  unsigned short x, y, z;
};
struct int1 {
  int x;
};
struct int3 {
  int x, y, z;
};
struct uint1 {
  unsigned int x;
};
struct long1 {
  long int x;
};
struct long3 {
  long int x, y, z;
};
struct ulong1 {
  unsigned long int x;
};
struct ulong3 {
  unsigned long int x, y, z;
};
struct longlong1 {
  long long int x;
};
struct longlong3 {
  long long int x, y, z;
};
struct ulonglong1 {
  unsigned long long int x;
};
struct ulonglong3 {
  unsigned long long int x, y, z;
};
struct float1 {
  float x;
};
struct float3 {
  float x, y, z;
};
struct double1 {
  double x;
};
struct double3 {
  double x, y, z;
};

#ifdef CUCPU_TRACED
#include "cucpu/traced_vectors.h"
#else
struct alignas(2) char2 {
  signed char x, y;
};
struct alignas(4) char4 {
  signed char x, y, z, w;
};
struct alignas(2) uchar2 {
  unsigned char x, y;
};
struct alignas(4) uchar4 {
  unsigned char x, y, z, w;
};
struct alignas(4) short2 {
  short x, y;
};
struct alignas(8) short4 {
  short x, y, z, w;
};
struct alignas(4) ushort2 {
  unsigned short x, y;
};
struct alignas(8) ushort4 {
  unsigned short x, y, z, w;
};
struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned int x, y;
};
struct alignas(16) uint4 {
  unsigned int x, y, z, w;
};
struct alignas(16) long2 {
  long int x, y;
};
struct alignas(16) long4 {
  long int x, y, z, w;
};
struct alignas(16) ulong2 {
  unsigned long int x, y;
};
struct alignas(16) ulong4 {
  unsigned long int x, y, z, w;
};
struct alignas(16) longlong2 {
  long long int x, y;
};
struct alignas(16) longlong4 {
  long long int x, y, z, w;
};
struct alignas(16) ulonglong2 {
  unsigned long long int x, y;
};
struct alignas(16) ulonglong4 {
  unsigned long long int x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
struct alignas(16) double4 {
  double x, y, z, w;
};
#endif
