// Copies and kernels in chunks on several streams, with pinned memory, events and a callback.
#include "check.h"

static void CUDART_CB count_call(void* data) { ++*static_cast<int*>(data); }

__global__ void square(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * x[i];
}

int main() {
  const int STREAMS = 4, CHUNK = 10'000, N = STREAMS * CHUNK;
  float *host, *device;
  CUDA_CHECK(cudaMallocHost((void**)&host, N * sizeof(float)));
  CUDA_CHECK(cudaMalloc((void**)&device, N * sizeof(float)));
  for (int i = 0; i < N; ++i) host[i] = i % 1000;

  cudaStream_t streams[STREAMS];
  for (auto& stream : streams) CUDA_CHECK(cudaStreamCreate(&stream));
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));

  int calls = 0;
  CUDA_CHECK(cudaEventRecord(start));
  for (int i = 0; i < STREAMS; ++i) {
    const int offset = i * CHUNK;
    const size_t bytes = CHUNK * sizeof(float);
    CUDA_CHECK(
        cudaMemcpyAsync(device + offset, host + offset, bytes, cudaMemcpyHostToDevice, streams[i]));
    square<<<(CHUNK + 255) / 256, 256, 0, streams[i]>>>(device + offset, CHUNK);
    CUDA_CHECK(
        cudaMemcpyAsync(host + offset, device + offset, bytes, cudaMemcpyDeviceToHost, streams[i]));
    CUDA_CHECK(cudaLaunchHostFunc(streams[i], count_call, &calls));
    CUDA_CHECK(cudaStreamSynchronize(streams[i]));
  }
  CUDA_CHECK(cudaEventRecord(stop, 0));
  CUDA_CHECK(cudaStreamWaitEvent(streams[0], stop, 0));
  CUDA_CHECK(cudaEventSynchronize(stop));
  float milliseconds = -1.0f;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  EXPECT(milliseconds >= 0.0f);
  EXPECT(cudaStreamQuery(streams[1]) == cudaSuccess);
  EXPECT(calls == STREAMS);
  for (int i = 0; i < N; ++i) EXPECT(host[i] == float(i % 1000) * float(i % 1000));

  for (auto& stream : streams) CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  CUDA_CHECK(cudaFreeHost(host));
  CUDA_CHECK(cudaFree(device));
}
