// Classes in unified memory by way of their operator new: a string, and a binary search tree that
// the host builds, kernels search, and the host takes down.
#include <cstring>
#include <iostream>
#include <new>

class Managed {
 public:
  void* operator new(size_t len) {
    void* ptr;
    if (cudaMallocManaged(&ptr, len) != cudaSuccess) throw std::bad_alloc();
    cudaDeviceSynchronize();
    return ptr;
  }
  void* operator new[](size_t len) { return operator new(len); }
  void operator delete(void* ptr) {
    cudaDeviceSynchronize();
    cudaFree(ptr);
  }
  void operator delete[](void* ptr) { operator delete(ptr); }
};

class String : public Managed {
  int length_ = 0;
  char* data_ = nullptr;
  void assign(const char* s) {
    length_ = std::strlen(s);
    cudaMallocManaged(&data_, length_ + 1);
    std::memcpy(data_, s, length_ + 1);
  }

 public:
  String() = default;
  String(const char* s) { assign(s); }
  String(const String& s) { assign(s.data_); }
  ~String() { cudaFree(data_); }
  String& operator=(const String& s) {
    if (this != &s) {
      cudaFree(data_);
      assign(s.data_);
    }
    return *this;
  }
  __host__ __device__ int length() const { return length_; }
  __host__ __device__ char& operator[](int i) { return data_[i]; }
  __host__ __device__ char operator[](int i) const { return data_[i]; }
  const char* c_str() const { return data_; }
};

struct Element : public Managed {
  String name;
  int value = 0;
};

__global__ void by_pointer(Element* e) {
  if (threadIdx.x == 0) e->name[0] = 'd';
  e->name[threadIdx.x + 1] -= 32;
  if (threadIdx.x == 0) e->value++;
}

__global__ void by_value(const String* name, int* length) { *length = name->length(); }

template <typename Key, typename Value>
class Tree : public Managed {
 public:
  struct Node : public Managed {
    Key key;
    Value value;
    Node* children[2] = {nullptr, nullptr};
    int visits = 0;
    Node(Key k, Value v) : key(k), value(v) {}
  };
  ~Tree() { clear(root_); }
  void insert(Key key, Value value) {
    Node** place = &root_;
    while (*place) place = &(*place)->children[(*place)->key < key];
    *place = new Node(key, value);
    ++size_;
  }
  __host__ __device__ Node* find(const Key& key) const {
    Node* n = root_;
    while (n && !(n->key == key)) n = n->children[n->key < key];
    return n;
  }
  int size() const { return size_; }

 private:
  static void clear(Node* n) {
    if (!n) return;
    clear(n->children[0]);
    clear(n->children[1]);
    delete n;
  }
  Node* root_ = nullptr;
  int size_ = 0;
};

template <typename K, typename V>
__global__ void look_up(const Tree<K, V>& tree, const K* keys, V* values, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= n) return;
  auto* node = tree.find(keys[i]);
  values[i] = node ? node->value : V(-1);
  if (node) atomicAdd(&node->visits, 1);
}

int main() {
  Element* e = new Element;
  e->name = "Hello";
  e->value = 10;
  by_pointer<<<1, 4>>>(e);
  int* length;
  cudaMallocManaged(&length, sizeof(int));
  by_value<<<1, 1>>>(&e->name, length);
  cudaDeviceSynchronize();
  bool ok = std::strcmp(e->name.c_str(), "dELLO") == 0 && e->value == 11 && *length == 5;
  Element* copies = new Element[2]{*e, *e};
  ok = ok && std::strcmp(copies[1].name.c_str(), "dELLO") == 0;
  delete[] copies;
  delete e;

  auto* tree = new Tree<long, double>;
  unsigned state = 12345;
  constexpr int n = 500;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    tree->insert((state >> 8) % 1000 * n + i, i * 0.5);
  }
  long* keys;
  double* values;
  cudaMallocManaged(&keys, 2 * n * sizeof(long));
  cudaMallocManaged(&values, 2 * n * sizeof(double));
  state = 12345;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    keys[i] = (state >> 8) % 1000 * n + i;
    keys[n + i] = -1 - i;
  }
#if CUDART_VERSION >= 13000
  cudaMemLocation where{cudaMemLocationTypeDevice, 0};
  cudaMemPrefetchAsync(keys, 2 * n * sizeof(long), where, 0);
#else
  cudaMemPrefetchAsync(keys, 2 * n * sizeof(long), 0);
#endif
  look_up<<<(2 * n + 127) / 128, 128>>>(*tree, keys, values, 2 * n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i)
    ok = ok && values[i] == i * 0.5 && values[n + i] == -1 && tree->find(keys[i])->visits == 1;
  ok = ok && tree->size() == n;
  delete tree;
  cudaFree(keys);
  cudaFree(values);
  cudaFree(length);
  std::cout << (ok ? "ok" : "wrong") << std::endl;
  return ok && cudaGetLastError() == cudaSuccess ? 0 : 1;
}
