#include "whole_blocks.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "code.h"
#include "declaration.h"
#include "edits.h"
#include "kernel_names.h"
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
const Words kCasts = {"static_cast", "reinterpret_cast", "const_cast"};
const Words kRefused = {
    "goto",      "asm",          "__asm__", "__asm",    "volatile",      "try",      "throw",
    "new",       "delete",       "this",    "operator", "static",        "extern",   "struct",
    "class",     "thread_local", "union",   "enum",     "typedef",       "using",    "template",
    "namespace", "co_await",     "case",    "alignas",  "__attribute__", "decltype", "typename"};
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
  std::vector<Range> statements;  // of a loop: its head; of a row's, its body as well
  std::vector<Part> parts;        // of a loop
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
  // `constants`: names that mean the same in all threads.
  WholeBlock(const Code& code, const Declaration& kernel, std::size_t body, const Words& constants)
      : code_(code), begin_(body + 1), end_(code.matching(body)), uniform_(constants) {
    uniform_.insert(kOfLaunch.begin(), kOfLaunch.end());
    for (const Parameter& p : read_parameters(code, kernel.end)) {
      require(!p.is_pack);
      if (p.name == 0) continue;
      const bool is_pointer = code[p.name + 1].is("[") || mentions(code, p.begin, p.name, "*");
      require(!may_modify(code, begin_, end_, code[p.name].text, is_pointer));
      uniform_.insert(code[p.name].text);
    }
    if (kernel.template_angle == 0) return;
    for (const Parameter& p : read_parameters(code, kernel.template_angle)) {
      const bool is_type = code[p.begin].is("class") || code[p.begin].is("typename");
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
    return out;
  }

 private:
  // --- what a kernel may consist of ------------------------------------------------------------

  void check_words() const {
    for (std::size_t i = begin_; i < end_; ++i) {
      const Token& t = code_[i];
      if (declares_shared(i)) {
        i = end_of_statement(code_, i, end_) - 1;
        continue;
      }
      require(!kRefused.contains(t.text) && !is_reference(i));
      if (t.is("for") || t.is("while")) check_condition(i);
      if (t.is("[")) require(is_operand(i - 1));  // neither a lambda nor an attribute
      if (t.is("{")) require(!code_[i - 1].is("(") && !is_type_name(i - 1));
      if (!t.is("(")) continue;
      check_call(i);
      require(!is_changed_group(i));
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

  // `float& x = y`, `auto& x : y`, `float (&x)[4]`
  bool is_reference(std::size_t i) const {
    if (!code_[i].is("&")) return false;
    if (code_[i - 1].is("auto") || code_[i - 1].is(">") || code_[i - 1].is("*")) return true;
    if (code_[i - 1].is("(") && code_[i + 2].is(")") && code_[i + 3].is("[")) return true;
    return code_[i - 1].is_identifier() && code_[i + 1].is_identifier() &&
           ((code_[i + 2].is("=") && !code_[i + 3].is("=")) || code_[i + 2].is(":"));
  }

  // `atomicAdd(&x, 1);`, whose value nobody sees: a thread that sees it may wait for it to change.
  bool is_atomic_statement(std::size_t open) const {
    if (!kAtomics.contains(code_[open - 1].text)) return false;
    const Token& before = code_[open - 2];
    const bool begins =
        before.is(";") || before.is("{") || before.is("}") || before.is(")") || before.is("else");
    return begins && code_[code_.matching(open) + 1].is(";");
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

  // The parenthesis at `open` groups, casts, or calls a function that is known.
  void check_call(std::size_t open) const {
    const Token& before = code_[open - 1];
    if (before.is_identifier()) {
      require(!code_[open - 2].is(".") && !code_[open - 2].is("->"));
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
      } else if (!has_locals(threads) && is_row_loop(statement)) {
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
    for (std::size_t i = declaration.begin; i < declaration.end; ++i)
      if (code_[i].is_identifier() && (code_[i + 1].is("[") || code_[i + 1].is("=")) &&
          mentions(code_, earlier.begin, earlier.end, code_[i].text))
        return true;
    return false;
  }

  Part new_part(Part::Kind kind, std::vector<Range> statements = {}) {
    return {kind, ++part_count_, std::move(statements), {}};
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
      has_array_ |= local.is_array;
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
    for (const Local& counter : *counters) {
      add_name(counter.name);
      require(is_uniform_value(counter) &&
              !may_modify(code_, body, r.end, counter.name, counter.is_pointer));
      uniform_.insert(counter.name);
    }
    require(is_uniform({condition, close}));
    Part loop = new_part(Part::Kind::loop, {{r.begin, body}});
    loop.parts = read_parts({body + 1, r.end - 1}, true);
    for (const Local& counter : *counters) uniform_.erase(counter.name);
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
    const std::size_t body = head_of(r).close + 1;
    Part loop = new_part(Part::Kind::row_loop, {{r.begin, body}, {body, r.end}});
    threads_do_.push_back({loop.number, r});
    return loop;
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
      if (may_change || !is_uniform_value(local) || is_guarded_division(local)) return false;
    }
    for (const Local& local : *locals) {
      add_name(local.name);
      uniform_.insert(local.name);
    }
    return true;
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
          out += source(part.statements[0]);
          break;
        case Part::Kind::loop:
          out += source(part.statements[0]) + "{";
          write(part.parts, out);
          out += "}";
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
           for_each("x") + " { " + begin_thread("cucpu_x") + aliases(part) +
           source(part.statements[1]) + "}}";
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
  std::size_t begin_, end_;  // the tokens of the body
  Words uniform_;            // names of what is the same for all threads
  Words types_;              // the template's parameters that are types
  Words names_;              // of variables outside of inner blocks
  std::vector<ThreadLocal> locals_;
  std::vector<std::pair<int, Range>> threads_do_;  // with the numbers of the parts
  bool has_array_ = false;                         // one of locals_
  int part_count_ = 0;
};

// The names that `constexpr` gives to values, outside the system's headers.
Words constants_of(const Code& code) {
  Words constants;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i].is("constexpr") || code.in_system_header(i)) continue;
    std::size_t name = i + 1;
    while (code[name + 1].is_identifier() || code[name + 1].is("::")) ++name;
    if (code[name + 1].is("=") || code[name + 1].is("{")) constants.insert(code[name].text);
  }
  return constants;
}

// The names of variables that are volatile, by which threads may wait for each other.
Words volatile_names(const Code& code) {
  Words names;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i].is("volatile") || code.in_system_header(i)) continue;
    while (code[i + 1].is_identifier() || code[i + 1].is("*")) ++i;
    names.insert(code[i].text);
  }
  return names;
}

