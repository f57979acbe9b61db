#include "lower.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

#include "code.h"
#include "declaration.h"
#include "edits.h"
#include "host_only.h"
#include "kernel_names.h"
#include "launcher.h"
#include "scope.h"
#include "statements.h"
#include "stored_call.h"
#include "unsupported.h"

namespace cucpu::lower {
namespace {

class Lowering {
 public:
  Lowering(std::string_view source, const Options& options)
      : source_(source), options_(options), code_(source), host_only_(code_) {}

  std::string run() {
    for (const Code::Inclusion& inclusion : code_.system_inclusions())
      if (const auto header = missing_header(inclusion.file))
        code_.fail_at(inclusion.offset, is_missing(header->name, header->library));
    for (const Token& directive : code_.directives()) drop_pragma(directive);
    find_kernels();
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (begins_declaration(i)) lower_declaration(i);
      const Token& t = code_[i];
      if (t.is_identifier() && !code_.in_system_header(i)) {
        refuse_what_is_missing(i);
        if (in_device_code(i)) refuse_what_is_the_hosts(i);
      }
      if (t.kind == TokenKind::punctuation) {
        track_scope(i);
        if (code_.is_triple(i, "<") && !code_[i - 1].is("operator")) {
          lower_launch(i);
          i += 2;
        }
        if (t.is("=") && options_.traced) note_stored_call(i);
      } else if (t.is("using")) {
        use_launcher(i);
      } else if ((t.is("new") || t.is("malloc")) && may_allocate_on_device(i)) {
        lower_allocation(i);
      } else if ((t.is("delete") || t.is("free")) && in_function_of_device(i)) {
        check_what_is_freed(i);
      } else if (is_one_of(t, {"memcpy", "memmove", "memset"}) && options_.traced) {
        report_memory_function(i);
      } else if (t.is("return") && options_.traced && in_function_of_device(i)) {
        note_early_exit(i);
      } else if (t.is("atomicAdd")) {
        note_unused_result(i);
      } else if (t.is_identifier() && t.text.starts_with("__")) {
        i = lower_word(i);
      } else if (is_call_without_launch(i)) {
        code_.fail(i, "a '__global__' function is launched, not called: " + std::string(t.text) +
                          "<<<grid, block>>>(...)");
      }
    }
    return edits_.apply(source_);
  }

 private:
  // --- words ---------------------------------------------------------------------------------

  // The last token that has been dealt with.
  std::size_t lower_word(std::size_t i) {
    const Token& t = code_[i];
    if (kDropped.contains(t.text)) {
      if (t.is("__device__") || t.is("__global__")) enter_device_code(i);
      edits_.remove(t);
    } else if (kDroppedWithArguments.contains(t.text)) {
      const std::size_t end = closing_of_arguments(i);
      remove(i, end + 1);
      return end;
    } else if (t.is("__forceinline__")) {
      edits_.replace(t, "inline __attribute__((always_inline))");
    } else if (t.is("__noinline__") && !code_[i - 1].is("(") && !code_[i - 1].is(",")) {
      // Inside __attribute__((...)) the word is the compiler's own. In a traced program, a call
      // would hide how its arguments are read.
      edits_.replace(t, options_.traced ? "" : "__attribute__((noinline))");
    } else if (t.is("__align__") || t.is("__builtin_align__")) {
      edits_.replace(t, "__attribute__((aligned");
      edits_.insert_after(code_[closing_of_arguments(i)], "))");
    } else if (t.is("__shared__")) {
      return lower_shared(i);
    }
    return i;
  }

  // The word's own parenthesis has to follow it.
  std::size_t closing_of_arguments(std::size_t word) const {
    if (!code_[word + 1].is("("))
      code_.fail(word, "'" + std::string(code_[word].text) + "' without its '(...)'");
    return code_.matching(word + 1);
  }

  // If nobody uses the value that an atomic function returns, a device has a cheaper instruction.
  void note_unused_result(std::size_t word) {
    if (!begins_statement(code_, word) || !code_[word + 1].is("(") || code_.in_system_header(word))
      return;
    const std::size_t close = code_.matching(word + 1);
    if (!code_[close + 1].is(";")) return;
    edits_.insert_before(code_[word], "(::cucpu::result_is_unused(), ");
    edits_.insert_after(code_[close], ")");
  }

  // g++ does not report the store if a call returns a struct straight into memory; it does if the
  // result is a temporary first.
  void note_stored_call(std::size_t equals) {
    if (!in_function_of_device(equals) || code_.in_system_header(equals)) return;
    const std::optional<std::size_t> end = end_of_stored_call(code_, equals);
    if (!end) return;
    edits_.insert_after(code_[equals], " ::cucpu::as_value(");
    edits_.insert_before(code_[*end], ")");
  }

  // `return;` before the end of a function. As a statement of its own, for a constructor's, too.
  void note_early_exit(std::size_t word) {
    if (!code_[word + 1].is(";")) return;
    edits_.insert_before(code_[word], "{ ::cucpu::leave_early(); ");
    edits_.insert_after(code_[word + 1], " }");
  }

  // A function inside a kernel that runs in its place has its name (versions.h).
  bool is_version(std::size_t name) const {
    const Token& before = code_[name - 3];
    return code_[name - 1].is("void") && code_[name - 2].is("static") &&
           (before.is(")") || (before.is("{") && code_[name - 4].is("cucpu_whole")));
  }

