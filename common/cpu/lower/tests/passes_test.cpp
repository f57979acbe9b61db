// Two preprocessed texts in, one program out.
#include "../passes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "../common_sequence.h"
#include "../lower.h"

namespace {

using cucpu::lower::merge_passes;

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// With no blanks but those between words.
std::string dense(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != ' ' || (i > 0 && is_of_word(text[i - 1]) && is_of_word(text[i + 1])))
      out += text[i];
  return out;
}

// Without line markers.
std::string merged(const std::string& host, const std::string& device) {
  std::istringstream in(merge_passes(host, device));
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("# ")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) out += (out.empty() ? "" : " ") + word;
  }
  return dense(out);
}

std::string error_of(const std::string& host, const std::string& device) {
  try {
    merge_passes(host, device);
  } catch (const cucpu::lower::Error& error) {
    return error.what();
  }
  return "no error";
}

bool become(const std::string& host, const std::string& device, const std::string& expected) {
  const std::string got = merged(host, device);
  INFO("got: ", got);
  return got == dense(expected);
}

std::string both(const std::string& head, const std::string& host, const std::string& device) {
  return head + " { if (::cucpu::takes_device_code()) " + device + " else " + host + " }";
}

}  // namespace

TEST_CASE("texts that are equal stay as they are") {
  for (const char* text : {"", "int a;\n", "# 1 \"a.cu\"\nnamespace n { class A { int b; }; }\n"})
    CHECK(merge_passes(text, text) == text);
}

TEST_CASE("device code is the device's, host code the host's, a function for both has both") {
  CHECK(become("__global__ void k() { a(); }", "__global__ void k() { b(); }",
               "__global__ void k() { b(); }"));
  CHECK(become("static void f() { a(); }", "static void f() { b(); }", "static void f() { a(); }"));
  CHECK(become("__host__ __device__ int f() { a(); }", "__host__ __device__ int f() { b(); }",
               both("__host__ __device__ int f()", "{ a(); }", "{ b(); }")));
  CHECK(become("struct S : B { int m; __device__ S() : m{1} { a(); } int n() { a(); } };",
               "struct S : B { int m; __device__ S() : m{1} { b(); } int n() { b(); } };",
               "struct S : B { int m; __device__ S() : m{1} { b(); } int n() { a(); } };"));
  CHECK(become("template <class T> constexpr T f(T t) { return 1; }",
               "template <class T> constexpr T f(T t) { return 2; }",
               both("template <class T> constexpr T f(T t)", "{ return 1; }", "{ return 2; }")));
}

TEST_CASE("what only one side has") {
  const std::string rest = "int rest;";
  CHECK(become("__device__ int f() { } " + rest, rest, rest));
  CHECK(become("int f() { } " + rest, rest, "int f() { } " + rest));
  CHECK(become(rest, "__device__ int f() { } " + rest, "__device__ int f() { } " + rest));
  CHECK(become(rest, "int f() { } " + rest, rest));
  CHECK(become(rest, "using T = int; namespace n { __device__ T x; } " + rest,
               "using T = int; namespace n { __device__ T x; } " + rest));
  CHECK(become("struct A { int x; }; " + rest, "struct B { int x; }; " + rest,
               "struct A { int x; }; struct B { int x; }; " + rest));
}

TEST_CASE("a device-only function comes before its callers") {
  const std::string k = "__global__ void k() ";
  const std::string f = "__device__ int f() { } ";
  CHECK(become(k + "{ }", f + k + "{ f(); }", f + k + "{ f(); }"));
  CHECK(become(k + "{ } int g() { }", k + "{ a(); } " + f, k + "{ a(); } int g() { } " + f));
  const std::string in_scope = "namespace n { int a; " + f + "} ";
  CHECK(become(k + "{ }", in_scope + k + "{ n::f(); }", in_scope + k + "{ n::f(); }"));
  CHECK(become(k + "{ } __device__ void g() { }",
               f + k + "{ f(); } int b; __device__ void g() { b; }",
               f + k + "{ f(); } int b; __device__ void g() { b; }"));
}

