#include "whole_blocks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "code.h"
#include "declaration.h"
#include "edits.h"
#include "kernel_names.h"
#include "program_facts.h"
#include "scope.h"
#include "statements.h"
#include "versions.h"

namespace cucpu::lower {
namespace {

// Functions that may be called: they neither wait nor ask which thread they run in.
const Words kMathematics = {"min",   "max",  "abs",   "fabs",  "fabsf",  "fmin", "fmax", "fminf",
                            "fmaxf", "sqrt", "sqrtf", "rsqrt", "rsqrtf", "exp",  "expf", "exp2f",
                            "log",   "logf", "log2f", "sin",   "sinf",   "cos",  "cosf", "tanhf",
                            "pow",   "powf", "fma",   "fmaf",  "floorf", "ceilf"};
const Words kOfDevice = {"__expf",         "__logf",      "__sinf",     "__cosf",
                         "__powf",         "__fdividef",  "__ldg",      "__float2int_rn",
                         "__int2float_rn", "make_float2", "make_float4"};
const Words kAtomics = {"atomicAdd", "atomicSub", "atomicMin", "atomicMax",
                        "atomicAnd", "atomicOr",  "atomicXor"};
const Words kControl = {"if", "for", "while", "switch", "sizeof", "constexpr", "static_assert"};
const Words kCasts = {"static_cast", "reinterpret_cast"};
const Words kRefused = {
    "goto",      "asm",          "__asm__", "__asm",    "volatile",      "try",      "throw",
    "new",       "delete",       "this",    "operator", "static",        "extern",   "struct",
    "class",     "thread_local", "union",   "enum",     "typedef",       "using",    "template",
    "namespace", "co_await",     "case",    "alignas",  "__attribute__", "decltype", "typename",
    "and_eq",    "or_eq",        "xor_eq",  "bitand",   "const_cast"};
// Other words that name neither a type nor a variable.
const Words kKeywords = {"return",       "else",       "do",         "break",     "continue",
                         "default",      "const",      "auto",       "true",      "false",
                         "nullptr",      "void",       "and",        "or",        "not",
                         "bitor",        "compl",      "xor",        "not_eq",    "wchar_t",
                         "__restrict__", "__restrict", "__shared__", "__align__", "std"};
const Words kOfLaunch = {"blockIdx", "blockDim", "gridDim", "warpSize"};

// Tokens: from `begin` to before `end`.
struct Range {
  std::size_t begin = 0, end = 0;
};

// A part of a kernel's body.
struct Part {
  enum class Kind {
    block,     // a statement for the whole block: declares what its threads share, or have alike
    threads,   // what the threads do one after the other: statements up to a barrier
    row_loop,  // one that the threads of a row run through alike: they take each turn in a row
    loop,      // one with barriers in it, which all threads run through alike
  };
  Kind kind = Kind::threads;
  int number = 0;
  std::vector<Range> statements;           // of a loop: its head; of a row's, its body as well
  std::vector<Part> parts;                 // of a loop
  std::vector<std::string_view> counters;  // of either
};

// A variable of each thread, declared outside of inner blocks.
struct ThreadLocal {
  Local local;
  std::size_t declared_at = 0;  // the statement's first token
  std::size_t scope_end = 0;    // of the body that this stands in
  int part = 0;                 // the number of the part with the statement
  bool may_change = false;
  bool outlives_part = false;

  bool is_known_to(Range r) const { return declared_at <= r.begin && r.end <= scope_end; }
  // An array, of an element per thread.
  std::string storage() const { return "cucpu_of_" + std::string(local.name); }
  std::string element() const { return storage() + "[cucpu_thread]"; }
  // Its declaration as that element.
  std::string alias() const {
    return local.type + (may_change ? "& " : " const ") + std::string(local.name) + " = " +
           element();
  }
};

// As in a header of the system's: the first body has had all warnings.
std::string repeated_marker(const Code& code, std::size_t i) {
  std::string line = code.line_marker(i);
  if (!code.in_system_header(i)) line.insert(line.size() - 1, " 3");
  return line;
}

// Thrown by everything below where a kernel keeps its fibers.
struct NotUnderstood {};

class WholeBlock {
 public:
  WholeBlock(const Code& code, const Kernel& kernel, const ProgramFacts& facts)
      : code_(code),
        facts_(facts),
        begin_(kernel.body + 1),
        end_(code.matching(kernel.body)),
        uniform_(facts.constants) {
    uniform_.insert(kOfLaunch.begin(), kOfLaunch.end());
    require(!differs_in_function(code, kernel));
    const Declaration& d = kernel.declaration;
    for (const Parameter& p : read_parameters(code, d.end)) add_parameter(p);
    if (d.template_angle == 0) return;
    for (const Parameter& p : read_parameters(code, d.template_angle)) {
      const bool is_type = code[p.begin].is("class") || code[p.begin].is("typename");
      // The variable that a reference is bound to may change.
      require(!mentions(code, p.begin, p.end, "&") && !mentions(code, p.begin, p.end, "decltype"));
      if (p.name != 0) (is_type ? types_ : uniform_).insert(code[p.name].text);
    }
  }

