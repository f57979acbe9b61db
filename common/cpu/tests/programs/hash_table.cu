// A hash table with atomicCAS chains, a spin lock per bucket, 64-bit keys, atomicMin on doubles by
// CAS loops, and device malloc.
#include <climits>
#include <cstdio>
#define EMPTY 0xffffffffu
struct KV {
  unsigned key, value;
};
__device__ unsigned hash(unsigned k, unsigned cap) {
  k ^= k >> 16;
  k *= 0x85ebca6b;
  k ^= k >> 13;
  k *= 0xc2b2ae35;
  k ^= k >> 16;
  return k & (cap - 1);
}
__global__ void insert(KV* t, unsigned cap, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = i % (n / 2), slot = hash(key, cap);
  while (true) {
    unsigned prev = atomicCAS(&t[slot].key, EMPTY, key);
    if (prev == EMPTY || prev == key) {
      atomicAdd(&t[slot].value, 1);
      return;
    }
    slot = (slot + 1) & (cap - 1);
  }
}
__global__ void lookup(const KV* t, unsigned cap, unsigned n, int* bad) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  unsigned slot = hash(i, cap);
  while (t[slot].key != i) {
    if (t[slot].key == EMPTY) {
      atomicAdd(bad, 1);
      return;
    }
    slot = (slot + 1) & (cap - 1);
  }
  if (t[slot].value != 2) atomicAdd(bad, 1);
}
struct Lock {
  int* m;
  __device__ void lock() {
    while (atomicCAS(m, 0, 1) != 0)
      ;
    __threadfence();
  }
  __device__ void unlock() {
    __threadfence();
    atomicExch(m, 0);
  }
};
__global__ void counted(Lock l, int* plain) {
  for (int i = 0; i < 32; ++i)
    if (threadIdx.x % 32 == i) {
      l.lock();
      *plain = *plain + 1;
      l.unlock();
    }
}
__device__ double atomicMinD(double* a, double v) {
  unsigned long long *p = (unsigned long long*)a, old = *p, assumed;
  do {
    assumed = old;
    if (__longlong_as_double(assumed) <= v) break;
    old = atomicCAS(p, assumed, __double_as_longlong(v));
  } while (assumed != old);
  return __longlong_as_double(old);
}
__global__ void mins(double* m, unsigned long long* mx) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicMinD(m, 1000.0 - i);
  atomicMax(mx, (unsigned long long)i << 33);
}
struct Node {
  int v;
  Node* next;
};
__global__ void lists(int* sum) {
  Node* head = nullptr;
  for (int i = 0; i < 5; ++i) {
    Node* n = (Node*)malloc(sizeof(Node));
    if (!n) {
      *sum = -1;
      return;
    }
    n->v = i;
    n->next = head;
    head = n;
  }
  int s = 0;
  while (head) {
    s += head->v;
    Node* n = head->next;
    free(head);
    head = n;
  }
  atomicAdd(sum, s);
}
int main() {
  const unsigned cap = 4096, n = 3000;
  KV* t;
  int* bad;
  cudaMalloc(&t, cap * sizeof(KV));
  cudaMallocManaged(&bad, 4 * sizeof(int));
  bad[0] = bad[1] = bad[2] = bad[3] = 0;
  KV* h = new KV[cap];
  for (unsigned i = 0; i < cap; ++i) h[i] = {EMPTY, 0};
  cudaMemcpy(t, h, cap * sizeof(KV), cudaMemcpyHostToDevice);
  delete[] h;
  insert<<<(n + 127) / 128, 128>>>(t, cap, n);
  lookup<<<(n + 127) / 128, 128>>>(t, cap, n, bad);
  counted<<<4, 64>>>(Lock{bad + 1}, bad + 2);
  lists<<<2, 32>>>(bad + 3);
  double* m;
  unsigned long long* mx;
  cudaMallocManaged(&m, 8);
  cudaMallocManaged(&mx, 8);
  *m = 1e300;
  *mx = 0;
  mins<<<4, 64>>>(m, mx);
  if (cudaDeviceSynchronize()) return 9;
  printf("%d %d %d %g %llu\n", bad[0], bad[2], bad[3], *m, *mx);
  const bool failed = bad[0] || bad[2] != 256 || bad[3] != 640 || *m != 745 || *mx != 255ull << 33;
  for (void* p : {(void*)t, (void*)bad, (void*)m, (void*)mx}) cudaFree(p);
  return failed;
}
