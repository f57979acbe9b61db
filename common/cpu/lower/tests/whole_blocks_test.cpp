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

// The part of the text between two others, or up to its end.
std::string between(const std::string& text, const std::string& before, const std::string& behind) {
  const std::size_t found = text.find(before);
  if (found == std::string::npos) return "none";
  const std::size_t begin = found + before.size();
  return in_one_line(text.substr(begin, text.find(behind, begin) - begin));
}

// The part behind the first body, from the first statement of the kernel on.
std::string second_body_of(const std::string& text) {
  return between(with_whole_blocks(text), "gridDim = ::gridDim;", "::cucpu::end_whole_block");
}
std::string second_body(const std::string& body) { return second_body_of(kernel(body)); }

// The names whose types the second body depends on.
std::string checked_types(const std::string& text) {
  return between(with_whole_blocks(text), "cucpu_is_plain = ::cucpu::are_plain<", ">()");
}

// A loop's counter within a turn, and the turn's end.
std::string turn_of(const std::string& counter) {
  return "{ const auto cucpu_at_" + counter + " = " + counter + "; { [[maybe_unused]] const auto " +
         counter + " = cucpu_at_" + counter + "; ";
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
        "int const first = blockIdx.x * N; " +
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
        "for (int half = N / 2; half > 0; half /= 2) " + turn_of("half") + kThreads +
            "if (threadIdx.x < half) out[threadIdx.x] += out[threadIdx.x + half]; }}}");
}

TEST_CASE("a loop that a row of threads runs through alike stands around them") {
  const std::string rows =
      "for (unsigned cucpu_z = 0; cucpu_z != blockDim.z; ++cucpu_z) "
      "for (unsigned cucpu_y = 0; cucpu_y != blockDim.y; ++cucpu_y) { "
      "[[maybe_unused]] const ::uint3 threadIdx{0, cucpu_y, cucpu_z}; "
      "[[maybe_unused]] const unsigned cucpu_thread = 0 + blockDim.x * (cucpu_y + blockDim.y * "
      "cucpu_z); ";
  const std::string threads =
      "for (unsigned cucpu_x = 0; cucpu_x != blockDim.x; ++cucpu_x) { "
      "[[maybe_unused]] const ::uint3 threadIdx{cucpu_x, cucpu_y, cucpu_z}; "
      "[[maybe_unused]] const unsigned cucpu_thread = cucpu_x + blockDim.x * (cucpu_y + "
      "blockDim.y * cucpu_z); ";
  const std::string head = "for (int row = threadIdx.y; row < n; row += N)";
  CHECK(second_body(head + " out[row] = in[threadIdx.x];") ==
        rows + head + " " + turn_of("row") + threads + "out[row] = in[threadIdx.x]; }}}}");
  // With a variable from before a barrier, and statements before and behind.
  CHECK(second_body("int i = threadIdx.x; __syncthreads(); out[0] = 1;" + head +
                    "{ out[row] = i; } out[1] = i;") ==
        "static thread_local int cucpu_of_i[::cucpu::kMaxBlockThreads]; " + kThreads +
            "int const i = cucpu_of_i[cucpu_thread] = threadIdx.x; } " + kThreads +
            "out[0] = 1; } " + rows + head + " " + turn_of("row") + threads +
            "int const i = cucpu_of_i[cucpu_thread]; { out[row] = i; } }}}} " + kThreads +
            "int const i = cucpu_of_i[cucpu_thread]; out[1] = i; }");
}