  // The second body.
  std::string text() {
    check_words();
    const std::vector<Part> parts = read_parts({begin_, end_}, false);
    find_what_outlives_parts();
    std::string out =
        " [[maybe_unused]] const ::uint3 blockIdx = ::blockIdx; [[maybe_unused]] const ::dim3 "
        "blockDim = ::blockDim, gridDim = ::gridDim;";
    for (const ThreadLocal& v : locals_) {
      if (v.outlives_part)
        out += " static thread_local " + v.local.type + " " + v.storage() +
               "[::cucpu::kMaxBlockThreads];";
    }
    write(parts, out);
    return out + " ::cucpu::end_whole_block();";
  }

  // The condition on which it is right, a constant: the kernel deals with numbers and pointers
  // alone. The compiler knows what the names mean.
  std::string condition() const {
    const std::string calls = facts_.has_hidden_calls ? "true" : "false";
    std::string plain, scalar;
    for (const std::string& name : names_of_types()) plain += ", __typeof__(" + name + ")";
    for (const std::string& name : scalar_types_)
      scalar += (scalar.empty() ? "__typeof__(" : ", __typeof__(") + name + ")";
    return "::cucpu::are_plain<" + calls + plain + ">()" +
           (scalar.empty() ? "" : " && ::cucpu::are_scalar<" + scalar + ">()");
  }

 private:
  void add_parameter(const Parameter& p) {
    require(!p.is_pack);
    if (p.name == 0) return;
    const std::string_view name = code_[p.name].text;
    const bool is_pointer = code_[p.name + 1].is("[") || mentions(code_, p.begin, p.name, "*");
    require(!may_modify(code_, begin_, end_, name, is_pointer));
    uniform_.insert(name);
    parameters_.push_back(name);
    bool is_number = true;
    for (std::size_t i = p.begin; i < p.name; ++i)
      is_number &= kArithmeticTypes.contains(code_[i].text) || code_[i].is("const");
    if (!is_pointer && !is_number) objects_.insert(name);
  }

  // --- names whose types count -----------------------------------------------------------------

  // All that name a type, or a variable that is not the kernel's own; each type of a variable of
  // its own stands in the kernel.
  std::set<std::string> names_of_types() const {
    std::set<std::string> names(parameters_.begin(), parameters_.end());
    for (std::size_t i = begin_; i < end_; ++i) {
      if (!code_[i].is_identifier()) continue;
      const std::size_t last = end_of_name(i);
      if (last == i + 1 && is_known(i)) continue;
      if (!is_one_of(code_[i - 1], {".", "->"}) && !code_[last].is("("))
        names.emplace(code_.source(i, last));
      i = last - 1;
    }
    return names;
  }
  // Behind `x`, `ns::x`, `std::is_same_v<T, float>`.
  std::size_t end_of_name(std::size_t i) const {
    const std::size_t begin = i;
    while (code_[i + 1].is("::") && code_[i + 2].is_identifier()) i += 2;
    if (i != begin && code_[i + 1].is("<")) i = code_.closing_angle(i + 1);
    return i + 1;
  }
  // A name of one word that is no type, or has been looked at.
  bool is_known(std::size_t i) const {
    const std::string_view word = code_[i].text;
    for (const Words* words : {&kMathematics, &kOfDevice, &kAtomics, &kControl, &kCasts, &kOfLaunch,
                               &kArithmeticTypes, &kKeywords})
      if (words->contains(word)) return true;
    return word == "threadIdx" || word == "__syncthreads" || word == "extern" || word == "static" ||
           is_variable(word);
  }
  // Whether the kernel declares a variable of that name: `float x =`, `, x[`.
  bool is_variable(std::string_view name) const {
    for (std::size_t i = begin_; i < end_; ++i)
      if (code_[i].is(name) && may_be_declared(code_, i) &&
          (is_one_of(code_[i + 1], {"=", ";", "[", ":"}) ||
           (code_[i + 1].is(",") && !code_[i - 1].is("const"))))
        return true;
    return false;
  }

