// Step 06's softmax as a library, for programs that are not written in C++. As the bench, it stands
// above the steps: nothing here includes it.
#include "../../steps/06_softmax_warp/softmax.cuh"

/// Softmax of the rows of x, (rows, cols), into y; both row-major, in device memory. `stream`: null
/// for the default stream. Returns the launch's error.
extern "C" cudaError_t softmax_rows(const float* x, float* y, std::size_t rows, std::size_t cols,
                                    cudaStream_t stream) {
  softmax(x, y, rows, cols, stream);
  return cudaGetLastError();
}