  // `k(x);` of a kernel k. A name that the program also gives to anything else is taken for that.
  bool is_call_without_launch(std::size_t i) const {
    const std::string_view name = code_[i].text;
    if (!definitions_.contains(name) || at_namespace_scope() || !begins_statement(code_, i))
      return false;
    const bool has_arguments = code_[i + 1].is("<") && !code_.is_triple(i + 1, "<");
    const std::size_t end = has_arguments ? code_.closing_angle(i + 1) : i;
    if (!code_[end + 1].is("(")) return false;
    for (std::size_t j = 1; j < code_.size(); ++j) {
      if (!code_[j].is(name) || kernel_names_.contains(j)) continue;
      if (is_declared(code_, j) && !is_version(j)) return false;
    }
    return true;
  }

  // Host compilers warn of pragmas that only nvcc has, or take them for something else.
  void drop_pragma(const Token& directive) {
    static constexpr std::string_view kPragma = "#pragma";
    if (!directive.text.starts_with(kPragma)) return;
    const std::size_t word = directive.text.find_first_not_of(" \t", kPragma.size());
    if (word == std::string_view::npos) return;
    for (const char* name : {"unroll", "nounroll", "nv_", "hd_warning_disable", "diag_"})
      if (directive.text.substr(word).starts_with(name)) edits_.remove(directive);
  }

  // --- what there is not on the CPU ----------------------------------------------------------

  void refuse_what_is_missing(std::size_t i) const {
    const Token& t = code_[i];
    if ((t.is("asm") || t.is("__asm__") || t.is("__asm")) && in_device_code(i)) refuse_ptx(i);
    const auto header =
        header_of_type(t.text) && stands_for_type(i) ? header_of_type(t.text) : header_of(t.text);
    if (header && !includes(*header) && !is_declared_by_program(t.text))
      code_.fail(i, "'" + std::string(t.text) + "' is declared in <" + std::string(*header) +
                        ">, which is not included");
    if (const auto library = unknown_function(i))
      code_.fail(i, is_missing(t.text, "such function of " + std::string(*library)));
    if (const auto feature = missing_in_header(t.text))
      if (!is_declared_by_program(t.text)) code_.fail(i, is_missing(t.text, *feature));
    if (header) return;
    if (const auto library = missing_namespace(t.text))
      if (stands_for_namespace(i) && !is_declared_by_program(t.text))
        code_.fail(i, is_missing(t.text, *library));
    const bool is_texture = (t.is("texture") || t.is("surface")) && code_[i + 1].is("<");
    const auto feature = is_texture ? missing_feature("textureReference") : missing_feature(t.text);
    if (!feature || kDropped.contains(t.text)) return;
    // Programs declare built-in functions without ever defining them, and look as if they declared
    // what stands between a kernel's type and its name.
    const bool is_nvidias = t.text.starts_with("__nv") || t.text.starts_with("__cluster_");
    if (!is_nvidias && is_declared_by_program(t.text)) return;
    code_.fail(i, is_missing(t.text, *feature));
  }

  void refuse_what_is_the_hosts(std::size_t i) const {
    if (const auto error = host_only_.error_at(i)) code_.fail(i, *error);
  }

  bool includes(std::string_view header) const {
    for (const Code::Inclusion& inclusion : code_.system_inclusions())
      if (inclusion.file.ends_with(header)) return true;
    return false;
  }

  // `half* p`, `half x`, `<half>`; `half * 2` only where no variable has the name.
  bool stands_for_type(std::size_t i) const {
    const Token& before = code_[i - 1];
    const Token& after = code_[i + 1];
    const bool begins = before.is("(") || before.is(",") || before.is(";") || before.is("{") ||
                        before.is("}") || before.is("<") ||
                        (before.is_identifier() && !kStatementWords.contains(before.text));
    return begins && (after.is_identifier() || after.is("*") || after.is(">")) &&
           !is_declared_by_program(code_[i].text);
  }
  bool stands_for_namespace(std::size_t i) const {
    return code_[i + 1].is("::") || code_[i - 1].is("namespace") || code_[i - 1].is("=");
  }

  // The library of a function that is called here and whose name is CUDA's, which neither the
  // headers nor the program have.
  std::optional<std::string_view> unknown_function(std::size_t i) const {
    const std::string_view name = code_[i].text;
    const Token& before = code_[i - 1];
    if (!code_[i + 1].is("(") || before.is(".") || before.is("->") || before.is("::"))
      return std::nullopt;
    const auto library = library_of_function(name);
    if (!library || missing_feature(name) || is_declared_by_program(name) ||
        may_be_declared_as_function(name) || system_identifiers().contains(name))
      return std::nullopt;
    return library;
  }
  // `float* name(`, which may be a product as well.
  bool may_be_declared_as_function(std::string_view name) const {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const Token& before = code_[i - 1];
      if (code_[i].is(name) && code_[i + 1].is("(") &&
          (before.is("*") || before.is("&") || before.is(">") || before.is("~")))
        return true;
    }
    return false;
  }
  // All that stand in headers of the system's.
  const std::unordered_set<std::string_view>& system_identifiers() const {
    if (system_identifiers_.empty())
      for (std::size_t i = 0; i < code_.size(); ++i)
        if (code_[i].is_identifier() && code_.in_system_header(i))
          system_identifiers_.insert(code_[i].text);
    return system_identifiers_;
  }