  // --- what a kernel may consist of ------------------------------------------------------------

  void check_words() const {
    for (std::size_t i = begin_; i < end_; ++i) {
      const Token& t = code_[i];
      if (declares_shared(i)) {
        i = end_of_statement(code_, i, end_) - 1;
        continue;
      }
      require(!kRefused.contains(t.text) && !is_reference(i));
      require(!(t.is(".") || t.is("->")) || !code_[i + 1].is("*"));  // `v.*member`
      require(!t.is("::") || !code_[i + 1].is("threadIdx"));
      if (t.is("for") || t.is("while")) check_condition(i);
      if (t.is("[")) require(is_operand(i - 1));  // neither a lambda nor an attribute
      if (t.is("{")) require(!code_[i - 1].is("(") && !is_type_name(i - 1));
      if (!t.is("(")) continue;
      check_call(i);
      require(!is_changed_group(i) && !casts_object(i));
    }
  }

  // `extern __shared__ float s[];`
  bool declares_shared(std::size_t i) const {
    for (const char* first : {"__shared__", "extern", "static", "alignas", "__align__"})
      if (code_[i].is(first))
        return mentions(code_, i, end_of_statement(code_, i, end_), "__shared__");
    return false;
  }

  // A thread that waits in a loop for another of its block would wait forever: a loop depends on
  // variables of its own thread.
  void check_condition(std::size_t loop) const {
    std::size_t i = loop + 2, end = code_.matching(loop + 1);
    if (code_[loop].is("for")) {
      i = end_of_statement(code_, i, end);
      end = end_of_statement(code_, i, end) - 1;
    }
    bool has_variable = false;
    for (; i < end; ++i) {
      const Token& t = code_[i];
      require(!t.is("[") && !t.is("->") && !(t.is("*") && !is_product(i)));
      if (!t.is_identifier() || code_[i - 1].is(".") || t.is("threadIdx")) continue;
      const bool is_variable = is_declared_here(t.text);
      require(is_variable || uniform_.contains(t.text) || kArithmeticTypes.contains(t.text) ||
              kMathematics.contains(t.text) || kOfDevice.contains(t.text));
      has_variable |= is_variable;
    }
    require(has_variable);
  }

  bool is_declared_here(std::string_view name) const {
    for (std::size_t i = begin_; i < end_; ++i)
      if (code_[i].is(name) && is_declared(code_, i)) return true;
    return false;
  }

  bool is_operand(std::size_t i) const {
    return (code_[i].is_identifier() && !code_[i].is("auto") && !code_[i].is("return")) ||
           code_[i].is("]") || code_[i].is(")");
  }
  // The `*` at i multiplies, and does not load.
  bool is_product(std::size_t i) const {
    const bool has_left =
        is_operand(i - 1) || code_[i - 1].is("}") || code_[i - 1].kind == TokenKind::literal;
    return has_left && !may_be_cast(code_, i - 1);
  }
  // As in `T{...}`, whose constructor may do anything.
  bool is_type_name(std::size_t i) const {
    return code_[i].is(">") || (code_[i].is_identifier() && !code_[i].is("else") &&
                                !code_[i].is("do") && !kArithmeticTypes.contains(code_[i].text));
  }

  // `float& x = y`, `int i = 0, &x = y`, `auto& x : y`, `float (&x)[4]`, `reinterpret_cast<int&>`
  bool is_reference(std::size_t i) const {
    if (!code_[i].is("&")) return false;
    if (code_[i - 1].is("auto") || code_[i - 1].is(">") || code_[i - 1].is("*")) return true;
    if (code_[i + 1].is(">") || code_[i + 1].is(")")) return true;
    if (code_[i - 1].is(",") && code_[i + 2].is("=") && !code_[i + 3].is("=")) return true;
    if (code_[i - 1].is("(") && code_[i + 2].is(")") && code_[i + 3].is("[")) return true;
    return code_[i - 1].is_identifier() && code_[i + 1].is_identifier() &&
           ((code_[i + 2].is("=") && !code_[i + 3].is("=")) || code_[i + 2].is(":"));
  }

