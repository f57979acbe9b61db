#include "problem/cublaslt.h"

#include <cublasLt.h>

#include <cstddef>
#include <memory>
#include <string>

#include "device/buffer.h"
#include "problem/check_cublas.h"

namespace problem {
namespace {

constexpr int kMostHeuristics = 8;
constexpr std::size_t kWorkspaceBytes = std::size_t{256} << 20;

cublasLtHandle_t handle() {
  static const cublasLtHandle_t made = [] {
    cublasLtHandle_t fresh = nullptr;
    check_cublas(cublasLtCreate(&fresh), "cublasLtCreate");
    return fresh;
  }();
  return made;
}

void* workspace() {
  static const device::Buffer<std::byte> memory(kWorkspaceBytes);
  return memory.data();
}

// A product as cublasLt takes it. It is column-major: C^T = B^T A^T is C = A B for row-major
// matrices, so A (m, k) is a k x m matrix to it, B an n x k one, and C an n x m one.
class Product {
 public:
  Product(int m, int n, int k) {
    check_cublas(cublasLtMatmulDescCreate(&description_, CUBLAS_COMPUTE_32F_PEDANTIC, CUDA_R_32F),
                 "cublasLtMatmulDescCreate");
    make(a_, k, m);
    make(b_, n, k);
    make(c_, n, m);
  }
  ~Product() {
    for (const cublasLtMatrixLayout_t layout : {a_, b_, c_}) cublasLtMatrixLayoutDestroy(layout);
    cublasLtMatmulDescDestroy(description_);
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  // The kernels that should be the fastest, best first.
  std::vector<cublasLtMatmulAlgo_t> heuristics() const {
    cublasLtMatmulPreference_t preference = nullptr;
    check_cublas(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    check_cublas(
        cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                             &kWorkspaceBytes, sizeof kWorkspaceBytes),
        "cublasLtMatmulPreferenceSetAttribute");
    cublasLtMatmulHeuristicResult_t results[kMostHeuristics] = {};
    int count = 0;
    // A shape that it has no kernel for is none of its peers.
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle(), description_, b_, a_, c_, c_, preference, kMostHeuristics, results, &count);
    cublasLtMatmulPreferenceDestroy(preference);
    std::vector<cublasLtMatmulAlgo_t> kernels;
    for (int i = 0; status == CUBLAS_STATUS_SUCCESS && i < count; ++i) {
      if (results[i].state == CUBLAS_STATUS_SUCCESS) kernels.push_back(results[i].algo);
    }
    return kernels;
  }

  void launch(const cublasLtMatmulAlgo_t& kernel, const Operands& on, cudaStream_t stream) const {
    const float one = 1, zero = 0;
    check_cublas(
        cublasLtMatmul(handle(), description_, &one, on.inputs[1], b_, on.inputs[0], a_, &zero,
                       on.output, c_, on.output, c_, &kernel, workspace(), kWorkspaceBytes, stream),
        "cublasLtMatmul");
  }

 private:
  static void make(cublasLtMatrixLayout_t& layout, int rows, int cols) {
    check_cublas(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, rows, cols, rows),
                 "cublasLtMatrixLayoutCreate");
  }

  cublasLtMatmulDesc_t description_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, c_ = nullptr;
};

}  // namespace

std::vector<Baseline> cublaslt_products(int m, int n, int k) {
  const auto product = std::make_shared<const Product>(m, n, k);
  std::vector<Baseline> all;
  for (const cublasLtMatmulAlgo_t& kernel : product->heuristics()) {
    all.push_back({"cublasLt heuristic " + std::to_string(all.size() + 1),
                   [product, kernel](const Operands& on, cudaStream_t stream) {
                     product->launch(kernel, on, stream);
                   }});
  }
  return all;
}

}  // namespace problem
