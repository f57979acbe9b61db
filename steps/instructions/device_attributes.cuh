// Attributes of the current device: CUDA Runtime API, "Device Management", cudaDeviceGetAttribute.
#pragma once

#include <cuda_runtime.h>

// Without a device, 0.
inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&value, attribute, device);
  return value;
}

inline int multiprocessors() { return device_attribute(cudaDevAttrMultiProcessorCount); }