  // `atomicAdd(&x, 1);`, whose value nobody sees: a thread that sees it may wait for it to change.
  bool is_atomic_statement(std::size_t open) const {
    if (!kAtomics.contains(code_[open - 1].text)) return false;
    return begins_statement(code_, open - 1) && code_[code_.matching(open) + 1].is(";");
  }

  // `(c ? a : b) = 1;`, `++(a)`, `(a).x = 1;`: it is not clear what changes.
  bool is_changed_group(std::size_t open) const {
    const std::size_t close = code_.matching(open);
    const Token &before = code_[open - 1], &earlier = code_[open - 2];
    if (before.is_identifier() && !before.is("return")) return false;
    for (const char* sign : {"+", "-"})
      if (before.is(sign) && earlier.is(sign)) return true;
    if (before.is("&") && !is_operand(open - 2)) return true;
    return code_[close + 1].is(".") || (!before.is("*") && is_assigned(code_, close + 1));
  }

  // `(char*)v.c`: a constant object could be changed through it.
  bool casts_object(std::size_t open) const {
    std::size_t i = code_.matching(open);
    if (!may_be_cast(code_, i) || !mentions(code_, open, i, "*")) return false;
    for (++i; i < end_ && !code_[i].is(")") && !code_[i].is(";"); ++i)
      if (objects_.contains(code_[i].text) && !code_[i - 1].is(".")) return true;
    return false;
  }

  // The parenthesis at `open` groups, casts, or calls a function that is known.
  void check_call(std::size_t open) const {
    const Token& before = code_[open - 1];
    if (before.is_identifier()) {
      require(!code_[open - 2].is(".") && !code_[open - 2].is("->"));
      require(!code_[open - 2].is("::") || code_[open - 3].is("std"));
      require(kControl.contains(before.text) || !facts_.functions.contains(before.text));
      require(kMathematics.contains(before.text) || kOfDevice.contains(before.text) ||
              is_atomic_statement(open) || kControl.contains(before.text) ||
              kArithmeticTypes.contains(before.text) || before.is("__syncthreads") ||
              before.is("return"));
    } else if (before.is(">")) {
      const std::size_t angle = code_.opening_angle(open - 1);
      require(angle == open - 1 || kCasts.contains(code_[angle - 1].text));
    } else if (before.is(")")) {
      // `(float)(x)`, `if (a) (b)`
      const std::size_t group = code_.matching(open - 1);
      const bool is_condition = kControl.contains(code_[group - 1].text);
      for (std::size_t i = group + 1; i < open - 1 && !is_condition; ++i)
        require(kArithmeticTypes.contains(code_[i].text) || code_[i].is("*") ||
                code_[i].is("const") || code_[i].is("std") || code_[i].is("::"));
    } else {
      require(!before.is("]"));
    }
  }

  // --- the parts of a body -----------------------------------------------------------------------

  bool is_barrier(std::size_t i) const {
    return code_[i].is("__syncthreads") && code_[i + 1].is("(") && code_[i + 2].is(")") &&
           code_[i + 3].is(";");
  }

  std::vector<Part> read_parts(Range body, bool in_loop) {
    std::vector<Part> parts;
    Part threads = new_part(Part::Kind::threads);
    const auto end_threads = [&] {
      if (!threads.statements.empty()) parts.push_back(std::move(threads));
      threads = new_part(Part::Kind::threads);
    };
    for (std::size_t i = body.begin; i < body.end;) {
      const Range statement{i, end_of_statement(code_, i, body.end)};
      if (is_barrier(i)) {
        end_threads();
      } else if (mentions(code_, i, statement.end, "__syncthreads")) {
        end_threads();
        parts.push_back(read_loop(statement));
      } else if (declares_shared(i) || declares_uniform(statement)) {
        // It comes before what the threads do, which must not know another thing of that name.
        for (const Range& earlier : threads.statements)
          require(!mentions_declared(earlier, statement));
        parts.push_back(new_part(Part::Kind::block, {statement}));
      } else if (!has_locals(threads) && is_row_loop(statement) && !has_return(threads)) {
        end_threads();
        parts.push_back(read_row_loop(statement));
      } else {
        check_exits(statement, in_loop);
        add_locals(statement, body.end, threads.number);
        threads.statements.push_back(statement);
        threads_do_.push_back({threads.number, statement});
      }
      i = statement.end;
    }
    end_threads();
    return parts;
  }

