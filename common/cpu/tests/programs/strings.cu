// Strings: a cipher, a search, a count of words, and the numbers of a text, with device functions
// like those of the C library, and printf.
#include <cctype>
#include <cstdio>
#include <cstring>
#include <string>

__constant__ char pattern[32];
__device__ const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";

__device__ size_t device_strlen(const char* s) {
  const char* end = s;
  while (*end != '\0') ++end;
  return end - s;
}

__device__ bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
__device__ bool is_digit(char c) { return c >= '0' && c <= '9'; }

__global__ void caesar(char* text, int n, int shift) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  char c = text[i];
  if (!is_letter(c)) return;
  char lower = c | 0x20;
  char moved = alphabet[(lower - 'a' + shift + 26) % 26];
  text[i] = c == lower ? moved : moved - 'a' + 'A';
}

__global__ void find(const char* text, int n, int* places, unsigned* found, unsigned capacity) {
  const int length = device_strlen(pattern);
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i + length <= n; i += blockDim.x * gridDim.x) {
    int k = 0;
    while (k < length && text[i + k] == pattern[k]) ++k;
    if (k < length) continue;
    unsigned at = atomicAdd(found, 1u);
    if (at < capacity) places[at] = i;
  }
}

__global__ void count_words(const char* text, int n, int* words) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  bool begins = i < n && is_letter(text[i]) && (i == 0 || !is_letter(text[i - 1]));
  unsigned ballot = __ballot_sync(0xffffffffu, begins);
  if ((threadIdx.x & 31) == 0 && ballot) atomicAdd(words, __popc(ballot));
}

// Each thread at the first digit of a number reads it.
__global__ void sum_numbers(const char* text, int n, long long* sum) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n || !is_digit(text[i]) || (i > 0 && is_digit(text[i - 1]))) return;
  long long value = 0;
  for (; i < n && is_digit(text[i]); ++i) value = 10 * value + (text[i] - '0');
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
}

__global__ void say(const char* what, int times) {
  if (threadIdx.x == 0 && blockIdx.x == 0) printf("%s occurs %d times, %c%%\n", what, times, '5');
}

int main() {
  std::string text =
      "It was the best of times, it was the worst of times, it was the age of wisdom, it was the "
      "age of foolishness; in 1775 there were 2 kings and 3 queens, and 100000000000 reasons. ";
  while (text.size() < 5000) text += text;
  const int n = text.size(), threads = 160, blocks = (n + threads - 1) / threads;

  char* d_text;
  int *d_places, *d_words;
  unsigned* d_found;
  long long* d_sum;
  cudaMalloc(&d_text, n);
  cudaMalloc(&d_places, 100 * sizeof(int));
  cudaMalloc(&d_words, sizeof(int));
  cudaMalloc(&d_found, sizeof(unsigned));
  cudaMalloc(&d_sum, sizeof(long long));
  cudaMemcpy(d_text, text.c_str(), n, cudaMemcpyHostToDevice);
  cudaMemset(d_words, 0, sizeof(int));
  cudaMemset(d_found, 0, sizeof(unsigned));
  cudaMemset(d_sum, 0, sizeof(long long));
  const char wanted[] = "it was";
  cudaMemcpyToSymbol(pattern, wanted, sizeof(wanted));

  find<<<4, threads>>>(d_text, n, d_places, d_found, 100);
  count_words<<<blocks, threads>>>(d_text, n, d_words);
  sum_numbers<<<blocks, threads>>>(d_text, n, d_sum);
  unsigned found;
  int places[100], words;
  long long sum;
  cudaMemcpy(&found, d_found, sizeof found, cudaMemcpyDeviceToHost);
  cudaMemcpy(places, d_places, (found < 100 ? found : 100) * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&words, d_words, sizeof words, cudaMemcpyDeviceToHost);
  cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost);

  unsigned expected = 0;
  for (size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) ++expected;
  bool ok = found == expected && found <= 100;
  for (unsigned i = 0; ok && i < found; ++i) ok = text.compare(places[i], strlen(wanted), wanted) == 0;
  int expected_words = 0;
  for (int i = 0; i < n; ++i)
    expected_words += isalpha(text[i]) && (i == 0 || !isalpha(text[i - 1]));
  long long expected_sum = 0;
  for (const char* p = text.c_str(); *p;) {
    char* end;
    expected_sum += isdigit(*p) ? strtoll(p, &end, 10) : (end = (char*)p + 1, 0);
    p = end;
  }
  ok = ok && words == expected_words && sum == expected_sum;

  std::string secret(n, ' ');
  caesar<<<blocks, threads>>>(d_text, n, 3);
  cudaMemcpy(&secret[0], d_text, n, cudaMemcpyDeviceToHost);
  ok = ok && secret.compare(0, 15, "Lw zdv wkh ehvw") == 0;
  caesar<<<blocks, threads>>>(d_text, n, -3);
  cudaMemcpy(&secret[0], d_text, n, cudaMemcpyDeviceToHost);
  ok = ok && secret == text;

  char* d_name;
  cudaMallocManaged(&d_name, sizeof(wanted));
  strcpy(d_name, wanted);
  say<<<2, 32>>>(d_name, found);
  cudaDeviceSynchronize();

  cudaFree(d_text); cudaFree(d_places); cudaFree(d_words); cudaFree(d_found); cudaFree(d_sum);
  cudaFree(d_name);
  printf("%d words, sum %lld, %s\n", words, sum, ok ? "ok" : "wrong");
  return !ok;
}
