// Which kernels get a body that runs a block as a whole, and what that is.
#include "../whole_blocks.h"
#include "../lower.h"

#include <doctest/doctest.h>

#include <cctype>
#include <string>
#include <string_view>

namespace {

using cucpu::lower::with_whole_blocks;

std::string kernel(const std::string& body) {
  return "constexpr int kSize = 64; __device__ int device_function(int); __device__ int counter;\n"
         "volatile __device__ int flag;\n"
         "template <class T, int N> __global__ void k(const T* in, T* out, int n) {" +
         body + "}\n";
}

bool is_whole(const std::string& body) {
  const std::string text = kernel(body);
  const std::string result = with_whole_blocks(text);
  CHECK((result == text) == (result.find("begin_whole_block") == std::string::npos));
  return result != text;
}

// Without the numbers of lines; each run of white space as one blank, none at the ends.
std::string in_one_line(std::string_view text) {
  std::string out;
  bool in_marker = false, begins_line = false;
  for (const char c : text) {
    if (begins_line) in_marker = c == '#';
    begins_line = c == '\n';
    if (in_marker) continue;
    if (!std::isspace(static_cast<unsigned char>(c)))
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// The part behind the first body.
std::string second_body(const std::string& body) {
  const std::string text = with_whole_blocks(kernel(body)), before = "gridDim = ::gridDim;";
  const std::size_t begin = text.find(before) + before.size();
  return in_one_line(text.substr(begin, text.find("::cucpu::end_whole_block") - begin));
}

const std::string kThreads =
    "for (unsigned cucpu_z = 0; cucpu_z != blockDim.z; ++cucpu_z) "
    "for (unsigned cucpu_y = 0; cucpu_y != blockDim.y; ++cucpu_y) "
    "for (unsigned cucpu_x = 0; cucpu_x != blockDim.x; ++cucpu_x) { "
    "[[maybe_unused]] const ::uint3 threadIdx{cucpu_x, cucpu_y, cucpu_z}; "
    "[[maybe_unused]] const unsigned cucpu_thread = cucpu_x + blockDim.x * (cucpu_y + blockDim.y * "
    "cucpu_z); ";

}  // namespace

TEST_CASE("a body per barrier, each in a loop over the threads") {
  CHECK(second_body("__shared__ T s[kSize]; s[threadIdx.x] = in[threadIdx.x]; __syncthreads();"
                    "out[threadIdx.x] = s[kSize - 1 - threadIdx.x];") ==
        "__shared__ T s[kSize]; " + kThreads + "s[threadIdx.x] = in[threadIdx.x]; } " + kThreads +
            "out[threadIdx.x] = s[kSize - 1 - threadIdx.x]; }");
}

TEST_CASE("a variable that a later part needs is an element of an array") {
  const std::string body =
      "const int first = blockIdx.x * N; int i = first + threadIdx.x; const T x = in[i];"
      "__syncthreads(); i += 1; out[i] = x;";
  CHECK(second_body(body) ==
        "static thread_local int cucpu_of_i[::cucpu::kMaxBlockThreads]; "
        "static thread_local T cucpu_of_x[::cucpu::kMaxBlockThreads]; "
        "const int first = blockIdx.x * N; " +
            kThreads +
            "int& i = cucpu_of_i[cucpu_thread] = first + threadIdx.x; "
            "T const x = cucpu_of_x[cucpu_thread] = in[i]; } " +
            kThreads +
            "int& i = cucpu_of_i[cucpu_thread]; T const x = cucpu_of_x[cucpu_thread]; "
            "i += 1; out[i] = x; }");
}

TEST_CASE("a loop with barriers stands outside") {
  CHECK(second_body("for (int half = N / 2; half > 0; half /= 2) {"
                    "if (threadIdx.x < half) out[threadIdx.x] += out[threadIdx.x + half];"
                    "__syncthreads(); }") ==
        "for (int half = N / 2; half > 0; half /= 2) { " + kThreads +
            "if (threadIdx.x < half) out[threadIdx.x] += out[threadIdx.x + half]; }}");
}

TEST_CASE("a loop that a row of threads runs through alike stands around them") {
  const std::string rows =
      "for (unsigned cucpu_z = 0; cucpu_z != blockDim.z; ++cucpu_z) "
      "for (unsigned cucpu_y = 0; cucpu_y != blockDim.y; ++cucpu_y) { "
      "[[maybe_unused]] const ::uint3 threadIdx{0, cucpu_y, cucpu_z}; "
      "[[maybe_unused]] const unsigned cucpu_thread = 0 + blockDim.x * (cucpu_y + blockDim.y * "
      "cucpu_z); ";
  const std::string threads =
      " for (unsigned cucpu_x = 0; cucpu_x != blockDim.x; ++cucpu_x) { "
      "[[maybe_unused]] const ::uint3 threadIdx{cucpu_x, cucpu_y, cucpu_z}; "
      "[[maybe_unused]] const unsigned cucpu_thread = cucpu_x + blockDim.x * (cucpu_y + "
      "blockDim.y * cucpu_z); ";
  const std::string head = "for (int row = threadIdx.y; row < n; row += N)";
  CHECK(second_body(head + " out[row] = in[threadIdx.x];") ==
        rows + head + threads + "out[row] = in[threadIdx.x]; }}");
  // With a variable from before a barrier, and statements before and behind.
  CHECK(second_body("int i = threadIdx.x; __syncthreads(); out[0] = 1;" + head +
                    "{ out[row] = i; } out[1] = i;") ==
        "static thread_local int cucpu_of_i[::cucpu::kMaxBlockThreads]; " + kThreads +
            "int const i = cucpu_of_i[cucpu_thread] = threadIdx.x; } " + kThreads +
            "out[0] = 1; } " + rows + head + threads +
            "int const i = cucpu_of_i[cucpu_thread]; { out[row] = i; } }} " + kThreads +
            "int const i = cucpu_of_i[cucpu_thread]; out[1] = i; }");
}

TEST_CASE("loops that stay inside a thread") {
  for (const std::string loop : {
           "for (int i = threadIdx.x; i < n; i += N) out[i] = 1;",
           "for (int i = 0; i < n; ++i) out[i + threadIdx.x] = 1;",
           "for (int i = threadIdx.y; i < n; ++i) { out[i] = 1; ++i; }",
           "for (int i = threadIdx.y, k = 0; i < n; ++i, ++k) out[i] = k;",
           "for (int i = threadIdx.y; i < n; ++i) { if (i == 4) break; out[i] = 1; }",
           "for (int i = threadIdx.y; i < n; ++i) { if (i == 4) continue; out[i] = 1; }",
           "for (int i = threadIdx.y; i < n; ++i) { if (i == 4) return; out[i] = 1; }",
           "for (int i = threadIdx.y; i < n; ++i) atomicAdd(out, i);",
           "T sum = 0; for (int i = threadIdx.y; i < n; ++i) sum += in[i]; out[0] = sum;",
       }) {
    const std::string body = second_body(loop);
    CHECK_MESSAGE((body.starts_with(kThreads) && body.ends_with("}")), loop);
    CHECK_MESSAGE(body.find("cucpu_x", kThreads.size()) == std::string::npos, loop);
  }
}

TEST_CASE("the first body and the lines stay") {
  const std::string text =
      "# 1 \"a.cu\"\n__global__ void k(int* a) {\n  a[0] = 1;\n  __syncthreads();\n}\nint x;\n";
  const std::string out = with_whole_blocks(text);
  CHECK(
      out.starts_with("# 1 \"a.cu\"\n__global__ void k(int* a) { if "
                      "(!::cucpu::begin_whole_block()) {\n  a[0] = 1;\n  __syncthreads();\n"));
  CHECK(out.find("\n# 2 \"a.cu\" 3\na[0] = 1;") != std::string::npos);
  CHECK(out.ends_with("::cucpu::end_whole_block();\n# 4 \"a.cu\"\n}\nint x;\n"));
}

TEST_CASE("kernels that are understood") {
  for (const std::string body : {
           "out[0] = 1; __syncthreads(); if (threadIdx.x == 0) atomicAdd(out, out[1]);",
           "extern __shared__ float s[]; s[0] = n; __syncthreads();",
           "int i = threadIdx.x; while (i < n) { out[i] = 0; i += blockDim.x; } __syncthreads();",
           "out[0] = 1; __syncthreads(); if (n < 4) return; out[1] = out[0];",
           "for (int a = 0; a < n; ++a) { for (int b = a; b < N; b += a) { out[b] = a;"
           "__syncthreads(); } out[a] = 0; __syncthreads(); }",
           "const unsigned lane = threadIdx.x % warpSize; float f[4] = {}; f[lane % 4] = 1;"
           "out[lane] = f[0]; __syncthreads(); out[lane + 1] = static_cast<T>(lane);",
           "for (int a = 0; a < n; ++a) { for (int i = 0; i < 4; ++i) { if (i == n) break; }"
           "__syncthreads(); }",
           "__syncthreads(); atomicAdd(&out[threadIdx.x], n);",
           "const T* row = in + threadIdx.x; __syncthreads(); out[0] = *row;",
           "const auto last = n - 1; __syncthreads(); out[last] = min(n, 3);",
           // Without barriers there is one part.
           "out[0] = 1;",
           "const int i = threadIdx.x; if (i >= n) return; out[i] = in[i];",
       })
    CHECK_MESSAGE(is_whole(body), body);
}

TEST_CASE("kernels that keep their fibers") {
  for (const std::string body : {
           // Not all threads come to the barrier, or not obviously.
           "if (threadIdx.x < 4) { out[0] = 1; __syncthreads(); }",
           "if (n > 4) return; __syncthreads();",
           "int i = 0; while (i < n) { ++i; __syncthreads(); }",
           "for (int i = threadIdx.x; i < n; ++i) { __syncthreads(); }",
           "for (int i = 0; i < in[0]; ++i) { __syncthreads(); }",
           "for (int i = 0; i < counter; ++i) { __syncthreads(); }",
           "for (int i = 0; i < n; ++i) { i += 1; __syncthreads(); }",
           "for (int i = 0; i < n; ++i) { if (out[i] > 0) break; __syncthreads(); }",
           "for (int i = 0; i < n; ++i) { if (out[i] > 0) continue; __syncthreads(); }",
           "for (int i = 0; i < n; ++i) { if (out[i] > 0) return; __syncthreads(); }",
           "for (int i = 0; i < n; ++i) __syncthreads();",
           "if (__syncthreads_or(n)) out[0] = 1;",
           // Something else may wait, or ask which thread runs.
           "out[0] = device_function(n); __syncthreads();",
           "out[0] = device_function(n);",
           "while (out[0] == 0) {}",
           "out[0] = __shfl_down_sync(~0u, n, 1);",
           "out[0] = __shfl_down_sync(~0u, n, 1); __syncthreads();",
           "__syncwarp(); __syncthreads();",
           "const auto f = [&](int i) { return i; }; __syncthreads();",
           "out[0] = (in[0])(n); __syncthreads();",
           "out[0] = T{n}; __syncthreads();",
           "out[0] = N<int>(n); __syncthreads();",
           "asm volatile(\"\"); __syncthreads();",
           // A thread may wait for another one.
           "while (atomicAdd(out, 0) == 0) {} __syncthreads();",
           "for (; atomicAdd(out, 0) == 0;) {} __syncthreads();",
           "int v = 0; while (v == 0) { v = atomicAdd(out, 0); } __syncthreads();",
           "const int slot = atomicAdd(out, 1); __syncthreads(); out[slot] = 1;",
           "for (;;) { if (out[0]) break; } __syncthreads();",
           "while (true) { if (out[0]) break; } __syncthreads();",
           "while (flag == 0) {} __syncthreads();",
           "if (flag == 0) out[0] = 1; __syncthreads();",
           "while (out[0] == 0) {} __syncthreads();",
           "while (*out == 0) {} __syncthreads();",
           // Variables of which a copy per thread is not so simple, or slow.
           "float sum[4][4] = {}; __syncthreads(); out[0] = sum[0][0];",
           "float4 a = in[0]; __syncthreads(); out[0] = a.x;",
           "auto a = in[threadIdx.x]; __syncthreads(); out[0] = a;",
           "const auto [a, b] = in[0]; __syncthreads(); out[0] = a;",
           "T& a = out[threadIdx.x]; __syncthreads(); a = 0;",
           "int a = 1; int* p = &a; __syncthreads(); out[0] = *p;",
           "int a[2] = {}; int* p = a; __syncthreads(); out[0] = *p;",
           "int i = 1; { int& j = i; ++j; } __syncthreads(); out[0] = i;",
           "int i(1); __syncthreads(); out[0] = i;",
           "in += threadIdx.x; __syncthreads(); out[0] = *in;",
           "n++; __syncthreads(); out[0] = n;",
           "static int calls; ++calls; __syncthreads();",
           "goto end; end: __syncthreads();",
           // Two things of one name.
           "for (int a = 0; a < N; ++a) { int n = threadIdx.x; out[n] = a; __syncthreads(); } "
           "out[n] = 1;",
           "out[counter] = 1; const int counter = n; out[counter] = 2; __syncthreads();",
           "int kSize = threadIdx.x; __syncthreads(); out[kSize] = 1;",
           "int i = 0; out[i] = 1; __syncthreads(); { int i = 2; out[i] = 1; } int i = 3;",
       })
    CHECK_MESSAGE(!is_whole(body), body);
}

TEST_CASE("a variable of a loop, and another of that name outside of it") {
  const std::string text = in_one_line(with_whole_blocks(kernel(
      "counter = 1; for (int a = 0; a < n; ++a) { int counter = threadIdx.x; __syncthreads();"
      "out[a] = counter; } counter = 2;")));
  INFO(text);
  CHECK(text.find("cucpu_z); counter = 1; }") != std::string::npos);
  CHECK(text.find("int& counter = cucpu_of_counter[cucpu_thread]; out[a] = counter; }") !=
        std::string::npos);
  CHECK(text.find("cucpu_z); counter = 2; }") != std::string::npos);
}

TEST_CASE("a member that is called like a variable") {
  // `x` of threadIdx is not the parameter x, which nobody changes.
  const std::string text =
      "__global__ void k(int* x) { x[threadIdx.x] = 1; __syncthreads(); x[1] = x[0]; }";
  CHECK(with_whole_blocks(text) != text);
  const std::string local =
      "__global__ void k(int* a) { int x = threadIdx.x; for (int i = 0; i < blockDim.x; ++i) {"
      "a[x + i] = i; __syncthreads(); } for (int i = x; i < 4; ++i) { a[i] = 1; } }";
  CHECK(with_whole_blocks(local) != local);
  const std::string differs =
      "__global__ void k(int* a) { int x = threadIdx.x; for (int i = x; i < 4; ++i) {"
      "a[i] = i; __syncthreads(); } }";
  CHECK(with_whole_blocks(differs) == differs);
}

TEST_CASE("an object that threads have alike, and each changes in part") {
  const auto is_whole_with = [](const std::string& statement) {
    const std::string text =
        "__global__ void k(P p, int* out, int n) { out[0] = p.a; " + statement + " out[1] = p.a; }";
    return with_whole_blocks(text) != text;
  };
  for (const std::string statement :
       {"p.a = 5;", "p.a += 3;", "p.a <<= n;", "p.w[1] -= n;", "p.b.c = 1;", "p.n--;", "++p.n;",
        "p.min(n);", "p[1] = 2;", "(n > 1 ? p.a : p.b) = 5;", "(p).a = 1;", "++(p.a);",
        "((float*)&p)[0] = 9;", "*(int*)&n += 1;", "(n > 1 ? n : n) = 3;"})
    CHECK_MESSAGE(!is_whole_with(statement), statement);
  for (const std::string statement :
       {"if (p.a == 5) out[2] = 1;", "out[2] = p.a <= 5 && p.b != 3;", "out[2] = p.w[n] - -n;",
        "out[p.a] = *(out + n);", "*(out + n) = p.b.c;"})
    CHECK_MESSAGE(is_whole_with(statement), statement);
  CHECK(second_body("float3 v = {0, 0, 0}; v.x += threadIdx.x; out[0] = v.x;").find(kThreads) == 0);
  CHECK(second_body("float3 v = {0, 0, 0}; out[0] = v.x;").find("float3 v") == 0);
}

TEST_CASE("a value that is computed once comes before nothing that it needs") {
  // A test that keeps it from dividing by zero.
  for (const std::string sign : {"/", "%"})
    CHECK(second_body("if (n == 0) return; const int part = N " + sign + " n; out[0] = part;")
              .find(kThreads) == 0);
  CHECK(second_body("if (n == 0) return; const int part = n / 4; out[0] = part;")
            .find("const int part") == 0);
  // A store: a `*` behind a cast loads.
  CHECK(second_body("out[0] = 7; const int m = (int)*out; out[1] = m;").find(kThreads) == 0);
  CHECK(second_body("out[0] = 7; const int m = sizeof(int) * n; out[1] = m;").find("const int m") ==
        0);
  CHECK(!is_whole("while ((int)*out == 0) {}"));
}

TEST_CASE("versions for AVX2, where they are asked for") {
  const std::string asks = "constexpr bool kHasVersions = true;\n", avx2 = "struct cucpu_avx2";
  const auto versions = [&](const std::string& text) {
    const std::string out = with_whole_blocks(asks + text);
    CHECK(with_whole_blocks(text).find(avx2) == std::string::npos);
    return out.find(avx2) == std::string::npos ? "" : in_one_line(out.substr(out.find(avx2)));
  };
  // Threads that each have an array, with a barrier in between.
  const std::string sums =
      "__global__ void k(int* a, T b, int, Ts... c) { int s[2] = {}; __syncthreads(); f(s, a); }";
  CHECK(versions(sums) ==
        "struct cucpu_avx2 { __attribute__((target(\"avx2\"))) static void "
        "k(::cucpu::PassedOn<decltype(a)> a, ::cucpu::PassedOn<decltype(b)> b, "
        "::cucpu::PassedOn<decltype(c)>... c) { int s[2] = {}; __syncthreads(); f(s, a);} }; "
        "if (::cucpu::has_avx2()) return cucpu_avx2::k(a, b, c...); "
        "int s[2] = {}; __syncthreads(); f(s, a); }");
  // The name is still that of a kernel, which is launched and not called.
  CHECK_THROWS_WITH(cucpu::lower::lower(with_whole_blocks(
                        asks + "__global__ void k(int* a) { a[0] = 1; } void f() { k(nullptr); }")),
                    doctest::Contains("is launched, not called"));
  // Blocks that run as a whole, with barriers and without.
  CHECK(!versions("__global__ void k(int* a) { a[0] = 1; __syncthreads(); a[1] = 2; }").empty());
  CHECK(!versions("__global__ void k(int* a) { a[threadIdx.x] = 1; }").empty());
  // Nothing that could become a vector.
  CHECK(versions("__global__ void k(int* a) { __shared__ int s[2]; __shared__ int t[2]; f(s, t);"
                 "__syncthreads(); a[0] = s[0]; }")
            .empty());
  CHECK(versions("__global__ void k(int* a) { int s[2] = {}; f(s, a); }").empty());
  // The kernel would see the difference, or could not be such a function.
  CHECK(versions("__global__ void k(int* a) { int s[2] = {}; __syncthreads(); f(s, __func__); }")
            .empty());
  CHECK(versions("__global__ void k(auto a) { int s[2] = {}; __syncthreads(); f(s, a); }").empty());
}

TEST_CASE("texts that end too early") {
  for (const std::string text : {"", "__global__", "__global__ void k();", "__global__ int a = 1;"})
    CHECK(with_whole_blocks(text) == text);
  for (const std::string text :
       {"__global__ void k(", "__global__ void k() {", "__global__ void k() { __syncthreads();",
        "__global__ void k() { for (__syncthreads();"})
    CHECK_THROWS_AS(with_whole_blocks(text), cucpu::lower::Error);
}