  // Whether one of the names that `declaration` may declare stands in `earlier`.
  bool mentions_declared(Range earlier, Range declaration) const {
    Words after_name = {"[", "="};
    if (declares_shared(declaration.begin)) after_name.insert({";", ","});
    for (std::size_t i = declaration.begin; i < declaration.end; ++i)
      if (code_[i].is_identifier() && after_name.contains(code_[i + 1].text) &&
          mentions(code_, earlier.begin, earlier.end, code_[i].text))
        return true;
    return false;
  }

  Part new_part(Part::Kind kind, std::vector<Range> statements = {}) {
    return {kind, ++part_count_, std::move(statements), {}, {}};
  }

  // A thread that leaves a loop with barriers, or the kernel before its last one, would have to be
  // left out of what follows.
  void check_exits(Range r, bool in_loop) const {
    const bool returns = mentions(code_, r.begin, r.end, "return");
    require(!returns || (!in_loop && !mentions(code_, r.end, end_, "__syncthreads")));
    const Token& t = code_[r.begin];
    const bool is_loop = t.is("for") || t.is("while") || t.is("do");
    require(!in_loop || is_loop ||
            (!mentions(code_, r.begin, r.end, "break") &&
             !mentions(code_, r.begin, r.end, "continue")));
  }

  // A name stands for one variable alone.
  void add_name(std::string_view name) {
    require(names_.insert(name).second && !takes_address(code_, begin_, end_, name));
  }

  void add_locals(Range r, std::size_t scope_end, int part) {
    const std::optional<std::vector<Local>> locals = read_locals(code_, r.begin, r.end);
    require(locals.has_value());
    for (const Local& local : *locals) {
      add_name(local.name);
      require(!uniform_.contains(local.name));
      has_array_ |= !local.is_scalar;  // or an object that has one
      const bool may_change =
          !local.is_const && may_modify(code_, r.end, end_, local.name, local.is_pointer);
      locals_.push_back(
          {local, r.begin, scope_end, part, may_change || local.init_begin == local.init_end});
    }
  }

  // The tokens in the parentheses of a `for`: the first, the condition's first, and the closing
  // parenthesis.
  struct Head {
    std::size_t begin = 0, condition = 0, close = 0;
  };
  Head head_of(Range loop) const {
    const std::size_t begin = loop.begin + 2, close = code_.matching(loop.begin + 1);
    return {begin, end_of_statement(code_, begin, close), close};
  }

  // `for (unsigned half = 128; half > 0; half /= 2) { ... }`
  Part read_loop(Range r) {
    require(code_[r.begin].is("for"));
    const auto [begin, condition, close] = head_of(r);
    const std::size_t body = close + 1;
    require(code_[body].is("{"));
    const std::optional<std::vector<Local>> counters = read_locals(code_, begin, condition);
    require(counters && !counters->empty());
    const Words uniform_outside = uniform_;
    for (const Local& counter : *counters) {
      add_name(counter.name);
      require(is_uniform_value(counter) &&
              !may_modify(code_, body, r.end, counter.name, counter.is_pointer));
      uniform_.insert(counter.name);
    }
    require(is_uniform({condition, close}));
    Part loop = new_part(Part::Kind::loop, {{r.begin, body}});
    loop.parts = read_parts({body + 1, r.end - 1}, true);
    uniform_ = uniform_outside;
    for (const Local& counter : *counters) loop.counters.push_back(counter.name);
    return loop;
  }

