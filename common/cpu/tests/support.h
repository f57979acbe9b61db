// Shared by the tests of CUDA on the CPU.
#pragma once

#include <cuda_runtime.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <initializer_list>
#include <string>
#include <vector>

namespace test {

// Device memory with the elements of a vector, gone at the end of the scope.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size) {
    REQUIRE(cudaMalloc(&data_, size * sizeof(T)) == cudaSuccess);
  }
  DeviceArray(std::size_t size, T value) : DeviceArray(std::vector<T>(size, value)) {}
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    REQUIRE(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice) ==
            cudaSuccess);
  }
  DeviceArray(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* get() const { return data_; }
  std::vector<T> read() const {
    std::vector<T> values(size_);
    REQUIRE(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost) ==
            cudaSuccess);
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

// Calls cudaDeviceReset at the end of the scope, for tests that leave a fault behind.
struct ResetAfterwards {
  ~ResetAfterwards() { cudaDeviceReset(); }
};

// Captures the text that is written to a stream of the process (its file descriptor) until text().
class Captured {
 public:
  explicit Captured(std::FILE* stream)
      : stream_(stream), file_(std::tmpfile()), saved_(dup(fileno(stream))) {
    REQUIRE(file_ != nullptr);
    std::fflush(stream_);
    dup2(fileno(file_), fileno(stream_));
  }
  Captured(const Captured&) = delete;
  ~Captured() {
    restore();
    std::fclose(file_);
  }

  std::string text() {
    restore();
    std::string text;
    std::rewind(file_);
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) text += static_cast<char>(c);
    return text;
  }

 private:
  void restore() {
    if (saved_ < 0) return;
    std::fflush(stream_);
    dup2(saved_, fileno(stream_));
    close(saved_);
    saved_ = -1;
  }

  std::FILE* stream_;
  std::FILE* file_;
  int saved_;
};

// `printed`: reports, of which some lines were broken to fit a terminal.
inline void check_contains(const std::string& printed, std::initializer_list<std::string> parts) {
  const std::string broken = "\n=========         ";
  std::string text = printed;
  for (std::size_t at; (at = text.find(broken)) != std::string::npos;)
    text.replace(at, broken.size(), " ");
  for (const std::string& part : parts) {
    INFO("looking for: ", part, "\nin: ", text);
    CHECK(text.find(part) != std::string::npos);
  }
}

}  // namespace test