TEST_CASE("loops that stay inside a thread") {
  for (const std::string loop : {
           "for (int i = threadIdx.x; i < n; i += N) out[i] = 1;",
           "for (int i = 0; i < n; ++i) out[i + threadIdx.x] = 1;",
           "for (int i = threadIdx.y; i < n; ++i) { out[i] = 1; ++i; }",
           "for (int i = threadIdx.y, j = 0; i < n; ++i, ++j) out[i] = j;",
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
      out.starts_with("# 1 \"a.cu\"\n__global__ void k(int* a) { constexpr bool cucpu_is_plain = "
                      "::cucpu::are_plain<false, __typeof__(a)>(); if (!cucpu_is_plain || "
                      "!::cucpu::begin_whole_block()) {\n  a[0] = 1;\n  __syncthreads();\n"));
  CHECK(out.find("\n# 2 \"a.cu\" 3\na[0] = 1;") != std::string::npos);
  CHECK(out.ends_with(
      "::cucpu::end_whole_block();} }; return cucpu_whole::k(a);\n# 4 \"a.cu\"\n}}\nint x;\n"));
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
           // A name that is no constant's alone.
           "int kSize = threadIdx.x; __syncthreads(); out[kSize] = 1;",
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
           "int v = 0; while (v == 0) { v = (int)atomicAdd(out, 0); }",
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
           "out[0] = counter; __shared__ int counter; counter = 1; __syncthreads();",
           "int i = 0; out[i] = 1; __syncthreads(); { int i = 2; out[i] = 1; } int i = 3;",
           // Something that the body does not show may change, or ask which thread runs.
           "for (int i = 0, &j = i; i < 4; ++i) j += 1;",
           "T v = in[0]; reinterpret_cast<int&>(v) = 1; out[0] = v;",
           "T v = in[0]; out[0] = (int&)v;",
           "T v = in[0]; v xor_eq 5; out[0] = v;",
           "T v = in[0]; v.*N += 1; out[0] = v;",
           "out[::threadIdx.x] = 1;",
           "out[0] = warp::max(n, 1);",
           "out[0] = k(n);",
           "decltype(n) v = 1; out[0] = v;",
           "const T v = in[0]; const int* p = v.w; __syncthreads(); out[0] = p[0];",
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
  CHECK(second_body("float3 v = {0, 0, 0}; out[0] = v.x;").find(kThreads) == 0);
}

TEST_CASE("what the compiler has to say about types") {
  CHECK(checked_types(kernel("out[0] = 1;")) ==
        "false, __typeof__(in), __typeof__(n), __typeof__(out)");
  const auto types = [](const std::string& body) {
    return checked_types("__global__ void k(int* p) {" + body + "}");
  };
  const std::string none = "false, __typeof__(p)";
  // Types of variables, here or there; names of other variables, which may be objects.
  CHECK(types("Id me; p[0] = me.x;") == "false, __typeof__(Id), __typeof__(p)");
  CHECK(types("if (p[0] == 1) { const Id* q = &ids[1]; p[0] = q->x; }") ==
        "false, __typeof__(Id), __typeof__(ids), __typeof__(p)");
  CHECK(types("p[0] = static_cast<ns::T>(p[1]) + ns::kSize;") ==
        "false, __typeof__(ns::T), __typeof__(ns::kSize), __typeof__(p)");
  CHECK(types("if constexpr (std::is_same_v<T, Id>) p[0] = 1;") ==
        "false, __typeof__(p), __typeof__(std::is_same_v<T, Id>)");
  CHECK(types("const int x = p[0]; const int y = min(x, 3); for (int i = 0; i < y; ++i) p[i] = "
              "blockIdx.x;") == none);
  CHECK(types("__shared__ Id s[4]; s[0].x = p[0]; __syncthreads(); p[0] = s[1].x;") ==
        "false, __typeof__(Id), __typeof__(p)");
  CHECK(second_body("constexpr float kHalf = 0.5f; static_assert(kHalf < 1); out[0] = kHalf;")
            .find("constexpr float kHalf = 0.5f;") == 0);
  // A variable that all threads have alike is a number or a pointer.
  const std::string text =
      with_whole_blocks("__global__ void k(int n, int* p) { const Id i = n; p[i] = 1; }");
  CHECK(text.find(">() && ::cucpu::are_scalar<__typeof__(Id)>(); if") != std::string::npos);
}

TEST_CASE("expressions of objects that may call functions of the program") {
  const std::string kernel = "__global__ void k(int* p) { p[0] = 1; }";
  for (const std::string more :
       {"struct A { A operator+(A) const; };", "bool operator==(A, A);",
        "struct A { __device__ int operator[](int) const; };", "struct A { mutable int x; };",
        "struct A { __device__ A(int); };", "struct A { __host__ __device__ constexpr A() {} };",
        "struct A { __device__ __forceinline__ explicit A(float x) : y(x) {} };"})
    CHECK_MESSAGE(checked_types(more + kernel) == "true, __typeof__(p)", more);
  for (const std::string more :
       {"struct A { int operator()(int); };", "struct A { A(int); };", "__device__ int f(int);",
        "struct A { int x; __device__ int f() const; };", "auto f = [x]() mutable { ++x; };",
        "__device__ __launch_bounds__(64) void f();",
        "# 1 \"/usr/include/x.h\" 1 3\nbool operator==(A, A);\n# 2 \"a.cu\" 2\n"})
    CHECK_MESSAGE(checked_types(more + kernel) == "false, __typeof__(p)", more);
}

TEST_CASE("names of the language's library that the program has, too") {
  const std::string kernel = "__global__ void k(float* p) { p[0] = fmaf(p[0], 2, p[1]); }";
  CHECK(with_whole_blocks(kernel) != kernel);
  for (const std::string own :
       {"__device__ void fmaf(float&, float, float&);", "template <class T> T fmaf(T, T, T);",
        "namespace a { float fmaf(float, float, float) { return 1; } }",
        "void f() { auto fmaf = [](float a, float, float) { return a; }; }"})
    CHECK_MESSAGE(with_whole_blocks(own + kernel) == own + kernel, own);
  for (const std::string other : {"void f() { g(fmaf(1, 2, 3)); }", "struct A { int fmaf; };",
                                  "# 1 \"/usr/include/x.h\" 1 3\nfloat fmaf(float);\n# 2 "
                                  "\"a.cu\" 2\n"})
    CHECK_MESSAGE(with_whole_blocks(other + kernel) != other + kernel, other);
}

TEST_CASE("a thread that has left does not run through a row's loop") {
  const std::string rows = "for (int row = threadIdx.y; row < n; row += N) out[row] = 1;";
  CHECK(second_body("if (threadIdx.x > 2) return;" + rows) ==
        kThreads + "[&] { if (threadIdx.x > 2) return; " + rows + " }();}");
  CHECK(second_body(rows + "if (threadIdx.x > 2) return; out[0] = 1;").find(kThreads) != 0);
}

TEST_CASE("a name of a constant that is another variable's, too") {
  const std::string kernel =
      " __global__ void k(int* p) { total += 5; const int t = total; p[0] = t; }";
  const auto loads_first = [&](const std::string& before) {
    return second_body_of(before + kernel).find("int const t = total") == 0;
  };
  CHECK(loads_first("constexpr int total = 3;"));
  CHECK(loads_first("namespace { constexpr int total = 3; }"));
  CHECK(loads_first(
      "constexpr int total = 3; void f() { k<<<1, total>>>(p); k<<<2, total, 0>>>(p); }"));
  CHECK(!loads_first("__device__ int total; void f() { constexpr int total = 3; }"));
  CHECK(!loads_first("namespace a { constexpr int total = 3; } __device__ int total;"));
}

TEST_CASE("a value that is computed once comes before nothing that it needs") {
  CHECK(second_body("const bool a = n < 4, b = N > 2; __syncthreads(); out[0] = a && b;")
            .find("bool const a = n < 4; bool const b = N > 2;") == 0);
  // A test that keeps it from dividing by zero.
  for (const std::string sign : {"/", "%"})
    CHECK(second_body("if (n == 0) return; const int part = N " + sign + " n; out[0] = part;")
              .find(kThreads) == 0);
  CHECK(second_body("if (n == 0) return; const int part = n / 4; out[0] = part;")
            .find("int const part") == 0);
  // A store: a `*` behind a cast loads.
  CHECK(second_body("out[0] = 7; const int m = (int)*out; out[1] = m;").find(kThreads) == 0);
  CHECK(second_body("out[0] = 7; const int m = sizeof(int) * n; out[1] = m;").find("int const m") ==
        0);
  CHECK(!is_whole("while ((int)*out == 0) {}"));
  // The constant ends with its block; then it is another variable's name.
  CHECK(second_body("for (int i = 0; i < 2; ++i) { const int m = i; out[0] = m; __syncthreads(); } "
                    "m = 5; const int q = m; out[1] = q;")
            .find("int const q") == std::string::npos);
  // The variable that a reference is bound to may change.
  CHECK(second_body_of("template <int& V> __global__ void k(int* p) { V = 5; const int n = V; "
                       "p[0] = n; }")
            .find("int const n") == std::string::npos);
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
  CHECK(versions("__global__ void k(A a) { int s[2] = {}; __syncthreads(); decltype(a) b = a; }")
            .empty());
  CHECK(versions("__global__ void k(int* a) { int s[2] = {}; __syncthreads(); k(a, s); }").empty());
}

TEST_CASE("texts that end too early") {
  for (const std::string text : {"", "__global__", "__global__ void k();", "__global__ int a = 1;"})
    CHECK(with_whole_blocks(text) == text);
  for (const std::string text :
       {"__global__ void k(", "__global__ void k() {", "__global__ void k() { __syncthreads();",
        "__global__ void k() { for (__syncthreads();"})
    CHECK_THROWS_AS(with_whole_blocks(text), cucpu::lower::Error);
}