  // `for (int row = threadIdx.y; row < kTile; row += kRows) tile[row][threadIdx.x] = ...;`: with
  // the threads of a row inside, neighbors follow each other in memory, and the loop over them can
  // be vectorized. Atomics stay in their order, on which a sum of floats depends.
  bool is_row_loop(Range r) {
    if (!code_[r.begin].is("for")) return false;
    const Head head = head_of(r);
    if (!mentions(code_, head.begin, head.close, "threadIdx")) return false;
    for (std::size_t i = head.begin; i < head.close; ++i)
      if (code_[i].is("threadIdx") && code_[i + 2].is("x")) return false;
    Words prevents = kAtomics;
    prevents.insert({"break", "continue", "return"});
    for (std::size_t i = head.close; i < r.end; ++i)
      if (prevents.contains(code_[i].text)) return false;
    const std::optional<std::vector<Local>> counters =
        read_locals(code_, head.begin, head.condition);
    return counters && counters->size() == 1 && counts_alike_in_rows(r, counters->front());
  }

  bool counts_alike_in_rows(Range loop, const Local& counter) {
    if (names_.contains(counter.name) || uniform_.contains(counter.name)) return false;
    const Head head = head_of(loop);
    uniform_.insert({"threadIdx", counter.name});
    const bool is_alike =
        is_uniform_value(counter) && is_uniform({head.condition, head.close}) &&
        !may_modify(code_, head.close, loop.end, counter.name, counter.is_pointer);
    uniform_.erase("threadIdx");
    uniform_.erase(counter.name);
    return is_alike;
  }

  Part read_row_loop(Range r) {
    const Head head = head_of(r);
    const std::size_t body = head.close + 1;
    Part loop = new_part(Part::Kind::row_loop, {{r.begin, body}, {body, r.end}});
    loop.counters = {read_locals(code_, head.begin, head.condition)->front().name};
    threads_do_.push_back({loop.number, r});
    return loop;
  }

  bool has_return(const Part& threads) const {
    return std::any_of(threads.statements.begin(), threads.statements.end(),
                       [&](Range r) { return mentions(code_, r.begin, r.end, "return"); });
  }

  // Whether threads have variables of their own there, which would have to outlive it.
  bool has_locals(const Part& threads) const {
    return std::any_of(locals_.begin(), locals_.end(),
                       [&](const ThreadLocal& v) { return v.part == threads.number; });
  }

  // --- what is the same for all threads -------------------------------------------------------

  // Declares variables that never change, and have the same value in all threads.
  bool declares_uniform(Range r) {
    if (code_[r.begin].is("static_assert")) return true;
    const std::optional<std::vector<Local>> locals = read_locals(code_, r.begin, r.end);
    if (!locals || locals->empty()) return false;
    for (const Local& local : *locals) {
      const bool may_change =
          !local.is_const && may_modify(code_, r.end, end_, local.name, local.is_pointer);
      if (may_change || is_object(local) || !is_uniform_value(local) || is_guarded_division(local))
        return false;
    }
    for (const Local& local : *locals) {
      add_name(local.name);
      uniform_.insert(local.name);
      if (local.type == "auto")
        objects_.insert(local.name);
      else if (!local.is_scalar)
        scalar_types_.insert(local.type);
    }
    uniform_locals_[r.begin] = *locals;
    return true;
  }

  // `float3 a = {0, 0, 0}`, `dim3 a = blockDim`, as far as names tell.
  bool is_object(const Local& local) const {
    const char last = local.type.back();
    return !local.is_scalar &&
           (code_[local.init_begin].is("{") || last == '2' || last == '3' || last == '4');
  }

  // `if (n == 0) return; const int each = total / n;`: computed once, it would come before the
  // test.
  bool is_guarded_division(const Local& local) const {
    bool divides = false;
    for (std::size_t i = local.init_begin; i < local.init_end; ++i)
      divides |= (code_[i].is("/") || code_[i].is("%")) && code_[i + 1].kind != TokenKind::literal;
    return divides && mentions(code_, begin_, local.init_begin, "return");
  }

  bool is_uniform_value(const Local& local) const {
    return !local.is_array && local.init_begin != local.init_end &&
           is_uniform({local.init_begin, local.init_end});
  }

  // Nothing but arithmetic on values that are the same for all threads.
  bool is_uniform(Range r) const {
    for (std::size_t i = r.begin; i < r.end; ++i) {
      const Token& t = code_[i];
      if (t.is("[") || t.is("->") || (t.is("*") && !is_product(i))) return false;
      const bool is_known = uniform_.contains(t.text) || kArithmeticTypes.contains(t.text) ||
                            kCasts.contains(t.text) || t.is("std") || t.is("min") || t.is("max") ||
                            t.is("sizeof") || code_[i - 1].is(".");
      if (t.is_identifier() && !is_known) return false;
    }
    return true;
  }

