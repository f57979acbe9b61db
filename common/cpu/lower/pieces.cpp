#include "pieces.h"

#include <functional>

#include "declaration.h"

namespace cucpu::lower {
namespace {

class Splitter {
 public:
  explicit Splitter(const Code& code) : code_(code) {}

  std::vector<Piece> run() {
    for (std::size_t i = 0; i < code_.size(); i = pieces_.back().end) {
      Piece piece = code_[i].is("}") ? read_scope_end(i) : read(i);
      note_sides(piece);
      set_key(piece);
      pieces_.push_back(piece);
      if (piece.kind == Piece::Kind::scope) scopes_.push_back(piece.key);
    }
    return pieces_;
  }

 private:
  // `}` of a namespace, `};` and `} name;` of a class.
  Piece read_scope_end(std::size_t begin) {
    Piece piece{.kind = Piece::Kind::scope_end, .begin = begin};
    std::size_t end = begin + 1;
    const bool of_class = code_[end].is(";") || code_[end].is("*") ||
                          (code_[end].is_identifier() && code_[end + 1].is(";"));
    while (of_class && end < code_.size() && !code_[end - 1].is(";")) ++end;
    piece.end = piece.body = end;
    return piece;
  }

  Piece read(std::size_t begin) const {
    Piece piece{.begin = begin};
    std::size_t i = begin;
    for (; i < code_.size() && !code_[i].is(";") && !code_[i].is("}"); ++i) {
      if (is_access_specifier(begin, i)) break;
      if (code_[i].is("{")) {
        piece.kind = kind_of_brace(begin, i);
        piece.body = i;
        if (piece.kind == Piece::Kind::scope) break;
        i = code_.matching(i);
        if (piece.kind == Piece::Kind::function) break;
        continue;
      }
      if (code_[i].is("operator")) i = end_of_operator_name(i);
      i = skip_group(code_, i);
    }
    const bool is_cut_off =
        i >= code_.size() || (piece.kind == Piece::Kind::other && code_[i].is("}"));
    piece.end = is_cut_off ? i : i + 1;
    if (piece.kind == Piece::Kind::other) piece.body = piece.end;
    return piece;
  }

  bool is_access_specifier(std::size_t begin, std::size_t i) const {
    const Token& word = code_[begin];
    return i == begin + 1 && code_[i].is(":") &&
           (word.is("public") || word.is("private") || word.is("protected"));
  }

  // The kind of piece that the { at i begins.
  Piece::Kind kind_of_brace(std::size_t begin, std::size_t i) const {
    bool has_parameters = false;
    bool has_initializers = false;
    bool is_class = false;
    for (std::size_t j = begin; j < i; j = skip_group(code_, j) + 1) {
      const Token& t = code_[j];
      if (t.is("operator")) j = end_of_operator_name(j);
      if (t.is("namespace") || (t.is("extern") && j + 2 == i)) return Piece::Kind::scope;
      if (t.is("=") && !has_parameters) return Piece::Kind::other;
      if (t.is("enum")) return Piece::Kind::other;
      is_class |= t.is("class") || t.is("struct") || t.is("union");
      has_initializers |= has_parameters && t.is(":");
      has_parameters |= t.is("(") && !kTakesArguments.contains(code_[j - 1].text) &&
                        !kDroppedWithArguments.contains(code_[j - 1].text);
    }
    const bool after_name = code_[i - 1].is_identifier() || code_[i - 1].is(">");
    if (has_initializers && after_name) return Piece::Kind::other;  // `: member{1}`
    if (has_parameters) return Piece::Kind::function;
    return is_class ? Piece::Kind::scope : Piece::Kind::other;
  }

  // The last token of `operator()`, `operator<`, `operator float*`.
  std::size_t end_of_operator_name(std::size_t i) const {
    if (code_[i + 1].is("(")) return code_.matching(i + 1);
    while (i + 1 < code_.size() && !code_[i + 1].is("(") && !code_[i + 1].is(";")) ++i;
    return i;
  }

  void note_sides(Piece& piece) const {
    bool host = false;
    bool device = false;
    bool constant = false;
    for (std::size_t i = piece.begin; i < piece.body; ++i) {
      const Token& t = code_[i];
      host |= t.is("__host__");
      device |= t.is("__device__") || t.is("__global__") || t.is("__constant__");
      // nvcc lets kernels call these, if it is told to.
      constant |= t.is("constexpr");
    }
    piece.for_host = host || !device;
    piece.for_device = device || constant;
  }

  void set_key(Piece& piece) {
    piece.scope = scopes_.empty() ? 0 : scopes_.back();
    std::size_t key = piece.scope;
    if (piece.kind == Piece::Kind::scope_end && !scopes_.empty()) scopes_.pop_back();
    for (std::size_t i = piece.begin; i < piece.end; ++i)
      key = key * 1099511628211u + std::hash<std::string_view>()(code_[i].text);
    piece.key = key;
  }

  const Code& code_;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> scopes_;  // the keys of those that are open
};

}  // namespace

std::vector<Piece> pieces_of(const Code& code) { return Splitter(code).run(); }

std::string identity(const Code& code, const Piece& piece) {
  if (piece.kind == Piece::Kind::function) {
    std::string out;
    for (std::size_t i = piece.begin; i < piece.body; ++i) {
      const bool is_specifier = code[i].is("inline") || code[i].is("static") ||
                                code[i].is("__forceinline__") || code[i].is("__noinline__");
      if (!is_specifier && !kDropped.contains(code[i].text)) out.append(code[i].text) += ' ';
    }
    return out;
  }
  if (piece.kind == Piece::Kind::scope_end || code[piece.end - 1].is(":")) return {};
  if (piece.kind == Piece::Kind::scope) {
    const bool is_class = !code[piece.begin].is("namespace") && !code[piece.begin].is("extern");
    return is_class ? text_of(code, piece.begin, piece.body) : std::string();
  }
  std::string_view name;
  for (std::size_t i = piece.begin; i < piece.end; i = skip_group(code, i) + 1) {
    const Token& t = code[i];
    if (t.is_identifier()) name = t.text;
    if (t.is("(")) return {};  // an overload of others, for all we know
    for (const char* end : {"=", "[", "{", ";", ":"})
      if (t.is(end)) return std::string(name);
  }
  return {};
}

std::vector<DeviceBody> device_bodies(const Code& code, const Piece& function) {
  std::vector<DeviceBody> bodies;
  for (std::size_t i = function.body; i < function.end; ++i) {
    if (!code[i].is("__device__")) continue;
    DeviceBody body;
    body.for_host = code[i - 1].is("__host__") || code[i + 1].is("__host__");
    while (i < function.end && !code[i].is("{") && !code[i].is(";")) i = skip_group(code, i) + 1;
    if (!code[i].is("{")) continue;
    body.begin = i;
    body.end = code.matching(i) + 1;
    bodies.push_back(body);
    i = body.end - 1;
  }
  return bodies;
}

}  // namespace cucpu::lower
