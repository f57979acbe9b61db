// Managed memory with prefetching and structure: a linked list that host and device walk, and
// C++ objects in managed memory through operator new.
#include <new>

#include "check.h"

class Managed {
 public:
  void* operator new(size_t bytes) {
    void* p;
    CUDA_CHECK(cudaMallocManaged(&p, bytes));
    return p;
  }
  void operator delete(void* p) {
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaFree(p));
  }
};

struct Node : public Managed {
  int value = 0;
  Node* next = nullptr;
};

__global__ void sum_list(const Node* node, int* sum) {
  *sum = 0;
  while (node) {
    *sum += node->value;
    node = node->next;
  }
}

__global__ void double_values(Node* first) {
  for (Node* node = first; node != nullptr; node = node->next) node->value *= 2;
}

int main() {
  Node* first = nullptr;
  for (int i = 1; i <= 50; ++i) {
    Node* node = new Node;
    node->value = i;
    node->next = first;
    first = node;
  }
  int* sum;
  CUDA_CHECK(cudaMallocManaged(&sum, sizeof *sum, cudaMemAttachGlobal));
  sum_list<<<1, 1>>>(first, sum);
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT(*sum == 1275);
  double_values<<<1, 1>>>(first);
  sum_list<<<1, 1>>>(first, sum);
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT(*sum == 2550);
  while (first != nullptr) {
    Node* next = first->next;
    delete first;
    first = next;
  }
  CUDA_CHECK(cudaFree(sum));
}