  // --- variables that outlive their part ------------------------------------------------------

  void find_what_outlives_parts() {
    bool has_pointer = false;
    for (ThreadLocal& v : locals_) {
      for (const auto& [part, statement] : threads_do_)
        v.outlives_part |= part != v.part && v.is_known_to(statement) &&
                           mentions(code_, statement.begin, statement.end, v.local.name);
      if (!v.outlives_part) continue;
      require(!v.local.is_array && (v.local.is_scalar || types_.contains(v.local.type)));
      has_pointer |= v.local.is_pointer;
    }
    require(!has_pointer || !has_array_);  // it may point to the array
  }

  // --- writing --------------------------------------------------------------------------------

  void write(const std::vector<Part>& parts, std::string& out) const {
    for (const Part& part : parts) {
      switch (part.kind) {
        case Part::Kind::block:
          write_for_block(part.statements[0], out);
          break;
        case Part::Kind::loop:
          out += source(part.statements[0]) + begin_turn(part);
          write(part.parts, out);
          out += kEndTurn;
          break;
        case Part::Kind::row_loop:
          write_row_loop(part, out);
          break;
        case Part::Kind::threads:
          write_threads(part, out);
          break;
      }
    }
  }

  // Variables that all threads have alike are constants: should a thread change one after all, the
  // compiler says so, and the program keeps its fibers.
  void write_for_block(Range r, std::string& out) const {
    const auto locals = uniform_locals_.find(r.begin);
    if (locals == uniform_locals_.end() || mentions(code_, r.begin, r.end, "constexpr")) {
      out += source(r);
      return;
    }
    out += repeated_marker(code_, r.begin);
    for (const Local& v : locals->second)
      out += v.type + " const " + std::string(v.name) + " = " +
             std::string(code_.source(v.init_begin, v.init_end)) + "; ";
  }

  // The same for a loop's counters, within a turn.
  static std::string begin_turn(const Part& loop) {
    std::string copies, constants;
    for (const std::string_view counter : loop.counters) {
      const std::string name(counter), copy = "cucpu_at_" + name;
      copies += "const auto " + copy + " = " + name + "; ";
      constants += "[[maybe_unused]] const auto " + name + " = " + copy + "; ";
    }
    return "{ " + copies + "{ " + constants;
  }
  static constexpr const char* kEndTurn = "}}";

  void write_threads(const Part& part, std::string& out) const {
    std::string statements;
    bool returns = false;
    for (const Range& r : part.statements) {
      statements += statement(r);
      returns |= mentions(code_, r.begin, r.end, "return");
    }
    if (returns) statements = "[&] {" + statements + "}();";  // ends the thread
    out += for_each("z") + for_each("y") + for_each("x") + " { " + begin_thread("cucpu_x") +
           aliases(part) + statements + "}";
  }

  void write_row_loop(const Part& part, std::string& out) const {
    out += for_each("z") + for_each("y") + " { " + begin_thread("0") + source(part.statements[0]) +
           begin_turn(part) + for_each("x") + " { " + begin_thread("cucpu_x") + aliases(part) +
           source(part.statements[1]) + "}" + kEndTurn + "}";
  }

  static std::string for_each(const std::string& axis) {
    const std::string i = "cucpu_" + axis;
    return " for (unsigned " + i + " = 0; " + i + " != blockDim." + axis + "; ++" + i + ")";
  }

  static std::string begin_thread(const std::string& x) {
    return "[[maybe_unused]] const ::uint3 threadIdx{" + x +
           ", cucpu_y, cucpu_z}; [[maybe_unused]] const unsigned cucpu_thread = " + x +
           " + blockDim.x * (cucpu_y + blockDim.y * cucpu_z); ";
  }

  // Names for the variables from earlier parts that this one uses.
  std::string aliases(const Part& part) const {
    std::string out;
    for (const ThreadLocal& v : locals_) {
      const bool is_used =
          std::any_of(part.statements.begin(), part.statements.end(), [&](Range r) {
            return v.is_known_to(r) && mentions(code_, r.begin, r.end, v.local.name);
          });
      if (v.outlives_part && v.part != part.number && is_used) out += v.alias() + "; ";
    }
    return out;
  }

