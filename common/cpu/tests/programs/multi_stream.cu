// Copies and kernels in several streams: pinned memory in chunks, events across streams, callbacks,
// priorities, allocation in stream order, and times.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHK(stmt)                                                                 \
  do {                                                                            \
    cudaError_t _e = (stmt);                                                      \
    if (_e != cudaSuccess) {                                                      \
      fprintf(stderr, "%s failed: %s\n", #stmt, cudaGetErrorString(_e));          \
      return EXIT_FAILURE;                                                        \
    }                                                                             \
  } while (0)

enum { N_STREAMS = 4, CHUNK = 1 << 12, N = N_STREAMS * CHUNK };

__global__ void polynomial(float *data, int offset, int count)
{
    const int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
    if (i < offset + count) {
        const float x = (float)(i % 100);
        data[i] = data[i] + x * x - 3.0f * x;
    }
}

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

static int callbacks;

void CUDART_CB my_callback(cudaStream_t stream, cudaError_t status, void *data)
{
    (void)stream;
    if (status == cudaSuccess) ++*static_cast<int *>(data);
}

static void CUDART_CB host_function(void *data) { *static_cast<int *>(data) += 10; }

int main(int argc, char **argv)
{
    (void)argc;
    int device = 0;
    cudaDeviceProp prop;
    CHK(cudaGetDeviceProperties(&prop, device));
    printf("%s: %s, overlapping copies: %d\n", argv[0][0] ? "program" : "", prop.major >= 3 ? "modern" : "old", prop.asyncEngineCount > 0);

    float *h_in, *h_out, *d_data;
    CHK(cudaMallocHost((void **)&h_in, N * sizeof(float)));
    CHK(cudaHostAlloc((void **)&h_out, N * sizeof(float), cudaHostAllocDefault));
    CHK(cudaMalloc((void **)&d_data, N * sizeof(float)));
    for (int i = 0; i < N; i++) h_in[i] = (float)(i % 7);

    cudaStream_t streams[N_STREAMS];
    int least, greatest;
    CHK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    for (int i = 0; i < N_STREAMS; i++) {
        if (i % 2) CHK(cudaStreamCreate(&streams[i]));
        else CHK(cudaStreamCreateWithPriority(&streams[i], cudaStreamNonBlocking, i ? least : greatest));
    }
    cudaEvent_t start, stop, done[N_STREAMS];
    CHK(cudaEventCreate(&start));
    CHK(cudaEventCreate(&stop));
    for (auto &e : done) CHK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));

    CHK(cudaEventRecord(start, 0));
    for (int i = 0; i < N_STREAMS; i++) {
        const int offset = i * CHUNK;
        CHK(cudaMemcpyAsync(&d_data[offset], &h_in[offset], CHUNK * sizeof(float), cudaMemcpyHostToDevice, streams[i]));
        polynomial<<<(CHUNK + 255) / 256, 256, 0, streams[i]>>>(d_data, offset, CHUNK);
        CHK(cudaMemcpyAsync(&h_out[offset], &d_data[offset], CHUNK * sizeof(float), cudaMemcpyDeviceToHost, streams[i]));
        CHK(cudaStreamAddCallback(streams[i], my_callback, &callbacks, 0));
        CHK(cudaEventRecord(done[i], streams[i]));
    }
    for (int i = 0; i < N_STREAMS; i++) CHK(cudaStreamWaitEvent(0, done[i], 0));
    CHK(cudaEventRecord(stop));
    CHK(cudaEventSynchronize(stop));
    float ms = -1;
    CHK(cudaEventElapsedTime(&ms, start, stop));
    if (ms < 0) return EXIT_FAILURE;
    for (int i = 0; i < N; i++) {
        const float x = (float)(i % 100);
        if (h_out[i] != h_in[i] + x * x - 3.0f * x) {
            fprintf(stderr, "wrong at %d: %f\n", i, h_out[i]);
            return EXIT_FAILURE;
        }
    }

    // A diamond: two streams feed a third.
    float *a, *b, *c;
    CHK(cudaMallocAsync((void **)&a, CHUNK * sizeof(float), streams[0]));
    CHK(cudaMallocAsync((void **)&b, CHUNK * sizeof(float), streams[1]));
    CHK(cudaMallocAsync((void **)&c, CHUNK * sizeof(float), streams[2]));
    CHK(cudaMemsetAsync(a, 0, CHUNK * sizeof(float), streams[0]));
    CHK(cudaMemsetAsync(b, 0, CHUNK * sizeof(float), streams[1]));
    polynomial<<<CHUNK / 128, 128, 0, streams[0]>>>(a, 0, CHUNK);
    polynomial<<<CHUNK / 128, 128, 0, streams[1]>>>(b, 0, CHUNK);
    CHK(cudaEventRecord(done[0], streams[0]));
    CHK(cudaEventRecord(done[1], streams[1]));
    CHK(cudaStreamWaitEvent(streams[2], done[0]));
    CHK(cudaStreamWaitEvent(streams[2], done[1]));
    CHK(cudaStreamSynchronize(streams[2]));
    add<<<CHUNK / 128, 128, 0, streams[2]>>>(a, b, c, CHUNK);
    CHK(cudaMemcpyAsync(h_out, c, CHUNK * sizeof(float), cudaMemcpyDefault, streams[2]));
    CHK(cudaLaunchHostFunc(streams[2], host_function, &callbacks));
    CHK(cudaFreeAsync(a, streams[2]));
    CHK(cudaFreeAsync(b, streams[2]));
    CHK(cudaFreeAsync(c, streams[2]));
    CHK(cudaStreamSynchronize(streams[2]));
    for (int i = 0; i < CHUNK; i++) {
        const float x = (float)(i % 100);
        if (h_out[i] != 2 * (x * x - 3 * x)) return EXIT_FAILURE;
    }

    CHK(cudaDeviceSynchronize());
    while (cudaStreamQuery(streams[0]) == cudaErrorNotReady) { }
    for (int i = 0; i < N_STREAMS; i++) {
        CHK(cudaEventDestroy(done[i]));
        CHK(cudaStreamDestroy(streams[i]));
    }
    CHK(cudaEventDestroy(start));
    CHK(cudaEventDestroy(stop));
    CHK(cudaFree(d_data));
    CHK(cudaFreeHost(h_in));
    CHK(cudaFreeHost(h_out));
    printf("%d callbacks\n", callbacks);
    return callbacks == N_STREAMS + 10 ? EXIT_SUCCESS : EXIT_FAILURE;
}