TEST_CASE("one function that is declared once for each side") {
  CHECK(become("inline float f(float x) { a(); }", "__device__ float f(float x) { b(); }",
               both("__device__ float f(float x) __host__", "{ a(); }", "{ b(); }")));
  CHECK(become("__host__ __device__ float f() { a(); }", "__device__ float f() { b(); }",
               both("__host__ __device__ float f()", "{ a(); }", "{ b(); }")));
}

TEST_CASE("code for the device inside functions of the host") {
  CHECK(become("void f() { a(); g([=] __device__ (int i) { a(); }); }",
               "void f() { b(); g([=] __device__ (int i) { b(); }); }",
               "void f() { a(); g([=] __device__ (int i) { b(); }); }"));
  CHECK(become(
      "void f() { g([=] __host__ __device__ () { a(); }); }",
      "void f() { g([=] __host__ __device__ () { b(); }); }",
      "void f() { g([=] __host__ __device__ () " + both("", "{ a(); }", "{ b(); }") + "); }"));
}

TEST_CASE("lines keep their numbers") {
  const std::string host = "# 1 \"a.cu\"\nint a;\n__device__ int f() {\n  a();\n}\nint c;\n";
  const std::string device = "# 1 \"a.cu\"\nint a;\n__device__ int f() {\n  b();\n}\nint c;\n";
  CHECK(merge_passes(host, device) ==
        "# 1 \"a.cu\"\nint a;\n\n# 2 \"a.cu\"\n__device__ int f() {\n  b();\n}\n# 4 "
        "\"a.cu\"\n\nint c;\n");
}

TEST_CASE("what cannot be one program is refused") {
  const std::string begin = "# 7 \"a.cu\"\n";
  const auto two_things = [&](const std::string& host, const std::string& device) {
    return error_of(begin + host, begin + device).starts_with("a.cu:7: error: '") &&
           error_of(begin + host, begin + device).find("is one thing for the host and another") !=
               std::string::npos;
  };
  CHECK(two_things("typedef float real;", "typedef double real;"));
  CHECK(two_things("using real = float;", "using real = double;"));
  CHECK(two_things("constexpr int n = 1;", "constexpr int n = 2;"));
  CHECK(two_things("static const float t[2] = {1};", "__constant__ float t[2] = {1};"));
  CHECK(two_things("struct S { int a; int x; };", "struct S { int a; long x; };"));
  CHECK(error_of("namespace n { int a;", "int a;") ==
        "<input>:1: error: __CUDA_ARCH__ changes where a scope begins or ends");
}

TEST_CASE("whatever the texts, merging ends with a text or an error") {
  const std::string program =
      "# 1 \"a.cu\"\nnamespace n { template <class T> class A : B<T> { public: A() : a{1} {} bool "
      "operator<(A) const; int a; }; }\n__host__ __device__ int f() { if (x) { y(); } }\n"
      "enum E { a, b }; extern \"C\" { int c(int); } int v = 3;\n";
  std::mt19937 random(1);
  const std::string bytes = "<>(){}[];,:*\"'#\n =x";
  for (int round = 0; round < 3000; ++round) {
    std::string texts[2] = {program, program};
    for (std::string& text : texts)
      for (int change = 0; change < 3; ++change)
        text[random() % text.size()] = bytes[random() % bytes.size()];
    const std::string error = error_of(texts[0], texts[1]);
    CHECK((error == "no error" || error.find(": error: ") != std::string::npos));
  }
}

TEST_CASE("the longest common subsequence") {
  // The textbook's way, which takes the product of the lengths.
  const auto length = [](const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
    std::vector<std::vector<std::size_t>> best(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1, 0));
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); ++j)
        best[i + 1][j + 1] =
            a[i] == b[j] ? best[i][j] + 1 : std::max(best[i][j + 1], best[i + 1][j]);
    return best[a.size()][b.size()];
  };
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::size_t> a(random() % 30);
    std::vector<std::size_t> b(random() % 30);
    for (std::size_t& x : a) x = random() % 5;
    for (std::size_t& x : b) x = random() % 5;
    const auto pairs = cucpu::lower::common_sequence(a, b);
    CHECK(pairs.size() == length(a, b));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      CHECK(a[pairs[i].first] == b[pairs[i].second]);
      if (i > 0)
        CHECK((pairs[i - 1].first < pairs[i].first && pairs[i - 1].second < pairs[i].second));
    }
  }
}