// The second body; nullopt for a kernel that keeps its fibers.
std::optional<std::string> whole_block(const Code& code, const Kernel& kernel,
                                       const Words& constants, const Words& volatiles) {
  for (const std::string_view name : volatiles)
    if (mentions(code, kernel.body, code.matching(kernel.body), name)) return std::nullopt;
  try {
    return WholeBlock(code, kernel.declaration, kernel.body, constants).text() +
           " ::cucpu::end_whole_block();";
  } catch (const NotUnderstood&) {
    return std::nullopt;
  }
}

// The statements of the body, for another one.
std::string repeated(const Code& code, const Kernel& kernel) {
  const std::size_t first = kernel.body + 1;
  return repeated_marker(code, first) + std::string(code.source(first, code.matching(kernel.body)));
}

}  // namespace

std::string with_whole_blocks(std::string_view preprocessed) {
  const Code code(preprocessed);
  const bool in_versions = asks_for_versions(preprocessed);
  std::optional<Words> constants, volatiles;
  Edits edits;
  for (const Kernel& kernel : kernels_of(code)) {
    const std::size_t end = code.matching(kernel.body);
    if (!constants) constants = constants_of(code), volatiles = volatile_names(code);
    if (const auto whole = whole_block(code, kernel, *constants, *volatiles)) {
      const std::string version = in_versions ? version_for_avx2(code, kernel, *whole) : "";
      edits.insert_after(code[kernel.body], " if (!::cucpu::begin_whole_block()) {");
      edits.insert_before(code[end], " return; }" + version + *whole + code.line_marker(end));
    } else if (in_versions && mentions(code, kernel.body, end, "__syncthreads") &&
               keeps_arrays(code, kernel)) {
      const std::string version = version_for_avx2(code, kernel, repeated(code, kernel));
      if (!version.empty())
        edits.insert_after(code[kernel.body], version + code.line_marker(kernel.body + 1));
    }
  }
  return edits.apply(preprocessed);
}

}  // namespace cucpu::lower