  // A statement of a thread, which may declare variables that outlive its part.
  std::string statement(Range r) const {
    std::string declarations;
    bool outlives_part = false;
    for (const ThreadLocal& v : locals_) {
      if (v.declared_at != r.begin) continue;
      outlives_part |= v.outlives_part;
      const std::string value(code_.source(v.local.init_begin, v.local.init_end));
      declarations += v.outlives_part ? v.alias() : v.local.type + " " + std::string(v.local.name);
      declarations += value.empty() ? "; " : " = " + value + "; ";
      require(!v.outlives_part || !has_array_in(r));
    }
    return outlives_part ? repeated_marker(code_, r.begin) + declarations : source(r);
  }

  bool has_array_in(Range r) const {
    return std::any_of(locals_.begin(), locals_.end(), [&](const ThreadLocal& v) {
      return v.declared_at == r.begin && v.local.is_array;
    });
  }

  // As it stands there, with its lines' numbers.
  std::string source(Range r) const {
    return repeated_marker(code_, r.begin) + std::string(code_.source(r.begin, r.end)) + " ";
  }

  static void require(bool understood) {
    if (!understood) throw NotUnderstood();
  }

  const Code& code_;
  const ProgramFacts& facts_;
  std::size_t begin_, end_;  // the tokens of the body
  std::vector<std::string_view> parameters_;
  Words objects_;  // names of what may be an object that all threads have alike
  Words uniform_;  // names of what is the same for all threads
  std::map<std::size_t, std::vector<Local>> uniform_locals_;  // by their statement's first token
  std::set<std::string> scalar_types_;                        // of them, those that are no words
  Words types_;  // the template's parameters that are types
  Words names_;  // of variables outside of inner blocks
  std::vector<ThreadLocal> locals_;
  std::vector<std::pair<int, Range>> threads_do_;  // with the numbers of the parts
  bool has_array_ = false;                         // one of locals_ may have
  int part_count_ = 0;
};

// The statements of the body, for another one.
std::string repeated(const Code& code, const Kernel& kernel) {
  const std::size_t first = kernel.body + 1;
  return repeated_marker(code, first) + std::string(code.source(first, code.matching(kernel.body)));
}

// A second body, and the condition for it.
struct SecondBody {
  std::string condition, text;
};

// None for a kernel that keeps its fibers.
std::optional<SecondBody> second_body(const Code& code, const Kernel& kernel,
                                      const ProgramFacts& facts) {
  for (const std::string_view name : facts.volatiles)
    if (mentions(code, kernel.body, code.matching(kernel.body), name)) return std::nullopt;
  try {
    WholeBlock block(code, kernel, facts);
    std::string text = block.text();
    return SecondBody{block.condition(), std::move(text)};
  } catch (const NotUnderstood&) {
    return std::nullopt;
  }
}

}  // namespace

std::string with_whole_blocks(std::string_view preprocessed) {
  const Code code(preprocessed);
  const bool in_versions = asks_for_versions(preprocessed);
  std::optional<ProgramFacts> facts;
  Edits edits;
  for (const Kernel& kernel : kernels_of(code)) {
    const std::size_t end = code.matching(kernel.body);
    if (!facts) facts = read_facts(code);
    if (const auto second = second_body(code, kernel, *facts)) {
      edits.insert_after(code[kernel.body],
                         " constexpr bool cucpu_is_plain = " + second->condition +
                             "; if (!cucpu_is_plain || !::cucpu::begin_whole_block()) {");
      edits.insert_before(code[end],
                          " return; } if constexpr (cucpu_is_plain) {" +
                              (in_versions ? call_for_avx2(code, kernel, second->text, true) : "") +
                              call_of_function(code, kernel, second->text) + code.line_marker(end) +
                              "}");
    } else if (in_versions && mentions(code, kernel.body, end, "__syncthreads") &&
               keeps_arrays(code, kernel) && !differs_in_function(code, kernel)) {
      edits.insert_after(code[kernel.body],
                         call_for_avx2(code, kernel, repeated(code, kernel), false) +
                             code.line_marker(kernel.body + 1));
    }
  }
  return edits.apply(preprocessed);
}

}  // namespace cucpu::lower