  // A program may have a class `texture` of its own.
  bool is_declared_by_program(std::string_view name) const {
    return names_of_program().contains(name);
  }
  // All that seem to be declared outside of the system's headers.
  const std::unordered_set<std::string_view>& names_of_program() const {
    if (names_of_program_) return *names_of_program_;
    names_of_program_.emplace();
    for (std::size_t i = 0; i < code_.size(); ++i)
      if (seems_declared(i) && !code_.in_system_header(i)) names_of_program_->insert(code_[i].text);
    return *names_of_program_;
  }
  bool seems_declared(std::size_t i) const {
    const Token& before = code_[i - 1];
    const Token& after = code_[i + 1];
    const auto goes_on_with = [&](std::initializer_list<const char*> ends) {
      return std::any_of(ends.begin(), ends.end(), [&](const char* end) { return after.is(end); });
    };
    if (!code_[i].is_identifier()) return false;
    if (before.is("namespace")) return goes_on_with({"{"});
    if (before.is("class") || before.is("struct")) return goes_on_with({"{", ":", ";"});
    if (before.is_identifier() && !kStatementWords.contains(before.text))
      return goes_on_with({"(", "=", ";", "[", "{", ",", ")", ":"});
    if (before.is("}") || before.is("*") || before.is("&") || before.is(","))
      return goes_on_with({"=", ";", "[", "{"});
    return false;
  }

  bool in_function_of_device(std::size_t i) const { return device_begin_ < i && i < device_end_; }
  // Code for the host, too, may do what only the host can, where it finds itself there.
  bool in_device_code(std::size_t i) const { return in_function_of_device(i) && !is_for_host_too_; }

  // True in a device function, in its default arguments and member initializers, and in a default
  // member initializer of any class.
  bool may_allocate_on_device(std::size_t i) const {
    if (device_head_ < i && i < device_tail_) return true;
    return !code_.in_system_header(i) && in_class_body(i) && !has_own_operator_new();
  }
  // Whether i is in the body of a class, but not in a member function or in parentheses.
  bool in_class_body(std::size_t i) const {
    for (; i > 0 && !code_[i - 1].is("{"); --i) {
      if (is_one_of(code_[i - 1], {"(", "["})) return false;
      if (is_one_of(code_[i - 1], {")", "]", "}"})) i = code_.matching(i - 1) + 1;
    }
    if (i == 0) return false;
    if (opens_class(i - 1)) return true;
    // `int* member{new int}`
    return i > 1 && code_[i - 2].is_identifier() && in_class_body(i - 2);
  }
  bool opens_class(std::size_t i) const {
    for (; i > 0 && !is_one_of(code_[i - 1], {";", "{", "}", "(", "enum"}); --i) {
      if (is_one_of(code_[i - 1], {"class", "struct", "union"})) return true;
      if (!code_[i - 1].is(")")) continue;
      i = code_.matching(i - 1) + 1;
      if (i < 2 || !kTakesArguments.contains(code_[i - 2].text)) return false;
    }
    return false;
  }
  // A class's own operator new takes no DeviceHeap, so `new (device_heap) T` would not compile.
  bool has_own_operator_new() const {
    for (std::size_t i = 0; i + 1 < code_.size(); ++i)
      if (code_[i].is("operator") && code_[i + 1].is("new") && !code_.in_system_header(i))
        return true;
    return false;
  }

  void enter_device_code(std::size_t word) {
    if (word < device_end_) return;
    is_for_host_too_ = false;
    std::size_t i = begin_of_specifiers(word);
    for (; i < code_.size() && !code_[i].is(";") && !code_[i].is("="); ++i) {
      is_for_host_too_ |= code_[i].is("__host__");
      if (code_[i].is("operator")) {
        i = end_of_operator(i);
        continue;
      }
      if (code_[i].is(":") && code_[i - 1].is(")")) i = end_of_initializers(i);
      if (code_[i].is("{")) break;
      i = skip_group(code_, i);
    }
    device_head_ = word;
    device_tail_ = i;
    if (!code_[i].is("{")) return;
    device_begin_ = i;
    device_tail_ = device_end_ = code_.matching(i);
  }

  // The last token of an operator's name: of `operator()`, `operator==`, `operator float*`.
  std::size_t end_of_operator(std::size_t i) const {
    if (code_[i + 1].is("(")) return code_.matching(i + 1);
    while (i + 1 < code_.size() && !code_[i + 1].is("(")) ++i;
    return i;
  }

  // The { behind `: member(1), other{2}`.
  std::size_t end_of_initializers(std::size_t i) const {
    for (++i; i < code_.size() && !code_[i].is(";"); ++i) {
      if (code_[i].is("{") && !code_[i - 1].is_identifier() && !code_[i - 1].is(">")) break;
      i = skip_group(code_, i);
    }
    return i;
  }

