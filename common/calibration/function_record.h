// How half_functions writes down what a device computes: results that are many as hashes.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace calibration {

using Word = unsigned long long;  // holds a result of any type, as bits

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

// FNV-1a over the bytes of words.
class Hash {
 public:
  void add(Word word) {
    for (int i = 0; i < 8; ++i) {
      state_ = (state_ ^ (word & 0xff)) * 0x100000001b3;
      word >>= 8;
    }
  }
  // 24 of the bits, as hexadecimal digits.
  std::string digits() const;

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

inline std::string hexadecimal(Word word, int digits) {
  char text[17];
  std::snprintf(text, sizeof(text), "%0*llx", digits, word);
  return text;
}

inline std::string Hash::digits() const {
  return hexadecimal((state_ ^ state_ >> 32) & 0xffffff, 6);
}

// A hash per `chunk` results, one after the other.
template <class Results>
std::string hashes(const Results& results, std::size_t chunk) {
  std::string text;
  for (std::size_t first = 0; first < results.size(); first += chunk) {
    Hash hash;
    for (std::size_t i = first; i < first + chunk && i < results.size(); ++i) hash.add(results[i]);
    text += hash.digits();
  }
  return text;
}

// A line of JSON, of names and texts that need no escapes.
class Line {
 public:
  Line& add(std::string_view name, std::string_view value) {
    return raw(name, '"' + std::string(value) + '"');
  }
  Line& add(std::string_view name, Word value) { return raw(name, std::to_string(value)); }
  void write(std::FILE* file) const { std::fprintf(file, "{%s}\n", fields_.c_str()); }

 private:
  Line& raw(std::string_view name, const std::string& value) {
    fields_ += (fields_.empty() ? "\"" : ", \"") + std::string(name) + "\": " + value;
    return *this;
  }
  std::string fields_;
};

// Numbers that look random, the same everywhere: the finalizer of a 32-bit hash.
__host__ __device__ inline unsigned scrambled(unsigned i) {
  i = (i ^ i >> 16) * 0x7feb352du;
  i = (i ^ i >> 15) * 0x846ca68bu;
  return i ^ i >> 16;
}

}  // namespace calibration
