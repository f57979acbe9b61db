// cuBLAS's common calls, column-major, against sums written out.
#include <cublas_v2.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void must(cublasStatus_t status, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  printf("line %d: %s\n", line, cublasGetStatusString(status));
  exit(1);
}
#define MUST(call) must(call, __LINE__)

constexpr int m = 5, n = 3, k = 4;

__global__ void fill(float* x, int count, float step) {
  if (const int i = threadIdx.x; i < count) x[i] = step * (i % 7) - 1;
}
__global__ void twice(const float* x, float* y, int count) {
  if (const int i = threadIdx.x; i < count) y[i] = 2 * x[i];
}

struct Vector {
  explicit Vector(int count) : size(count) { cudaMalloc(&data, sizeof(float) * count); }
  Vector(int count, float step) : Vector(count) { fill<<<1, 64>>>(data, count, step); }
  ~Vector() { cudaFree(data); }
  std::vector<float> read() const {
    std::vector<float> values(size);
    MUST(cublasGetVector(size, sizeof(float), data, 1, values.data(), 1));
    return values;
  }
  float* data = nullptr;
  int size;
};

static bool near(float a, float b) { return std::fabs(a - b) < 1e-4f; }
#define NEAR(a, b)                                                     \
  if (!near(a, b)) {                                                   \
    printf("line %d: %g is not %g\n", __LINE__, double(a), double(b)); \
    return 1;                                                          \
  }

int main() {
  cublasHandle_t handle;
  MUST(cublasCreate(&handle));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  MUST(cublasSetStream(handle, stream));
  MUST(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));

  const Vector a(m * k, 0.5f), b(k * n, 0.25f), c(m * n), d(m * n);
  const std::vector<float> ha = a.read(), hb = b.read();
  const float one = 1, zero = 0, three = 3;
  MUST(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &three, a.data, m, b.data, k, &zero,
                   c.data, m));
  // A kernel reads the library's result.
  twice<<<1, 64, 0, stream>>>(c.data, d.data, m * n);
  cudaStreamSynchronize(stream);
  std::vector<float> product(m * n, 0.0f);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int l = 0; l < k; ++l) product[j * m + i] += 3 * ha[l * m + i] * hb[j * k + l];
  const std::vector<float> hd = d.read();
  for (int i = 0; i < m * n; ++i) NEAR(hd[i], 2 * product[i]);
  // a as the transpose of a (k x m) matrix, and b of an (n x k) one
  MUST(cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_T, m, n, k, &one, a.data, k, b.data, n, &one,
                   c.data, m));
  float sum = product[m + 2];
  for (int l = 0; l < k; ++l) sum += ha[2 * k + l] * hb[l * n + 1];
  NEAR(c.read()[m + 2], sum);

  const Vector x(k, 1.0f), y(m), z(m, 1.0f);
  const std::vector<float> hx = x.read(), hz = z.read();
  MUST(cublasSgemv(handle, CUBLAS_OP_N, m, k, &one, a.data, m, x.data, 1, &zero, y.data, 1));
  sum = 0;
  for (int l = 0; l < k; ++l) sum += ha[l * m + 3] * hx[l];
  NEAR(y.read()[3], sum);

  float result = 0;
  MUST(cublasSdot(handle, m, z.data, 1, z.data, 1, &result));
  NEAR(result, 1 + 0 + 1 + 4 + 9);
  MUST(cublasSnrm2(handle, m, z.data, 1, &result));
  NEAR(result, std::sqrt(15.0f));
  MUST(cublasSasum(handle, m, z.data, 1, &result));
  NEAR(result, 7);
  int at = 0;
  MUST(cublasIsamax(handle, m, z.data, 1, &at));
  if (at != 5) return 1;
  float* on_device;
  cudaMalloc(&on_device, sizeof(float));
  MUST(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
  MUST(cublasSdot(handle, m, z.data, 1, z.data, 1, on_device));
  MUST(cublasSaxpy(handle, m, on_device, z.data, 1, y.data, 1));
  MUST(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
  NEAR(y.read()[3], sum + 15 * hz[3]);
  MUST(cublasSscal(handle, m, &three, y.data, 1));
  MUST(cublasSswap(handle, m, y.data, 1, z.data, 1));
  NEAR(z.read()[3], 3 * (sum + 15 * hz[3]));
  NEAR(y.read()[3], hz[3]);
  MUST(cublasScopy(handle, m, y.data, 1, z.data, 1));
  NEAR(z.read()[4], hz[4]);

  const Vector outer(m * k), transposed(m * k);
  cudaMemset(outer.data, 0, sizeof(float) * m * k);
  MUST(cublasSger(handle, m, k, &three, z.data, 1, x.data, 1, outer.data, m));
  NEAR(outer.read()[2 * m + 4], 3 * hz[4] * hx[2]);
  MUST(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, k, m, &one, outer.data, m, &zero, outer.data,
                   k, transposed.data, k));
  NEAR(transposed.read()[4 * k + 2], outer.read()[2 * m + 4]);

  const Vector batch(2 * m * n);
  MUST(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a.data, m, 0,
                                 b.data, k, 0, &zero, batch.data, m, m * n, 2));
  NEAR(batch.read()[m * n + 7], product[7] / 3);

  if (cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a.data, m - 1, b.data, k, &zero,
                  c.data, m) != CUBLAS_STATUS_INVALID_VALUE)
    return 1;
  if (cublasSscal(nullptr, m, &one, y.data, 1) != CUBLAS_STATUS_NOT_INITIALIZED) return 1;
  cudaFree(on_device);
  cudaStreamDestroy(stream);
  MUST(cublasDestroy(handle));
  printf("right\n");
}