  // The first token of a name that stands for the C library's function at i: `f`, `::f`, `std::f`.
  // None if it may be another function.
  std::optional<std::size_t> begin_of_c_function(std::size_t i) const {
    const auto follows_a_name = [&](std::size_t token) {
      const Token& before = code_[token - 1];
      return before.is(">") || (before.is_identifier() && !kStatementWords.contains(before.text));
    };
    if (!code_[i + 1].is("(") || is_one_of(code_[i - 1], {"operator", ".", "->"})) return {};
    if (!code_[i - 1].is("::")) return i;
    std::size_t begin = i - 1;
    if (code_[begin - 1].is("std")) begin -= code_[begin - 2].is("::") ? 2 : 1;
    if (follows_a_name(begin)) return {};
    return begin;
  }

  // Takes memory from the device's heap for `new T` and `new (T)`, but not for `new (place) T`,
  // `operator new`.
  void lower_allocation(std::size_t i) {
    if (code_[i].is("malloc")) {
      const auto begin = begin_of_c_function(i);
      if (!begin) return;
      remove(*begin, i);
      edits_.replace(code_[i], "::cucpu::device_malloc");
    } else if (!code_[i - 1].is("operator") && !has_place(i)) {
      edits_.replace(code_[i], "new (::cucpu::device_heap)");
    }
  }
  bool has_place(std::size_t new_word) const {
    if (!code_[new_word + 1].is("(")) return false;
    const Token& behind = code_[code_.matching(new_word + 1) + 1];
    return !is_one_of(behind, {";", ",", ")", "]", "}", ":"});
  }

  // `free(p)`, `delete p`, `delete[] p`: what they free is checked first (device_heap.h).
  void check_what_is_freed(std::size_t i) {
    if (code_[i].is("free")) {
      const auto begin = begin_of_c_function(i);
      if (!begin || !begins_statement(code_, *begin) || is_declared_by_program("free")) return;
      edits_.insert_after(code_[i + 1], "::cucpu::to_free(");
      edits_.insert_before(code_[code_.matching(i + 1)], ")");
      return;
    }
    if (is_one_of(code_[i - 1], {"operator", "="})) return;
    if (code_[i - 1].is("::")) remove(i - 1, i);
    const bool is_array = code_[i + 1].is("[");
    if (is_array) remove(i + 1, i + 3);
    edits_.replace(code_[i],
                   is_array ? "::cucpu::delete_array_checked(" : "::cucpu::delete_checked(");
    std::size_t end = i + (is_array ? 3 : 1);
    while (end < code_.size() && !is_one_of(code_[end], {";", ",", ")", ":", "}"})) {
      if (is_one_of(code_[end], {"(", "[", "{"})) end = code_.matching(end);
      ++end;
    }
    edits_.insert_after(code_[end - 1], is_array ? ", [](auto* cucpu_p) { delete[] cucpu_p; })"
                                                 : ", [](auto* cucpu_p) { delete cucpu_p; })");
  }

  // g++ does not report what the C library's functions access.
  void report_memory_function(std::size_t i) {
    if (!in_function_of_device(i) || code_.in_system_header(i)) return;
    const auto begin = begin_of_c_function(i);
    if (!begin || is_declared_by_program(code_[i].text)) return;
    remove(*begin, i);
    edits_.replace(code_[i], "::cucpu::traced_" + std::string(code_[i].text));
  }

  // An empty one only keeps the compiler from moving code.
  void refuse_ptx(std::size_t i) const {
    std::size_t open = i + 1;
    while (code_[open].is_identifier()) ++open;
    if (code_[open].is("(") && code_[open + 1].text != "\"\"")
      code_.fail(i, is_missing(code_[i].text, "PTX, which stands here"));
  }

  // --- scopes --------------------------------------------------------------------------------

  bool at_namespace_scope() const {
    return scopes_are_namespaces_.empty() || scopes_are_namespaces_.back();
  }

  bool begins_declaration(std::size_t i) const { return i == declaration_ && at_namespace_scope(); }

  void track_scope(std::size_t i) {
    if (code_[i].is("{"))
      scopes_are_namespaces_.push_back(at_namespace_scope() && opens_namespace(i));
    if (code_[i].is("}") && !scopes_are_namespaces_.empty()) scopes_are_namespaces_.pop_back();
    const bool ends = code_[i].is("{") || code_[i].is("}") || code_[i].is(";");
    if (ends && at_namespace_scope()) declaration_ = i + 1;
  }

  // `namespace a::b {`, `inline namespace {`, `extern "C" {`
  bool opens_namespace(std::size_t brace) const {
    const std::size_t first = declaration_;
    return code_[first].is("namespace") ||
           (code_[first].is("inline") && code_[first + 1].is("namespace")) ||
           (code_[first].is("extern") && first + 2 == brace);
  }

  // --- declarations at namespace scope -------------------------------------------------------

