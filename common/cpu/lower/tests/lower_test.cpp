// Text in, text out: what the lowering makes of each of CUDA's additions to C++.
#include "../lower.h"
#include "../preprocessor_messages.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <random>
#include <string>
#include <string_view>

namespace {

using cucpu::lower::Error;
using cucpu::lower::Options;

// The lowered text, each run of white space as one blank.
std::string lowered(std::string_view source, const Options& options = {}) {
  std::string out;
  for (const char c : cucpu::lower::lower(source, options)) {
    const bool blank = std::isspace(static_cast<unsigned char>(c));
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// The call that a launch of `kernel`, by its name, becomes; the arguments follow.
std::string launch(const std::string& configuration, const std::string& name,
                   const std::string& kernel) {
  return "::cucpu::kernel_call(::cucpu::LaunchConfig(" + configuration + "), \"" + name +
         "\", [&](auto&... cucpu_args) -> decltype(" + kernel + "(cucpu_args...)) { " + kernel +
         "(cucpu_args...); }, [&]([[maybe_unused]] auto cucpu_tag) { if constexpr (requires { "
         "::cucpu::kernel_pointer(cucpu_tag, " +
         kernel + "); }) return ::cucpu::kernel_pointer(cucpu_tag, " + kernel +
         "); else return nullptr; }(0))";
}
// The same for a pointer to a kernel.
std::string launch_pointer(const std::string& configuration, const std::string& name,
                           const std::string& pointer) {
  return "::cucpu::kernel_call(::cucpu::LaunchConfig(" + configuration + "), \"" + name + "\", " +
         pointer + ")";
}

// The first parameter of launchers, and the body of one that launches `kernel` with `arguments`.
const std::string kConfig = "const ::cucpu::LaunchConfig& cucpu_config";
std::string launching(const std::string& name, const std::string& kernel,
                      const std::string& arguments) {
  return "{ ::cucpu::launch_kernel(cucpu_config, \"" + name + "\", [](auto&... cucpu_args) { " +
         kernel + "(cucpu_args...); }, " + kernel + arguments + "); }";
}

// In a function, as launches stand.
std::string lowered_statement(const std::string& statement) {
  const std::string begin = "void f() { ";
  const std::string out = lowered(begin + statement + " }");
  REQUIRE(out.starts_with(begin));
  REQUIRE(out.ends_with(" }"));
  return out.substr(begin.size(), out.size() - begin.size() - 2);
}

std::string error_of(std::string_view source) {
  try {
    cucpu::lower::lower(source);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t lines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("C++ stays as it is") {
  for (const char* text :
       {"", "\n", "int main() { return 1 << 2 >> 1; }\n", "// k<<<1, 1>>>(in a comment",
        "/* ( */ int a; /* __shared__ */", "#\n# \n",
        "std::ostream& operator<<<int>(std::ostream&, A<int>);", "a = b < c; d = e > f;\n",
        "const char* s = \"k<<<1, 1>>>(p); __shared__ int x;\";",
        "const char* s = R\"x(__global__ \" )\" k<<<1, 1>>>(p))x\"; char c = '\"', d = '\\'';",
        "int n = 1'000'000 + 0x1p-3 + 1e+5 + .5f;", "\xff\xfe\x80 caf\xc3\xa9 \x01",
        "__attribute__((__noinline__, cold)) void f();"})
    CHECK_MESSAGE(cucpu::lower::lower(text) == text, text);
}

TEST_CASE("launches become calls") {
  CHECK(lowered_statement("k<<<grid, 256>>>(x, n);") == launch("grid, 256", "k", "k") + "(x, n);");
  CHECK(lowered_statement("k<<<1, dim3(2, 3), 0, s>>>();") ==
        launch("1, dim3(2, 3), 0, s", "k", "k") + "();");
  CHECK(lowered_statement("k <<<1, {2, 3}>>> (x);") == launch("1, {2, 3}", "k", "k") + " (x);");
}

TEST_CASE("kernels are named in every way that C++ has") {
  CHECK(lowered_statement("a::b::k<<<1, 2>>>(x);") == launch("1, 2", "k", "a::b::k") + "(x);");
  CHECK(lowered_statement("::k<<<1, 2>>>(x);") == launch("1, 2", "k", "::k") + "(x);");
  CHECK(lowered_statement("k<T, (a > b), A<B<int>>><<<1, 2>>>(x);") ==
        launch("1, 2", "k", "k<T, (a > b), A<B<int>>>") + "(x);");
  CHECK(lowered_statement("A<T>::template k<4><<<1, 2>>>(x);") ==
        launch("1, 2", "k", "A<T>::template k<4>") + "(x);");
  CHECK(lowered_statement("(k<4>)<<<1, 2>>>(x);") == launch("1, 2", "k", "(k<4>)") + "(x);");
}

TEST_CASE("expressions that yield a kernel are evaluated once") {
  CHECK(lowered_statement("table[i][n++]<<<1, 2>>>(x);") ==
        launch_pointer("1, 2", "table", "table[i][n++]") + "(x);");
  CHECK(lowered_statement("this->kernel_<<<1, 2>>>(x);") ==
        launch_pointer("1, 2", "kernel_", "this->kernel_") + "(x);");
  CHECK(lowered_statement("a.b->get<3>(1, 2)<<<1, 2>>>(x);") ==
        launch_pointer("1, 2", "get", "a.b->get<3>(1, 2)") + "(x);");
  CHECK(lowered_statement("(*pointer)<<<1, 2>>>(x);") ==
        launch_pointer("1, 2", "kernel", "(*pointer)") + "(x);");
  CHECK(lowered_statement("(c ? k : l)<<<1, 2>>>(x);") ==
        launch_pointer("1, 2", "kernel", "(c ? k : l)") + "(x);");
}

TEST_CASE("words and conditions before a launch are no part of it") {
  const std::string call = launch("1, 2", "k", "k") + "(x);";
  CHECK(lowered_statement("return k<<<1, 2>>>(x);") == "return " + call);
  CHECK(lowered_statement("if (c) k<<<1, 2>>>(x); else k<<<1, 2>>>(x);") ==
        "if (c) " + call + " else " + call);
  CHECK(lowered_statement("return ::k<<<1, 2>>>(x);") ==
        "return " + launch("1, 2", "k", "::k") + "(x);");
  CHECK(lowered_statement("while (c) (k)<<<1, 2>>>(x);") ==
        "while (c) " + launch("1, 2", "k", "(k)") + "(x);");
  CHECK(lowered_statement("if (c) (*p)<<<1, 2>>>(x);") ==
        "if (c) " + launch_pointer("1, 2", "kernel", "(*p)") + "(x);");
  CHECK(lowered_statement("return (*p)<<<1, 2>>>(x);") ==
        "return " + launch_pointer("1, 2", "kernel", "(*p)") + "(x);");
  CHECK(lowered_statement("c ? k<<<1, 2>>>(x) : k<<<1, 2>>>(x);") ==
        "c ? " + launch("1, 2", "k", "k") + "(x) : " + call);
}

TEST_CASE(">>> can also end template arguments and comparisons") {
  for (const char* configuration :
       {"1, A<B<C<int>>>::value", "1, sizeof(A<B<C<int>>>)", "n < 2, 1", "1, n < 2", "1, (4 > 3)",
        "1, [] { return 1 < 2; }()", "1, A<B<int>>::value", "1, {8, 8}", "f(A<B<C<D<int>>>>()), 1"})
    CHECK(lowered_statement("k<<<" + std::string(configuration) + ">>>(x);") ==
          launch(configuration, "k", "k") + "(x);");
}

TEST_CASE("launches inside launches") {
  CHECK(lowered_statement("k<<<1, 2>>>([&] { l<<<3, 4>>>(y); });") ==
        launch("1, 2", "k", "k") + "([&] { " + launch("3, 4", "l", "l") + "(y); });");
}

TEST_CASE("a launch outside functions captures nothing") {
  CHECK(contains(lowered("int x = (k<<<1, 2>>>(p), 0);"), "\"k\", [](auto&... cucpu_args)"));
}

TEST_CASE("an addition that is a statement says so") {
  const std::string said = "(::cucpu::result_is_unused(), atomicAdd(&x[f(i)], 1));";
  CHECK(lowered_statement("atomicAdd(&x[f(i)], 1);") == said);
  CHECK(lowered_statement("if (i < n) atomicAdd(&x[f(i)], 1);") == "if (i < n) " + said);
  CHECK(lowered_statement("if (a) ; else atomicAdd(&x[f(i)], 1);") == "if (a) ; else " + said);
  CHECK(lowered_statement("{ atomicAdd(&x[f(i)], 1); }") == "{ " + said + " }");
  for (const char* used :
       {"int old = atomicAdd(x, 1);", "return atomicAdd(x, 1);", "f(atomicAdd(x, 1));",
        "int old = (int)atomicAdd(x, 1);", "atomicAdd(x, 1) + 2;", "y[atomicAdd(x, 1)] = 0;",
        "double atomicAdd(double*, double);"})
    CHECK(lowered_statement(used) == used);
}

TEST_CASE("a kernel's frees are checked") {
  const std::string destroy = ", [](auto* cucpu_p) { delete cucpu_p; })";
  const auto in_kernel = [](const std::string& statements) {
    return lowered("__global__ void k(T* p, T** q) { " + statements + " }");
  };
  for (const auto& [written, expected] : std::vector<std::pair<std::string, std::string>>{
           {"free(p);", "free(::cucpu::to_free(p));"},
           {"if (p) free(q[i(1)]);", "if (p) free(::cucpu::to_free(q[i(1)]));"},
           {"else ::free(p);", "else ::free(::cucpu::to_free(p));"},
           {"std::free(p);", "std::free(::cucpu::to_free(p));"},
           {"delete p;", "::cucpu::delete_checked( p" + destroy + ";"},
           {"delete p, delete q[0];", "::cucpu::delete_checked( p" + destroy +
                                          ", ::cucpu::delete_checked( q[0]" + destroy + ";"},
           {"delete[] f(p, q);",
            "::cucpu::delete_array_checked( f(p, q), [](auto* cucpu_p) { delete[] cucpu_p; });"},
           {"pool.free(p); pool->free(p); P::free(p);", "pool.free(p); pool->free(p); P::free(p);"},
           {"struct S { S(S&) = delete; };", "struct S { S(S&) = delete; };"}}) {
    const std::string got = in_kernel(written);
    CHECK_MESSAGE(contains(got, expected), got);
  }
  const std::string host = "void f(T* p) { free(p); delete p; }";
  CHECK(lowered(host) == host);
  const std::string own = "__device__ void free(Node* n, int i) {}\n";
  CHECK(contains(lowered(own + "__device__ void f(Node* n) { free(n, 1); }"), "{ free(n, 1); }"));
  for (const char* cut : {"delete", "delete[]", "free", "free()", "delete p"})
    lowered(std::string("__device__ void f() { ") + cut + " }");
}

TEST_CASE("qualifiers are dropped") {
  CHECK(lowered("template <class T> __host__ __device__ constexpr T f(T x) { return x; }") ==
        "template <class T> constexpr T f(T x) { return x; }");
  CHECK(lowered("void f() { auto g = [=] __device__ (int i) { return i; }; }") ==
        "void f() { auto g = [=] (int i) { return i; }; }");
  CHECK(lowered("template <class T> void __launch_bounds__(kThreads * 2, 1) k(T* p) {}") ==
        "template <class T> void k(T* p) {}");
  CHECK(lowered("__device__ __forceinline__ int f();") ==
        "inline __attribute__((always_inline)) int f();");
  CHECK(lowered("__noinline__ __device__ int f();") == "__attribute__((noinline)) int f();");
  CHECK(lowered("struct __align__(16) A {};") == "struct __attribute__((aligned(16))) A {};");
  CHECK(lowered("struct __builtin_align__(2 * (4)) A {};") ==
        "struct __attribute__((aligned(2 * (4)))) A {};");
}

TEST_CASE("pragmas of nvcc are dropped, others stay") {
  for (const char* pragma :
       {"#pragma unroll", "#pragma unroll 4", "#pragma unroll(N)", "#pragma  nounroll",
        "#pragma nv_diag_suppress 177", "#pragma nv_exec_check_disable",
        "#pragma hd_warning_disable", "#pragma diag_suppress 20"})
    CHECK(cucpu::lower::lower(std::string("int a;\n") + pragma + "\nint b;\n") ==
          "int a;\n\nint b;\n");
  for (const char* pragma : {"#pragma once", "#pragma GCC unroll 4", "#pragma omp simd", "#pragma"})
    CHECK(cucpu::lower::lower(pragma) == pragma);
}

TEST_CASE("kernels are registered by their address behind their bodies") {
  CHECK(lowered("__global__ void k(int n, const float* x, P q) { if (n) {} } int a;") ==
        "void k(int n, const float* x, P q) { if (n) {} } [[maybe_unused]] static "
        "const ::cucpu::KernelRegistration cucpu_kernel_1(static_cast<void (*)(int n, const float* "
        "x, P q)>(&k), \"k\"); int a;");
  CHECK(contains(lowered("__global__ void k(int n = 3, const float* x = p, P q = {1, 2}) {}"),
                 "(static_cast<void (*)(int n, const float* x, P q)>(&k), \"k\");"));
  for (const char* kernel :
       {"static __global__ void k() {}", "__global__ static void k() {}", "void __global__ k() {}",
        "extern \"C\" __global__ void k() {}", "[[maybe_unused]] __global__ void k() {}",
        "namespace { __global__ void k() {} }", "extern \"C\" { __global__ void k() {} }",
        "inline namespace a { namespace b::c { __global__ void k() {} } }",
        "struct S { int x; }; __global__ void k() {}", "int x[2] = {1, 2}; __global__ void k() {}",
        "__global__ void k() noexcept {}", "__global__ auto k() -> void {}",
        "__attribute__((used)) __global__ void k() {}"})
    CHECK_MESSAGE(contains(lowered(kernel), "cucpu_kernel_1(static_cast<void (*)()>(&k), \"k\")"),
                  kernel);
  for (const char* kernel : {"__global__ __launch_bounds__(8, A<1, 2>::n) void k() {}",
                             "void __launch_bounds__(8, A<1, 2>::n) __global__ k() {}"})
    CHECK_MESSAGE(contains(lowered(kernel), "(&k), \"k\", ::cucpu::launch_bound(8, A<1, 2>::n))"),
                  kernel);
  CHECK(contains(lowered("template <int N> __global__ void __launch_bounds__(N) k(int* p) {}"),
                 "(&k<N>), ::cucpu::launch_bound(N)>"));
  CHECK(contains(lowered("__global__ void a::k(P* p) {}"), "cucpu_kernel_1(&a::k, \"k\")"));
  const char* const returns = "__global__ void k() { if (p) return; } void host() { return; }";
  CHECK(contains(lowered(returns, {.traced = true}),
                 "k() { if (p) { ::cucpu::leave_early(); return; } }"));
  CHECK(contains(lowered(returns, {.traced = true}), "void host() { return; }"));
  CHECK(contains(lowered(returns), "k() { if (p) return; }"));
  CHECK(contains(lowered("template <> __global__ void k<int>(int* p) {}"),
                 "cucpu_kernel_1(static_cast<void (*)(int* p)>(&k<int>), \"k\")"));
}

TEST_CASE("a traced program stores what a function returns as a value") {
  const auto traced = [](const std::string& statement) {
    return lowered("__global__ void k() { " + statement + " }", {.traced = true});
  };
  for (const char* assignment :
       {"x[i] = f(y)", "x = f(y)", "*x = f(y)", "*x++ = f(y)", "x.y = f(z)", "x->y[2] = f(z)",
        "at(i) = f(y)", "if (z) x = f(y)", "if (z) *x = f(y)", "else x = n::f<int, 3>(y)",
        "x[i] = table[2](y)", "x[i] = (*g)(y)", "n::x = f(y) + g(z)", "x[i] = y ? f(y) : z",
        "x = y = f(z)", "case 1: x[2] = f()", "a[b] = new T(c)"})
    CHECK_MESSAGE(contains(traced(assignment + std::string(";")), "= ::cucpu::as_value("),
                  assignment);
  CHECK(contains(traced("x[i] = n::f(y, 2);"), "x[i] = ::cucpu::as_value( n::f(y, 2));"));
  CHECK(contains(traced("x = y = f(z);"), "x = y = ::cucpu::as_value( f(z));"));
  for (const char* other :
       {"T x = f(y)", "T* x = f(y)", "T& x = f(y)", "auto& [x, y] = f(z)", "auto [x, y] = f(z)",
        "const T<int> x = f(y)", "n::T x = f(y)", "x[i] += f(y)", "x[i] == f(y)", "x[i] = y",
        "x[i] = f(y) + z", "x[i] = {f(y)}", "x[i] = T{f(y)}", "while (x = f(y)) z()",
        "x[i] = y ? z.bit : z.other_bit", "x = f(y), z = 2", "x[i] = (y)", "x = [=](int a) {}"})
    CHECK_MESSAGE(!contains(traced(other + std::string(";")), "as_value"), other);
  CHECK(!contains(lowered("__global__ void k() { x[i] = f(y); }"), "as_value"));
  CHECK(!contains(lowered("void host() { x[i] = f(y); }", {.traced = true}), "as_value"));
}

TEST_CASE("a traced program reports what memcpy and its kin access") {
  const auto traced = [](const std::string& source) { return lowered(source, {.traced = true}); };
  CHECK(contains(traced("__device__ void f() { memcpy(a, b, 4); }"), "::cucpu::traced_memcpy(a"));
  CHECK(contains(traced("__device__ void f() { std::memset(a, 0, 4); }"),
                 "{ ::cucpu::traced_memset(a"));
  CHECK(contains(traced("__device__ void f() { ::memmove(a, b, 4); }"),
                 "{ ::cucpu::traced_memmove(a"));
  for (const char* source :
       {"void f() { memcpy(a, b, 4); }", "__device__ void f() { a.memcpy(b, 4); }",
        "__device__ void f() { n::memset(b, 4); }",
        "__device__ void memset(int* a, int b) {} __device__ void f() { memset(b, 4); }"})
    CHECK_MESSAGE(!contains(traced(source), "traced_"), source);
  CHECK(!contains(lowered("__device__ void f() { memcpy(a, b, 4); }"), "traced_"));
}

TEST_CASE("overloads and kernels of one name in several namespaces are registered, each") {
  const std::string text = lowered(
      "__global__ void k(int* p) {} __global__ void k(float* p) {} namespace n { __global__ void "
      "k(int* p) {} }");
  CHECK(contains(text, "cucpu_kernel_1(static_cast<void (*)(int* p)>(&k)"));
  CHECK(contains(text, "cucpu_kernel_2(static_cast<void (*)(float* p)>(&k)"));
  CHECK(contains(text, "cucpu_kernel_3(static_cast<void (*)(int* p)>(&k)"));
}

TEST_CASE("declarations of kernels are not registered") {
  for (const char* kernel :
       {"__global__ void k(int* p);", "template <class T> __global__ void k(T* p);",
        "template __global__ void k<int>(int* p);",
        "class A { friend __global__ void k(int* p); };", "__global__ void k(auto* p) {}"})
    CHECK_MESSAGE(!contains(lowered(kernel), "cucpu_kernel"), kernel);
}

TEST_CASE("instances of kernel templates register themselves") {
  const std::string instance =
      "::cucpu::kernel_instance<\"k\", static_cast<void (*)(T* p, Ts... ts)>(&k<T, N, Ts...>)>";
  CHECK(lowered("template <class T, int N = (3 > 2), class... Ts> __global__ void k(T* p, Ts... ts)"
                " { body(); }") ==
        "template <class T, int N = (3 > 2), class... Ts> void k(T* p, Ts... ts) { if constexpr "
        "(requires { " +
            instance + "; }) static_cast<void>(&" + instance + "); body(); } " +
            "template <class T, int N = (3 > 2), class... Ts> void cucpu_launch_k(" + kConfig +
            ", T* p, Ts... ts) " +
            launching("k", "static_cast<void (*)(T* p, Ts... ts)>(&k<T, N, Ts...>)", ", p, ts..."));
  CHECK(contains(lowered("template <class T> requires(sizeof(T) > 4) __global__ void k(T* p) {}"),
                 "&k<T>"));
  // One that cannot be named does without.
  CHECK(!contains(lowered("template <int N, typename = void> __global__ void k(int* p) {}"),
                  "kernel_instance"));
}

TEST_CASE("kernels that only arguments choose have launchers, declared as they are") {
  const auto declared = [](const std::string& kernel) {
    const std::string out = lowered(kernel);
    const std::size_t begin = out.find(";", out.find("k(")) + 2;
    return begin < out.size() ? out.substr(begin) : "";
  };
  CHECK(
      declared("template <class T, int N = 4> __global__ void k(T* p, int n = 3, float = {1});") ==
      "template <class T, int N = 4> void cucpu_launch_k(" + kConfig +
          ", T* p, int n = 3, float cucpu_arg_3 = {1}) ;");
  CHECK(declared("template <typename = void, int = 2, class...> static __launch_bounds__(8) "
                 "__global__ void k(const int*, A<int, 3> const& a, void (*)(int), float (*f)(T), "
                 "int (&b)[4], T::U, unsigned long, Ts&&... ts, int c[2][3], const T) noexcept;") ==
        "template <typename cucpu_type_1 = void, int cucpu_type_2 = 2, class... cucpu_type_3> "
        "static void cucpu_launch_k(" +
            kConfig +
            ", const int* cucpu_arg_1, A<int, 3> const& a, void (* cucpu_arg_3)(int), float "
            "(*f)(T), int (&b)[4], T::U cucpu_arg_6, unsigned long cucpu_arg_7, Ts&&... ts, int "
            "c[2][3], const T cucpu_arg_10) noexcept;");
  CHECK(declared("template <class T> requires(A<T>) __global__ B<T> k(void);") ==
        "template <class T> requires(A<T>) B<T> cucpu_launch_k(" + kConfig + ") ;");
  CHECK(declared("template <class T> __global__ auto k(T* p) -> void;") ==
        "template <class T> auto cucpu_launch_k(" + kConfig + ", T* p) -> void;");
  CHECK(contains(
      lowered("template <class T> __global__ void n::k(T* p, T = 3) {}"),
      "template <class T> void n::cucpu_launch_k(" + kConfig + ", T* p, T cucpu_arg_2 = 3) " +
          launching("k", "static_cast<void (*)(T* p, T)>(&n::k<T>)", ", p, cucpu_arg_2")));
  const std::string one = "template <class T> __global__ void k(T* p); ";
  CHECK(contains(lowered(one + "template __global__ void k<int>(int* p);"),
                 "template void cucpu_launch_k<int>(" + kConfig + ", int* p) ;"));
  CHECK(contains(lowered(one + "extern template __global__ void k(int*);"),
                 "extern template void cucpu_launch_k(" + kConfig + ", int* cucpu_arg_1) ;"));
  // Launchers find specializations, as other callers do.
  CHECK(lowered(one + "template <> __global__ void k<int>(int* p);")
            .ends_with("void k<int>(int* p);"));
  // Each of two overloads in one file has its own.
  const std::string two = lowered("__global__ void k(int* p) {} __global__ void k(float* p) {}");
  for (const std::string type : {"int", "float"})
    CHECK(contains(two, "[[maybe_unused]] void cucpu_launch_k(" + kConfig + ", " + type + "* p) " +
                            launching("k", "static_cast<void (*)(" + type + "* p)>(&k)", ", p")));
}

TEST_CASE("kernels with default arguments have launchers, which another file may not define") {
  const std::string parameters = "(" + kConfig + ", int n, float x = 2) ";
  const std::string body = launching("k", "static_cast<void (*)(int n, float x)>(&k)", ", n, x");
  CHECK(contains(lowered("__global__ void k(int n, float x = 2) {}"),
                 "[[maybe_unused]] void cucpu_launch_k" + parameters + body));
  const std::string here =
      lowered("__global__ void k(int n, float x = 2); __global__ void k(int m, float) {}");
  CHECK(contains(here, "; void cucpu_launch_k" + parameters + ";"));
  CHECK(contains(here, "(" + kConfig + ", int m, float cucpu_arg_2) {"));
  CHECK(lowered("__global__ void k(int n, float x = 2); __global__ void k(int, float m);") ==
        "void k(int n, float x = 2); [[maybe_unused]] inline void cucpu_launch_k" + parameters +
            body + " void k(int, float m);");
}

TEST_CASE("launches of such kernels call their launchers") {
  const auto launched = [](const std::string& statement, const std::string& before = "") {
    const std::string out = lowered("template <class T> __global__ void k(T* p);" + before +
                                    " void f() { " + statement + " }");
    const std::size_t begin = out.find("void f() { ") + 11;
    return out.substr(begin, out.size() - begin - 2);
  };
  CHECK(launched("n::k<int><<<1, 2, 3>>>(p, f(q));") ==
        "n::cucpu_launch_k<int>(::cucpu::LaunchConfig(1, 2, 3), p, f(q));");
  CHECK(launched("(k<int>)<<<1, {2}>>>();") ==
        "(cucpu_launch_k<int>)(::cucpu::LaunchConfig(1, {2}));");
  CHECK(launched("::k<<<1, 2>>>(p);") ==
        "::cucpu_launch_k(::cucpu::LaunchConfig(1, 2).of([](auto cucpu_tag) { return !requires { "
        "::cucpu::a_variable(cucpu_tag, ::k); }; }), p);");
  for (const char* space : {"namespace n {}", "namespace m::n {}", "namespace n = m;"})
    CHECK(launched("using n::k; using namespace n::m;", space) ==
          "using n::k; using n::cucpu_launch_k; using namespace n::m;");
  CHECK(launched("using ::k;") == "using ::k; using ::cucpu_launch_k;");
  // A function of a base.
  CHECK(launched("using n::k;", "struct n { void k(); };") == "using n::k;");
  // Something else of that name.
  for (const char* hidden : {"auto k = g; k<<<1, 2>>>(p);", "void (*k)(int); k<<<1, 2>>>(p);",
                             "F& k = g; k<<<1, 2>>>(p);", "A<int> k; k<<<1, 2>>>(p);",
                             "A<T>::k<3><<<1, 2>>>(p);", "a.k<<<1, 2>>>(p);"})
    CHECK_MESSAGE(contains(launched(hidden), "::cucpu::kernel_call("), hidden);
  for (const char* visible : {"return k<<<1, 2>>>(p);", "g(&k<int>); k<<<1, 2>>>(p);"})
    CHECK_MESSAGE(!contains(launched(visible), "::cucpu::kernel_call("), visible);
}

TEST_CASE("device variables belong to their file, those of headers to the program") {
  const std::string own = "__attribute__((unused)) static ";
  // Each makes itself known behind its declaration.
  const auto known = [](const std::string& name, int number = 1) {
    return " [[maybe_unused]] static const ::cucpu::DeviceVariable cucpu_variable_" +
           std::to_string(number) + "(__builtin_addressof(" + name + "), sizeof(" + name + "));";
  };
  CHECK(lowered("__device__ int counter;") == own + "int counter;" + known("counter"));
  CHECK(lowered("__managed__ int a = f(1, 2), *b, c[2] = {1, 2};") ==
        own + "int a = f(1, 2), *b, c[2] = {1, 2};" + known("a") + known("b", 2) + known("c", 3));
  CHECK(lowered("alignas(16) __device__ int a[4];") ==
        "alignas(16) " + own + "int a[4];" + known("a"));
  CHECK(lowered("__device__ float (*op)(float) = f;") ==
        own + "float (*op)(float) = f;" + known("op"));
  CHECK(lowered("__device__ float (*ops[2])(float, int);") ==
        own + "float (*ops[2])(float, int);" + known("ops"));
  CHECK(lowered("__device__ std::pair<int, int> p{1, 2};") ==
        own + "std::pair<int, int> p{1, 2};" + known("p"));
  CHECK(lowered("__device__ int a;", {.shared_device_variables = true}) == "int a;" + known("a"));
  CHECK(lowered(
            "# 1 \"a.cu\"\n# 1 \"a.h\" 1\n__device__ int a;\n# 2 \"a.cu\" 2\n__device__ int b;") ==
        "# 1 \"a.cu\" # 1 \"a.h\" 1 inline int a;" + known("a") + " # 2 \"a.cu\" 2 " + own +
            "int b;" + known("b", 2));
  for (const char* text : {"static int a;", "inline int a;"})
    CHECK(lowered("__device__ " + std::string(text)) == text + known("a"));
  CHECK(lowered("__device__ int A::member;") == "int A::member;" + known("A::member"));
  CHECK(lowered("__device__ auto f = [] (int x) { return x; };") ==
        own + "auto f = [] (int x) { return x; };" + known("f"));
  // Constant memory is none that accesses are counted in.
  const std::string constant =
      " [[maybe_unused]] static const ::cucpu::ConstantVariable "
      "cucpu_variable_1(__builtin_addressof(c), sizeof(c));";
  CHECK(lowered("__constant__ float c[2] = {1, 2};") == own + "float c[2] = {1, 2};" + constant);
  CHECK(lowered("__device__ __constant__ int c;") == own + "int c;" + constant);
  for (const char* text : {"extern int a;", "int f(int x);", "int f() { return 1; }",
                           "bool operator==(A, B) { return true; }", "int A::f() { return 1; }",
                           "struct A { int x; static int y; };", "template <class T> T pi = T(3);",
                           "A<int> f(A<int> a) { int x; return a; }"})
    CHECK_MESSAGE(lowered("__device__ " + std::string(text)) == text, text);
}

TEST_CASE("shared variables are the worker's") {
  const auto guard = [](const std::string& name) {
    return " static thread_local ::cucpu::SharedGuard cucpu_guard_" + name + "; cucpu_guard_" +
           name + ".enter(const_cast<void*>(static_cast<const volatile void*>(&" + name +
           ")), sizeof(" + name + "));";
  };
  const std::string own = "__attribute__((aligned(16))) static thread_local ";
  CHECK(lowered_statement("__shared__ float a[8][8 + 1];") ==
        own + "float a[8][8 + 1]{};" + guard("a"));
  CHECK(lowered_statement("static __shared__ int a;") == own + "int a{};" + guard("a"));
  CHECK(lowered_statement("volatile __shared__ int a;") == own + "volatile int a{};" + guard("a"));
  CHECK(lowered_statement("int __shared__ a;") == own + "int a{};" + guard("a"));
  CHECK(lowered_statement("__shared__ float a, *b[2], (*c)(float);") ==
        own + "float a{}, *b[2]{}, (*c)(float){};" + guard("a") + guard("b") + guard("c"));
  CHECK(lowered_statement("__shared__ struct { int x; union { int y; }; } a, b;") ==
        own + "struct { int x; union { int y; }; } a{}, b{};" + guard("a") + guard("b"));
  CHECK(lowered_statement("__shared__ float a[(3 < 4) ? 2 : 1], b[A<(5 > 3), 2>::n][3], c;") ==
        own + "float a[(3 < 4) ? 2 : 1]{}, b[A<(5 > 3), 2>::n][3]{}, c{};" + guard("a") +
            guard("b") + guard("c"));
  CHECK(lowered_statement("__shared__ typename A<T, 3>::type a;") ==
        own + "typename A<T, 3>::type a{};" + guard("a"));
  CHECK(lowered_statement("__shared__ alignas(16) float a[4];") ==
        "alignas(16) " + own + "float a[4]{};" + guard("a"));
  CHECK(lowered_statement("alignas(16) __shared__ float a[4];") ==
        "alignas(16) " + own + "float a[4]{};" + guard("a"));
  CHECK(lowered_statement("__shared__ __align__(8) char a[4];") ==
        "__attribute__((aligned(8))) " + own + "char a[4]{};" + guard("a"));
  CHECK(lowered_statement("case 1: __shared__ int a;") ==
        "case 1: " + own + "int a{};" + guard("a"));
}

TEST_CASE("shared variables at namespace scope") {
  CHECK(
      lowered("__shared__ int a[4];") ==
      "__attribute__((aligned(16))) static thread_local int a[4]{}; [[maybe_unused]] static const "
      "::cucpu::NamespaceShared "
      "cucpu_shared_a([]() -> void* { return const_cast<void*>(static_cast<const volatile "
      "void*>(&a)); }, sizeof(a));");
  CHECK(lowered("extern __shared__ float s[];") ==
        "extern __thread float s[] __asm__(\"cucpu_dynamic_shared\");");
}

TEST_CASE("dynamic shared arrays are views of one memory") {
  const auto view = [](const std::string& type, const std::string& name,
                       const std::string& bounds) {
    return "[[maybe_unused]] " + type + " (&" + name + ")" + bounds + " = *reinterpret_cast<" +
           type + " (*)" + bounds + ">(cucpu_dynamic_shared);";
  };
  CHECK(lowered_statement("extern __shared__ float s[];") == view("float", "s", "[]"));
  CHECK(lowered_statement("extern __shared__ T a[][33], b[];") ==
        view("T", "a", "[][33]") + " " + view("T", "b", "[]"));
  CHECK(lowered_statement("__shared__ extern volatile int s[64];") ==
        view("volatile int", "s", "[64]"));
  CHECK(lowered_statement("extern __shared__ __align__(16) unsigned char s[];") ==
        view("unsigned char", "s", "[]"));
  CHECK(lowered_statement("extern volatile __shared__ unsigned int s[];") ==
        view("volatile unsigned int", "s", "[]"));
  CHECK(lowered_statement("alignas(16) extern __shared__ ns::A<int> s[];") ==
        view("ns::A<int>", "s", "[]"));
  CHECK(lowered_statement("extern __shared__ int one;") ==
        "[[maybe_unused]] int & one = *reinterpret_cast<int (*)>(cucpu_dynamic_shared);");
}

TEST_CASE("lines keep their numbers") {
  const std::string_view source =
      "# 1 \"a.cu\"\ntemplate <class T>\n# 20 \"a.cu\"\n__global__ void\n__launch_bounds__(\n  "
      "64,\n"
      "  2)\nk(T* p,\n# 30 \"a.cu\"\n  int n) {\n  extern\n  __shared__ T\n  s[];\n  __shared__\n  "
      "int"
      "\n a;\n}\nvoid f() {\n  k<int>\n  <<<1,\n     2>>>(\n    p, 3);\n}\n";
  const std::string out = cucpu::lower::lower(source);
  CHECK(lines(out) == lines(source));
  // Directives still end their lines.
  CHECK(contains(out, "\n# 20 \"a.cu\"\n"));
  CHECK(contains(out, "\n# 30 \"a.cu\"\n"));
  CHECK(contains(out, "\n    p, 3);\n}\n"));
}

TEST_CASE("errors name the user's file and line") {
  const std::string marker = "# 1 \"a.cu\"\n# 7 \"dir/b \\\"c\\\".h\" 1\n";
  CHECK(error_of(marker + "void f() {\n  k<<<1, 2;\n}") ==
        "dir/b \"c\".h:8: error: '<<<' without a matching '>>>'");
  CHECK(error_of("\nvoid f() { k<<<1, 2>>>; }") ==
        "<input>:2: error: '>>>' must be followed by the kernel's arguments in parentheses");
  CHECK(error_of("void f() { k<<<>>>(x); }") ==
        "<input>:1: error: '<<<>>>' without a grid and a block");
  CHECK(error_of("void f() { ; <<<1, 2>>>(x); }") ==
        "<input>:1: error: '<<<' without a kernel before it");
  CHECK(error_of("<<<") == "<input>:1: error: '<<<' without a kernel before it");
  CHECK(error_of("void f() { return <<<1, 2>>>(x); }") ==
        "<input>:1: error: '<<<' without a kernel before it");
  CHECK(error_of("void f() { k<<<1, 2>>>(x; }") == "<input>:1: error: unbalanced '('");
  CHECK(error_of("void f() { k<<<(1, 2>>>(x); }") == "<input>:1: error: unbalanced '('");
  CHECK(error_of("__global__ void k(int n) {\n") == "<input>:1: error: unbalanced '{'");
  CHECK(error_of("__global__ void k(int n") == "<input>:1: error: unbalanced '('");
  CHECK(error_of("void f() { __shared__ int x }") ==
        "<input>:1: error: '__shared__' declaration without a ';'");
  CHECK(error_of("void f() { __shared__ ; }") ==
        "<input>:1: error: '__shared__' declaration without a name");
  CHECK(error_of("__shared__") == "<input>:1: error: '__shared__' declaration without a ';'");
  CHECK(error_of("void f() { __shared__ int x = 3; }") ==
        "<input>:1: error: a '__shared__' variable cannot have an initializer");
  CHECK(error_of("\n__global__ int k(float* x) {}") ==
        "<input>:2: error: a '__global__' function returns void, not int");
  CHECK(error_of("struct __align__ A {};") == "<input>:1: error: '__align__' without its '(...)'");
  CHECK(error_of("__device__ int a = 1,") == "no error");
  CHECK(error_of("__launch_bounds__") ==
        "<input>:1: error: '__launch_bounds__' without its '(...)'");
}

TEST_CASE("what is not there is named, at the first line that needs it") {
  const auto missing = [](const std::string& source, const std::string& name) {
    return contains(error_of("# 1 \"a.cu\"\n\n" + source),
                    "a.cu:2: error: '" + name + "': cucpu has no ");
  };
  for (const char* name : {"cudaTextureObject_t", "cudaSurfaceObject_t", "cudaArray", "cudaArray_t",
                           "cudaGraph_t", "cudaGraphExec_t", "cudaLaunchConfig_t",
                           "cudaIpcMemHandle_t", "cudaChannelFormatDesc", "cudaGraphicsResource"}) {
    CHECK_MESSAGE(missing(name + std::string(" x;"), name), name);
    CHECK_MESSAGE(missing("void f(const " + std::string(name) + " x) {}", name), name);
  }
  for (const char* name :
       {"tex1Dfetch", "tex2D", "tex3D", "surf2Dwrite", "cudaCreateTextureObject", "cudaMallocArray",
        "cudaMalloc3DArray", "cudaMemcpy2DToArray", "cudaStreamBeginCapture", "cudaGraphLaunch",
        "cudaLaunchKernelEx", "cuModuleLoad", "cuInit", "__nv_expf", "__nvvm_f", "__cluster_dims__",
        "cudaLaunchCooperativeKernelMultiDevice"})
    for (const std::string before : {"", "return ", "x = 2 * ", "if (x) ", "::"})
      CHECK_MESSAGE(missing("void f() { " + before + name + "(x); }", name), name);
  CHECK(missing("texture<float, 2> t;", "texture"));
  CHECK(missing("using namespace nvcuda;", "nvcuda"));
  CHECK(missing("__global__ void k() { nvcuda::wmma::fragment<int> f; }", "nvcuda"));
  CHECK(missing("__global__ void __cluster_dims__(2, 1) k() {}", "__cluster_dims__"));
  CHECK(missing("void f() { auto c = cg::this_cluster(); }", "this_cluster"));
}

TEST_CASE("device code that uses a host function or a host variable is refused") {
  const auto function = [](const std::string& source) {
    return contains(error_of(source), "'f' is a host function, which device code cannot");
  };
  const auto variable = [](const std::string& source) {
    return contains(error_of(source), "'n' is a host variable, which device code cannot");
  };
  const std::string kernel = "__global__ void k(int* p) ";
  for (const std::string host :
       {"int f(int x) { return x; } ", "static inline auto f(int x); ",
        "template <class T> T f(T x) { return x; } ", "namespace a { int f(int); } ",
        "extern \"C\" { const int* f(int x); } "})
    for (const std::string use : {"{ p[0] = f(3); }", "{ f(3); }", "{ p[f(3)] = 2 * f(1); }",
                                  "{ int x = sizeof(p) + f(1); }"}) {
      CHECK_MESSAGE(function(host + kernel + use), (host + use));
      CHECK_MESSAGE(function(host + "__device__ void g(int* p) " + use), (host + use));
      CHECK(error_of(host + "void g(int* p) " + use) == "no error");
      CHECK(error_of(host + "__host__ __device__ void g(int* p) " + use) == "no error");
    }
  CHECK(function("template <class T> T f(T x) { return x; } " + kernel + "{ f<int>(1); }"));
  for (const std::string host :
       {"int n; ", "static float n[4] = {1, 2}; ", "int m = 1, *n = &m; ", "extern int n; ",
        "std::vector<int> n; ", "namespace { double n{1}; } "})
    for (const std::string use :
         {"{ p[0] = n; }", "{ for (int i = 0; i < n; ++i) p[i] = 2 * n; }",
          "{ if (p[0] * n > 1) g(p, n); }", "{ n[1] = 1; }", "{ g(&n); }"}) {
      CHECK_MESSAGE(variable(host + kernel + use), (host + use));
      CHECK(error_of(host + "void g(int* p) " + use) == "no error");
    }
}

TEST_CASE("names that may stand for something else are not taken for the host's") {
  const std::string call = "__global__ void k(int* p) { p[0] = f(3); }";
  for (const std::string more :
       {"__device__ int f(float x); ", "constexpr int f(long x) { return 1; } ",
        "struct S { __device__ int f(int) const; }; ", "void g() { auto f = [](int) {}; } ",
        "template <class F> void g(F f); ", "void g(int (*f)(int)); ",
        "using a::f; using f = int; ",
        "# 1 \"/usr/include/x.h\" 1 3\nfloat f(float);\n# 2 \"a.cu\" 2\n"})
    CHECK_MESSAGE(error_of("int f(int x) { return x; } " + more + call) == "no error", more);
  CHECK(error_of("namespace a { int f(int); } __global__ void k() { b::f(1); s.f(1); p->f(1); }") ==
        "no error");
  for (const std::string host :
       {"const int n = 3; ", "constexpr int n = 3; ", "__device__ int n; ",
        "__constant__ float n[3]; ", "__managed__ int n = 1; ", "extern __shared__ int n[]; ",
        "enum { n = 3 }; ", "using n = int; "})
    CHECK_MESSAGE(error_of(host + "__global__ void k(int* p) { p[0] = n; }") == "no error", host);
  for (const std::string own :
       {"(int n) { n = 1; }", "(int* n, int m) { n[0] = 1; }",
        "(int m) { int a = 1, n = m; a = n; }", "(S s) { auto [a, n] = s; a = n; }",
        "(S s) { s.n = 1; s->n = 2; S::n = 3; }", "(float (*n)[4]) { n[0][0] = 1; }",
        "(std::pair<int, int> n) { g(n); }", "(int m) { auto f = [n = m] { return n; }; }",
        "(int m) { g(sizeof(n), sizeof n); }"})
    CHECK_MESSAGE(error_of("int n; __global__ void k" + own) == "no error", own);
}

TEST_CASE("a program may have names of its own") {
  for (const char* text : {"template <class T> class texture { }; texture<int> t;",
                           "struct cudaExtent { int x; }; cudaExtent e;",
                           "float tex2D(int x) { return x; } void f() { tex2D(1); }",
                           "int texture = 1, b = texture < 2;", "int cuInitialize; int context;"})
    CHECK_MESSAGE(error_of(text) == "no error", text);
  // Headers of the system's may declare what they like.
  CHECK(error_of("# 1 \"a.cu\"\n# 1 \"/usr/include/x.h\" 1 3\nint cuInit(cudaArray*);\n# 2 "
                 "\"a.cu\" 2\n") == "no error");
}

TEST_CASE("names of a header that is not included say which it is") {
  CHECK(error_of("# 7 \"a.cu\"\n__nv_bfloat16 x;") ==
        "a.cu:7: error: '__nv_bfloat16' is declared in <cuda_bf16.h>, which is not included");
  CHECK(error_of("# 7 \"a.cu\"\nf(__float2half(1));") ==
        "a.cu:7: error: '__float2half' is declared in <cuda_fp16.h>, which is not included");
  CHECK(error_of("# 1 \"a.cu\"\n# 1 \"/x/cuda_bf16.h\" 1 3\n# 2 \"a.cu\" 2\n__nv_bfloat16 x;") ==
        "no error");
}

TEST_CASE("headers of libraries that are not there are named where they are included") {
  const auto including = [](const std::string& header, const std::string& flags) {
    return error_of("# 1 \"a.cu\"\n# 1 \"b.h\" 1\nint x;\n\n# 1 \"" + header + "\" " + flags +
                    "\nint y;\n# 4 \"b.h\" 2\n# 2 \"a.cu\" 2\n");
  };
  CHECK(including("/cuda/include/cublasLt.h", "1 3") ==
        "b.h:3: error: 'cublasLt.h': cucpu has no cuBLASLt");
  CHECK(including("/cuda/include/thrust/detail/config.h", "1 3 4") ==
        "b.h:3: error: 'thrust/detail/config.h': cucpu has no Thrust");
  CHECK(including("/cuda/include/cuda_fp8.h", "1 3") ==
        "b.h:3: error: 'cuda_fp8.h': cucpu has no floating point of 8 bits and less");
  CHECK(including("/home/me/mma.h", "1") == "no error");
  CHECK(including("/usr/include/gamma.h", "1 3") == "no error");
}

TEST_CASE("a preprocessor that fails at such a header has its message replaced") {
  using cucpu::lower::missing_header_error;
  const std::string error = "a b/c.cu:3: error: 'cub/cub.cuh': cucpu has no CUB";
  CHECK(missing_header_error("a b/c.cu:3:10: fatal error: cub/cub.cuh: No such file or directory\n"
                             "    3 | #include <cub/cub.cuh>\n") == error);
  CHECK(missing_header_error("a b/c.cu:3:10: fatal error: 'cub/cub.cuh' file not found\n") ==
        error);
  CHECK(missing_header_error("In file included from /x/cub/config.cuh:5,\n                 from "
                             "/x/cub/cub.cuh:7,\n                 from a b/c.cu:3:\n/x/y.h:8:2: "
                             "error: #error No\n") == error);
  CHECK(missing_header_error("In file included from a b/c.cu:3:\nIn file included from "
                             "/x/cub/cub.cuh:7:\nIn file included from /x/cub/config.cuh:5:\n"
                             "/x/y.h:8:2: error: No\n") == error);
  CHECK(missing_header_error("a.cu:1:10: fatal error: own.h: No such file or directory\n") == "");
  CHECK(missing_header_error("In file included from a.cu:3:\nb.h:8:2: error: #error No\n") == "");
  CHECK(missing_header_error("") == "");
}

TEST_CASE("a kernel that is called instead of launched is refused, its namesakes are not") {
  const std::string kernel =
      "__global__ void k(int* p) {} template <class T> __global__ void t() {}";
  for (const char* call : {"k(p);", "if (c) k(p);", "else k(p);", "t<int>();", "{ k(p); }"})
    CHECK(contains(error_of(kernel + " void f() { ; " + call + " }"), "is launched, not called"));
  for (const char* right :
       {"void k(float); void f() { k(1.5f); }", "struct S { void k(); void f() { k(); } };",
        "void f() { auto k = [] {}; k(); }", "void f(void (*k)()) { k(); }",
        "void f(S s, S* p) { s.k(); p->k(); n::k(); }", "void f() { k<<<1, 1>>>(p); }",
        "void f() { t<int><<<1, 1>>>(); call(k); }"})
    CHECK_MESSAGE(contains(lowered(kernel + " " + right), "f("), right);
}

TEST_CASE("PTX and launches in code for the device are refused, those of the host are not") {
  const std::string ptx = " asm volatile(\"mov\"); ", launch = " k<<<1, 2>>>(x); ";
  const auto both_refused = [&](const std::string& before, const std::string& after) {
    return error_of(before + ptx + after) ==
               "<input>:1: error: 'asm': cucpu has no PTX, which stands here" &&
           error_of(before + launch + after) ==
               "<input>:1: error: '<<<>>>': cucpu has no launches from kernels (dynamic "
               "parallelism)";
  };
  for (const char* before :
       {"__global__ void f(int* p) {", "__device__ static inline int f() { if (x) {",
        "template <class T, class U = V<int>> __device__ auto f(T x = T()) -> A<T> {{",
        "struct A { A& operator=(A); __device__ A() : x(1), y{2}, z<3>{4} {{",
        "struct A { __device__ bool operator()(int x) const { if (x) {",
        "struct A { __device__ bool operator<(A<int> x) const { if (x) {",
        "void f() { int a; g([=] __device__ (int i) {{"})
    CHECK_MESSAGE(both_refused(before, "}}}}"), before);
  for (const char* before :
       {"__device__ int a = 3; void f() {{", "__device__ int f(int x); void g() {{",
        "__device__ int a[] = {1, 2}; void f() {{", "__host__ __device__ int f() {{",
        "__device__ inline __host__ int f() {{", "__device__ void f() { int a[1]; } void g() {{",
        "struct A { __device__ A() = default; void f() {",
        "void f() { g([=] __device__ (int i) { return i; });{", "void f() {{"}) {
    CHECK_MESSAGE(error_of(before + ptx + "}}") == "no error", before);
    CHECK_MESSAGE(error_of(before + launch + "}}") == "no error", before);
  }
  CHECK(error_of("__device__ void f() { asm volatile(\"\" ::: \"memory\"); }") == "no error");
}

TEST_CASE("kernels allocate on a heap of the device's") {
  for (const char* function : {"__global__ void k() ", "__host__ __device__ int* A::f() const "}) {
    const auto inside = [&](const std::string& statement) {
      const std::string out = lowered(function + ("{ " + statement + " }"));
      const std::size_t begin = out.find("{ ") + 2;
      return out.substr(begin, out.find(" }", begin) - begin);
    };
    CHECK(inside("p = new int[n];") == "p = new (::cucpu::device_heap) int[n];");
    CHECK(inside("return new A<T>(1);") == "return new (::cucpu::device_heap) A<T>(1);");
    for (const char* name : {"malloc", "::malloc", "std::malloc", "::std::malloc"})
      CHECK(inside("p = (int*)" + std::string(name) + "(4);") ==
            "p = (int*)::cucpu::device_malloc(4);");
    CHECK(inside("return ::malloc(4);") == "return ::cucpu::device_malloc(4);");
    for (const char* text : {"new (p) A;", "a.malloc(3);", "A::malloc(3);", "int malloc = 1;"})
      CHECK(inside(text) == text);
  }
  const std::string heap = "(::cucpu::device_heap)";
  const auto with = [](std::string text, const std::string& word) {
    for (std::size_t at; (at = text.find("NEW")) != std::string::npos;) text.replace(at, 3, word);
    return text;
  };
  for (const char* text :
       {"A(int c) : p(NEW int[c]), n(0) {}", "A(int c) : B(NEW N(c)), p{NEW int} {}",
        "void f(N* n = NEW N(3)) {}", "void f(N* n = NEW N(3));", "void f() { p = NEW (int*[3]); }",
        "void f() { p = ::NEW int; }"})
    CHECK(lowered("__device__ " + with(text, "new")) == with(text, "new " + heap));
  for (const char* text :
       {"struct A { int* p = NEW int(9); };", "struct A { int *n, *p{NEW int(9)}; };",
        "class alignas(16) A : B<int> { public: void f() {} int* p = NEW int; };"})
    CHECK(lowered(with(text, "new")) == with(text, "new " + heap));
  for (const char* text :
       {"A::A() : p(new int) {}", "struct A { void f() { p = new int; } };",
        "struct A { A() : p(new int) {} };", "int* p = new int;", "void f(int* p = new int);",
        "struct A { void* operator new(size_t n); }; struct B { A* a = new A; };"})
    CHECK(lowered(text) == text);
  CHECK(lowered_statement("p = new int; q = malloc(3);") == "p = new int; q = malloc(3);");
  const std::string own = "struct A { static void* operator new(size_t n) { return malloc(n); } };";
  CHECK(lowered(own) == own);
}

TEST_CASE("functions whose declarators are unusual are no variables") {
  for (const std::string function :
       {"A::~A() { v = 0; }", "int (*select(int i))(int) { return f; }",
        "const float* (*A::select())(int, int) { return f; }"}) {
    const std::string out = lowered("__device__ " + function + " int helper(int);");
    CHECK_MESSAGE(!contains(out, "DeviceVariable"), out);
  }
  CHECK(contains(lowered("__device__ int (*chosen)(int) = f; int helper(int);"), "DeviceVariable"));
  CHECK(contains(lowered("__device__ int (*table[2])(int); int helper(int);"), "DeviceVariable"));
}

TEST_CASE("whatever the text, the lowering ends with a text or an error") {
  const std::string program =
      "# 1 \"a.cu\"\ntemplate <class T, int N = 4> __global__ void __launch_bounds__(N) k(T* p) {\n"
      "extern __shared__ __align__(16) T s[];\n__shared__ A<B<int>> a[N][2], *b;\n#pragma "
      "unroll\n}\n"
      "__device__ int v[3] = {1, 2}; const char* r = R\"(x)\"; char c = 'x';\nnamespace n { void "
      "f() "
      "{ if (c) (k<float, 8>)<<<dim3(1), A<B<C<int>>>::n>>>(x, \"y\"); t[i]<<<1, 2>>>(); } }\n";
  const auto survives = [](const std::string& text) {
    try {
      cucpu::lower::lower(text);
    } catch (const Error& error) {
      CHECK(contains(error.what(), ": error: "));
    }
  };
  REQUIRE(error_of(program) == "no error");
  for (std::size_t size = 0; size < program.size(); ++size) {
    survives(program.substr(0, size));
    survives(program.substr(size));
    survives(program.substr(0, size) + program.substr(size + 1));
  }
  std::mt19937 random(1);
  const std::string bytes = "<>(){}[];,:*\"'\\#\n =x\xff";
  for (int round = 0; round < 2000; ++round) {
    std::string text = program;
    for (int change = 0; change < 6; ++change)
      text[random() % text.size()] = bytes[random() % bytes.size()];
    survives(text);
  }
}