  // Learns the names of kernels that need launchers, wherever in the file they are launched.
  void find_kernels() {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (begins_declaration(i)) {
        const Declaration d = read_declaration(code_, i);
        if (d.has("__global__") && code_[d.end].is("(")) find_kernel(d);
      }
      if (code_[i].kind == TokenKind::punctuation) track_scope(i);
    }
    scopes_are_namespaces_.clear();
    declaration_ = 0;
  }

  void find_kernel(const Declaration& d) {
    const std::size_t named = plain_name(code_, d.name, d.end);
    const std::string_view name = code_[named].text;
    kernel_names_.insert(named);
    const bool is_definition = code_[end_of_declarator(d)].is("{");
    definitions_[name] += is_definition && d.template_angle == 0;
    bool has_defaults = false;
    for (const Parameter& p : read_parameters(code_, d.end)) has_defaults |= p.end != p.default_end;
    for (std::size_t j = d.end; j < code_.matching(d.end); ++j)
      if (code_[j].is("auto")) return;  // a template whose arguments have no names
    if (d.template_angle != 0 || definitions_[name] > 1 || has_defaults)
      with_launcher_.insert(name);
  }

  // The { of a function's body, or the ; behind its declaration.
  std::size_t end_of_declarator(const Declaration& d) const {
    std::size_t i = code_.matching(d.end) + 1;
    while (i < code_.size() && !code_[i].is("{") && !code_[i].is(";")) ++i;
    return i;
  }

  void lower_declaration(std::size_t begin) {
    const Declaration d = read_declaration(code_, begin);
    if (d.has("__global__"))
      lower_kernel(d);
    else if (d.has("__device__") || d.has("__constant__") || d.has("__managed__"))
      lower_device_variable(begin, d);
  }

  void lower_device_variable(std::size_t begin, const Declaration& d) {
    if (d.has("operator") || is_function(d) || d.template_angle != 0) return;
    for (const char* word :
         {"extern", "template", "class", "struct", "union", "enum", "using", "typedef", "friend"})
      if (d.has(word)) return;
    limit_device_variable(begin, d);
    register_variables(d, d.has("__constant__") ? "Constant" : "Device");
  }

  // `int f(int)`, `A::~A()`, and `int (*f(int))(int)`, unlike the variable `int (*f)(int)`.
  bool is_function(const Declaration& d) const {
    if (code_[d.end].is("~")) return true;
    if (!code_[d.end].is("(")) return false;
    std::size_t i = d.end + 1;
    if (!code_[i].is("*")) return true;
    while (!is_one_of(code_[i], {"(", ")", "["}) && i + 1 < code_.size()) ++i;
    return code_[i].is("(");
  }

  // nvcc gives each file its own. A variable of a header may be used by inline functions, of which
  // the program has one for all files; hence it is one for all files, too.
  void limit_device_variable(std::size_t begin, const Declaration& d) {
    if (options_.shared_device_variables || code_[d.name + 1].is("::") || d.has("static") ||
        d.has("inline"))
      return;
    insert_specifier(begin,
                     code_.in_main_file(begin) ? "__attribute__((unused)) static" : "inline");
  }

  // `__device__ int a[2] = {1, 2}, *b;`: behind the declaration.
  void register_variables(const Declaration& d, const std::string& memory) {
    std::vector<std::string> names;
    std::size_t i = d.end;
    if (code_[i].is("(")) {
      std::size_t name = i;  // of a pointer to a function
      while (name < code_.matching(i) && !code_[name].is_identifier()) ++name;
      names.emplace_back(code_[name].text);
    } else {
      names.push_back(text(d.name, d.end));
    }
    for (; i < code_.size() && !code_[i].is(";"); i = skip_group(code_, i) + 1) {
      if (!code_[i].is(",")) continue;
      while (i < code_.size() && !code_[i + 1].is_identifier() && !code_[i + 1].is(";")) ++i;
      names.emplace_back(code_[i + 1].text);
    }
    if (i >= code_.size()) return;
    for (const std::string& name : names)
      edits_.insert_after(code_[i], " [[maybe_unused]] static const ::cucpu::" + memory +
                                        "Variable cucpu_variable_" +
                                        std::to_string(++registrations_) + "(__builtin_addressof(" +
                                        name + "), sizeof(" + name + "));");
  }

  void lower_kernel(const Declaration& d) {
    if (!code_[d.end].is("(")) return;
    for (const char* type : {"bool", "char", "short", "int", "long", "unsigned", "float", "double"})
      if (d.has(type) && !d.has("void") && !d.has("auto"))
        code_.fail(d.begin, "a '__global__' function returns void, not " + std::string(type));
    const std::size_t body = end_of_declarator(d);
    if (body >= code_.size()) return;
    const bool is_definition = code_[body].is("{");
    if (is_definition) register_kernel(d, body);
    const std::string_view name = code_[plain_name(code_, d.name, d.end)].text;
    if (!with_launcher_.contains(name)) return;
    // Another file may not know that its kernel needs one.
    const bool is_elsewhere = !d.has("template") && definitions_[name] == 0;
    if (is_elsewhere && !declared_.insert(text(d.name, d.end) + types(d)).second) return;
    edits_.insert_after(code_[is_definition ? code_.matching(body) : body],
                        " " + launcher(code_, d, body, is_definition || is_elsewhere));
  }

  // The types of a kernel's parameters, whatever their names.
  std::string types(const Declaration& d) const {
    std::string out;
    for (const Parameter& p : read_parameters(code_, d.end))
      out += "," +
             (p.name == 0 ? text(p.begin, p.end) : text(p.begin, p.name) + text(p.name + 1, p.end));
    return out;
  }

  // `using ns::kernel;` means its launcher, too.
  void use_launcher(std::size_t begin) {
    std::size_t end = begin;
    while (code_[end].is_identifier() || code_[end].is("::")) ++end;
    const std::size_t name = end - 1;
    if (!code_[end].is(";") || code_[begin + 1].is("namespace") || !code_[name - 1].is("::"))
      return;
    // Classes, too, have functions of their bases so.
    const bool is_global = name - 1 == begin + 1;
    if (with_launcher_.contains(code_[name].text) && (is_global || is_namespace(name - 2)))
      edits_.insert_after(code_[end], " " + text(begin, name) + kLauncherPrefix +
                                          std::string(code_[name].text) + ";");
  }

  // Whether the program has a namespace of the name at i, which may be the last of several.
  bool is_namespace(std::size_t i) const {
    for (std::size_t j = 1; j < code_.size(); ++j)
      if (code_[j].is(code_[i].text) && (code_[j + 1].is("{") || code_[j + 1].is("=")) &&
          (code_[j - 1].is("namespace") || code_[j - 1].is("::")) && !code_.in_system_header(j))
        return true;
    return false;
  }

  // A kernel's definition is followed by its registration. Instances of templates register
  // themselves: the body names what must be initialized before main().
  void register_kernel(const Declaration& d, std::size_t body) {
    const std::string type = kernel_pointer_type(code_, d.end);
    const std::string kernel = text(d.name, d.end);
    const std::string name = callee_name(code_, d.name, d.end);
    const bool is_template = d.template_angle != 0 && !code_[d.template_angle + 1].is(">");
    for (std::size_t j = d.end; j < body; ++j)
      if (code_[j].is("auto")) return;  // a template whose arguments have no names
    if (is_template) {
      const std::string arguments = template_arguments(d.template_angle);
      if (arguments.empty()) return;
      const std::string instance = "::cucpu::kernel_instance<\"" + name + "\", static_cast<" +
                                   type + ">(&" + kernel + "<" + arguments + ">)" +
                                   launch_bound(d) + ">";
      edits_.insert_after(code_[body], " if constexpr (requires { " + instance +
                                           "; }) static_cast<void>(&" + instance + ");");
    } else {
      // The types of parameters may not be known outside the namespace of ns::kernel, nor may
      // what its launch bound is made of.
      const bool is_qualified = kernel.find("::") != std::string::npos;
      const std::string pointer =
          is_qualified ? "&" + kernel : "static_cast<" + type + ">(&" + kernel + ")";
      edits_.insert_after(code_[code_.matching(body)],
                          " [[maybe_unused]] static const ::cucpu::KernelRegistration "
                          "cucpu_kernel_" +
                              std::to_string(++registrations_) + "(" + pointer + ", \"" + name +
                              "\"" + (is_qualified ? "" : launch_bound(d)) + ");");
    }
  }

  // `__launch_bounds__(256, 2)` as a further argument; empty if the kernel has none.
  std::string launch_bound(const Declaration& d) const {
    for (std::size_t i = d.begin; i < d.end; ++i)
      if (code_[i].is("__launch_bounds__"))
        return ", ::cucpu::launch_bound" + text(i + 1, closing_of_arguments(i) + 1);
    return {};
  }

  // `T, N, Ts...` for `template <class T, int N = 4, class... Ts>`; empty if one has no name.
  std::string template_arguments(std::size_t angle) const {
    std::string out;
    for (const Parameter& p : read_parameters(code_, angle)) {
      if (p.name == 0) return {};
      out.append(out.empty() ? "" : ", ").append(code_[p.name].text).append(p.is_pack ? "..." : "");
    }
    return out;
  }

  // --- launches ------------------------------------------------------------------------------

  void lower_launch(std::size_t open) {
    if (in_device_code(open))
      code_.fail(open, is_missing("<<<>>>", "launches from kernels (dynamic parallelism)"));
    const std::size_t callee = callee_begin(code_, open);
    const std::size_t close = end_of_configuration(open);
    if (close == open + 3) code_.fail(open, "'<<<>>>' without a grid and a block");
    if (!code_[close + 3].is("("))
      code_.fail(close, "'>>>' must be followed by the kernel's arguments in parentheses");
    code_.matching(close + 3);
    if (has_launcher(callee, open)) {
      call_launcher(callee, open, close);
      return;
    }

    remove(callee, open);
    remove(open, open + 3);
    remove(close, close + 3);
    edits_.replace(code_[open], "::cucpu::kernel_call(::cucpu::LaunchConfig(");
    edits_.replace(code_[close], "), " + kernel_of_launch(callee, open) + ")");
  }

  // Whether the launcher of that name can be called in place of the kernel.
  bool has_launcher(std::size_t callee, std::size_t open) const {
    if (!is_name(code_, callee, open)) return false;
    const std::size_t name = plain_name_of_callee(code_, callee, open);
    if (!with_launcher_.contains(code_[name].text)) return false;
    for (std::size_t i = callee; i < name; ++i)
      if (code_[i].is("<")) return false;  // of a class, which kernels are no members of
    return has_template_arguments(name, open) || !is_hidden(name);
  }

  bool has_template_arguments(std::size_t name, std::size_t open) const {
    return name + 1 < open && code_[name + 1].is("<");
  }

  // Whether something in the same function has the kernel's name: a pointer to a kernel that the
  // function got, for instance.
  bool is_hidden(std::size_t name) const {
    for (std::size_t i = declaration_; i < name; ++i) {
      if (code_[i].is(code_[name].text) && !code_[i + 1].is("<") && is_declared(code_, i))
        return true;
    }
    return false;
  }

  // `ns::k<T><<<grid, block>>>(x)`: ns::cucpu_launch_k<T>(LaunchConfig(grid, block), x)
  void call_launcher(std::size_t callee, std::size_t open, std::size_t close) {
    const std::size_t name = plain_name_of_callee(code_, callee, open);
    edits_.insert_before(code_[name], kLauncherPrefix);
    remove(open, open + 3);
    remove(close, close + 3);
    edits_.replace(code_[open], "(::cucpu::LaunchConfig(");
    std::string checked = ")";
    if (!has_template_arguments(name, open))
      checked += ".of([](auto cucpu_tag) { return !requires { ::cucpu::a_variable(cucpu_tag, " +
                 text(callee, open) + "); }; })";
    const std::size_t arguments = close + 3;
    const bool has_arguments = code_.matching(arguments) != arguments + 1;
    edits_.replace(code_[close], checked);
    edits_.replace(code_[arguments], has_arguments ? ", " : "");
  }

  // The arguments that describe the kernel to KernelCall: its name, how to call it, its address.
  std::string kernel_of_launch(std::size_t callee, std::size_t open) const {
    const std::string kernel = text(callee, open);
    const std::string name = "\"" + callee_name(code_, callee, open) + "\", ";
    // Expressions such as `table[next++]` are evaluated once.
    if (!is_name(code_, callee, open)) return name + kernel;
    const std::string lambda = at_namespace_scope() ? "[]" : "[&]";
    const std::string call = kernel + "(cucpu_args...)";
    const std::string pointer = "::cucpu::kernel_pointer(cucpu_tag, " + kernel + ")";
    return name + lambda + "(auto&... cucpu_args) -> decltype(" + call + ") { " + call + "; }, " +
           lambda + "([[maybe_unused]] auto cucpu_tag) { if constexpr (requires { " + pointer +
           "; }) return " + pointer + "; else return nullptr; }(0)";
  }

  // The >>> of the <<< at `open`. Inside, >>> can also close three lists of template arguments.
  std::size_t end_of_configuration(std::size_t open) const {
    int angles = 0;
    for (std::size_t i = open + 3; i < code_.size(); ++i) {
      const Token& t = code_[i];
      if (t.is(";") || t.is("}") || t.is(")")) break;
      if (code_.is_triple(i, ">") && angles < 3) return i;
      if (t.is("<") && code_[i - 1].is_identifier()) ++angles;
      if (t.is(">") && angles > 0) --angles;
      i = skip_brackets(i);
    }
    code_.fail(open, "'<<<' without a matching '>>>'");
  }

  // --- shared memory -------------------------------------------------------------------------

  // The last token that has been dealt with.
  std::size_t lower_shared(std::size_t shared) {
    const std::size_t begin = begin_of_specifiers(shared);
    std::size_t end = shared;
    while (end < code_.size() && !code_[end].is(";") && !code_[end].is("}") && !code_[end].is(")"))
      end = skip_brackets(end) + 1;
    if (!code_[end].is(";")) code_.fail(shared, "'__shared__' declaration without a ';'");
    const std::vector<Declarator> declarators = read_declarators(begin, end);
    edits_.remove(code_[shared]);
    bool is_extern = false;
    for (std::size_t i = begin; i < end; i = skip_brackets(i) + 1) {
      is_extern |= code_[i].is("extern");
      // thread_local comes with a storage class of its own.
      if (code_[i].is("static")) edits_.remove(code_[i]);
    }
    if (!is_extern) {
      lower_static_shared(begin, end, declarators);
      return shared;
    }
    lower_dynamic_shared(begin, end, declarators);
    return end - 1;
  }

  // One of the things that a declaration declares: `*name[2][3]`.
  struct Declarator {
    std::size_t begin = 0;
    std::size_t name = 0;
    std::size_t end = 0;
  };

  std::vector<Declarator> read_declarators(std::size_t i, std::size_t end) const {
    std::vector<Declarator> declarators;
    for (; i < end; ++i) {
      Declarator d;
      bool complete = false;  // what is left of it are array bounds
      for (; i < end && !code_[i].is(","); ++i) {
        if (code_[i].is("=")) code_.fail(i, "a '__shared__' variable cannot have an initializer");
        if (code_[i].is("(") && code_[i + 1].is("*")) continue;  // a pointer to a function or array
        if (code_[i].is("<")) i = code_.closing_angle(i);
        complete |= d.name != 0 && code_[i].is("[");
        const bool has_arguments = kTakesArguments.contains(code_[i].text) && code_[i + 1].is("(");
        if (code_[i].is_identifier() && !complete && !has_arguments) d.name = i;
        i = skip_brackets(i);
      }
      if (!code_[d.name].is_identifier() || code_[d.name].is("__shared__"))
        code_.fail(end, "'__shared__' declaration without a name");
      d.end = i;
      d.begin = d.name;
      while (code_[d.begin - 1].is("*")) --d.begin;
      declarators.push_back(d);
    }
    return declarators;
  }

  // Back over what can stand before a specifier: `extern volatile`, `static const ns::Pair<int>`.
  std::size_t begin_of_specifiers(std::size_t i) const {
    for (;;) {
      const std::size_t before = i - 1;
      const Token& t = code_[before];
      if (t.is_identifier() ? !kStatementWords.contains(t.text) : t.is("::") || t.is("*")) {
        i = before;
      } else if (t.is(">") && code_.opening_angle(before) != before) {
        i = code_.opening_angle(before);
      } else if (t.is(")") && kTakesArguments.contains(code_[code_.matching(before) - 1].text)) {
        i = code_.matching(before) - 1;
      } else if (t.is("]") && code_[before - 1].is("]")) {
        i = code_.matching(before);
      } else {
        return i;
      }
    }
  }

  bool is_attribute(std::size_t i) const {
    const Token& t = code_[i];
    return t.is("alignas") || t.is("__align__") || t.is("__builtin_align__") ||
           t.is("__attribute__");
  }

  // Before the first specifier that is no attribute: `alignas(16) static float x` is C++, and
  // `static alignas(16) float x` is not.
  void insert_specifier(std::size_t i, const std::string& specifier) {
    for (;; ++i) {
      const Token& t = code_[i];
      if (is_attribute(i))
        i = closing_of_arguments(i);
      else if (t.is("[") && code_[i + 1].is("["))
        i = code_.matching(i);
      else if (!kDropped.contains(t.text) && !t.is("__shared__"))
        break;
    }
    edits_.insert_before(code_[i], specifier + " ");
  }

  void lower_static_shared(std::size_t begin, std::size_t end,
                           const std::vector<Declarator>& declarators) {
    // Programs read arrays of float as float4, which on a GPU the layout of shared memory allows.
    insert_specifier(begin, "__attribute__((aligned(16))) static thread_local");
    for (const Declarator& d : declarators) {
      // Without it, an array of a class that has any constructor gets a guard variable, which g++
      // looks at whenever a thread comes by.
      edits_.insert_before(code_[d.end], "{}");
      const std::string name(code_[d.name].text);
      const std::string address =
          "const_cast<void*>(static_cast<const volatile void*>(&" + name + "))";
      edits_.insert_after(
          code_[end],
          at_namespace_scope()
              ? " [[maybe_unused]] static const ::cucpu::NamespaceShared cucpu_shared_" + name +
                    "([]() -> void* { return " + address + "; }, sizeof(" + name + "));"
              : " static thread_local ::cucpu::SharedGuard cucpu_guard_" + name + "; cucpu_guard_" +
                    name + ".enter(" + address + ", sizeof(" + name + "));");
    }
  }

  // All arrays are views of the same memory, which is aligned for every type.
  void lower_dynamic_shared(std::size_t begin, std::size_t end,
                            const std::vector<Declarator>& declarators) {
    std::string type;
    std::size_t from = begin;
    for (std::size_t i = begin; i < declarators[0].begin; ++i) {
      const bool aligns = is_attribute(i);
      if (!aligns && !code_[i].is("extern") && !code_[i].is("__shared__")) continue;
      if (from != i) type += text(from, i) + " ";
      if (aligns) i = closing_of_arguments(i);
      from = i + 1;
    }
    type += text(from, declarators[0].begin) + " ";
    std::string lowered;
    for (const Declarator& d : declarators) {
      const std::string pointed = type + text(d.begin, d.name);
      const std::string name(code_[d.name].text);
      const std::string bounds = text(d.name + 1, d.end);
      const std::string reference = bounds.empty() ? "& " + name : "(&" + name + ")" + bounds;
      lowered += lowered.empty() ? "" : "; ";
      lowered +=
          at_namespace_scope()
              ? "extern __thread " + pointed + name + bounds + " __asm__(\"cucpu_dynamic_shared\")"
              : "[[maybe_unused]] " + pointed + reference + " = *reinterpret_cast<" + pointed +
                    "(*)" + bounds + ">(cucpu_dynamic_shared)";
    }
    remove(begin, end);
    edits_.insert_before(code_[end], lowered);
  }

  // --- pieces of text ------------------------------------------------------------------------

  // The token that closes the bracket at i; i itself if there is none.
  std::size_t skip_brackets(std::size_t i) const {
    return code_.is_opening(i) ? code_.matching(i) : i;
  }

  void remove(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) edits_.remove(code_[i]);
  }

  std::string text(std::size_t begin, std::size_t end) const { return text_of(code_, begin, end); }

  std::string_view source_;
  Options options_;
  Code code_;
  HostOnly host_only_;
  Edits edits_;
  mutable std::unordered_set<std::string_view> system_identifiers_;
  mutable std::optional<std::unordered_set<std::string_view>> names_of_program_;
  std::vector<bool> scopes_are_namespaces_;  // from the outermost to the innermost
  std::size_t declaration_ = 0;   // the first token of the current one at namespace scope
  std::size_t device_begin_ = 0;  // the braces round the latest function for the device
  std::size_t device_end_ = 0;
  std::size_t device_head_ = 0;  // from the specifier of the latest such declaration to its end
  std::size_t device_tail_ = 0;
  bool is_for_host_too_ = false;
  int registrations_ = 0;
  std::map<std::string_view, int> definitions_;  // of kernels that are no templates, by name
  std::set<std::size_t> kernel_names_;           // where kernels are declared
  Words with_launcher_;                          // names of kernels
  std::set<std::string> declared_;               // those of them that other files define
};

}  // namespace

std::string lower(std::string_view preprocessed, const Options& options) {
  return Lowering(preprocessed, options).run();
}

}  // namespace cucpu::lower
