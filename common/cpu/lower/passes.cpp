#include "passes.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include "code.h"
#include "common_sequence.h"
#include "lower.h"
#include "pieces.h"

namespace cucpu::lower {
namespace {

constexpr std::string_view kMacro = "__CUDA_ARCH__";

std::vector<std::size_t> keys(const std::vector<Piece>& pieces) {
  std::vector<std::size_t> out;
  for (const Piece& piece : pieces) out.push_back(piece.key);
  return out;
}

class Merger {
 public:
  Merger(std::string_view host, std::string_view device)
      : host_(host),
        device_(device),
        host_pieces_(pieces_of(host_)),
        device_pieces_(pieces_of(device_)) {}

  std::string run(std::string_view source) {
    std::size_t h = 0;
    std::size_t d = 0;
    std::size_t copied = 0;  // of the host's text
    const auto copy_until = [&](std::size_t offset) {
      out_ += source.substr(copied, offset - copied);
      copied = offset;
    };
    auto pairs = common_sequence(keys(host_pieces_), keys(device_pieces_));
    pairs.emplace_back(host_pieces_.size(), device_pieces_.size());
    for (const auto& [next_h, next_d] : pairs) {
      if (h < next_h || d < next_d) {
        const std::size_t first = h < host_pieces_.size() ? host_pieces_[h].begin : host_.size();
        copy_until(first < host_.size() ? host_[first].begin : source.size());
        merge(h, next_h, d, next_d);
        const std::size_t last = h < next_h ? host_pieces_[next_h - 1].end : first;
        copied = h < next_h ? host_[last - 1].end() : copied;
        out_ += host_.line_marker(h < next_h ? last - 1 : first);
      }
      h = next_h + 1;
      d = next_d + 1;
    }
    copy_until(source.size());
    return out_;
  }

 private:
  // Pieces of the host's text and of the device's that stand at the same place.
  void merge(std::size_t h, std::size_t h_end, std::size_t d, std::size_t d_end) {
    check_scopes(host_, host_pieces_, h, h_end);
    check_scopes(device_, device_pieces_, d, d_end);
    std::set<std::size_t> done;  // pieces of the device's
    std::vector<std::size_t> twins;
    for (std::size_t i = h; i < h_end; ++i) {
      twins.push_back(twin_of(host_pieces_[i], d, d_end, done));
      if (twins.back() < d_end) done.insert(twins.back());
    }
    const std::size_t first = h;
    for (; h < h_end; ++h) {
      const Piece& piece = host_pieces_[h];
      const std::size_t twin = twins[h - first];
      // Device-only functions come before those that may call them.
      if (twin < d_end) d = put_of_device_alone(d, std::max(d, twin), done);
      // Directives that stand there may be for what follows.
      if (h != first) out_ += host_.between(piece.begin - 1, piece.begin);
      if (twin < d_end)
        merge(piece, device_pieces_[twin]);
      else if (piece.for_host || piece.kind == Piece::Kind::scope_end)
        put(host_, piece);
    }
    for (; d < d_end; ++d) put_unless_of_host(d, done);
  }

  // Puts the device's pieces before `end`, but stops at a scope that does not end there or that
  // contains a function of both texts. Returns the first piece left.
  std::size_t put_of_device_alone(std::size_t d, std::size_t end,
                                  const std::set<std::size_t>& done) {
    while (d < end) {
      int depth = 0;
      std::size_t last = d;
      for (; last < end; ++last) {
        depth += device_pieces_[last].kind == Piece::Kind::scope;
        depth -= device_pieces_[last].kind == Piece::Kind::scope_end;
        if (depth <= 0 || done.contains(last)) break;
      }
      if (depth != 0) return d;
      for (; d <= last; ++d) put_unless_of_host(d, done);
    }
    return d;
  }

  void put_unless_of_host(std::size_t d, const std::set<std::size_t>& done) {
    const Piece& piece = device_pieces_[d];
    // System headers do not mark functions as host or device.
    const bool is_of_host = piece.kind == Piece::Kind::function && !piece.for_device &&
                            !device_.in_system_header(piece.begin);
    if (!done.contains(d) && !is_of_host) put(device_, piece);
  }

  // Each scope that is only in one text must end there, too.
  static void check_scopes(const Code& code, const std::vector<Piece>& pieces, std::size_t i,
                           std::size_t end) {
    int depth = 0;
    const std::size_t begin = i;
    for (; i < end && depth >= 0; ++i) {
      depth += pieces[i].kind == Piece::Kind::scope;
      depth -= pieces[i].kind == Piece::Kind::scope_end;
    }
    if (depth != 0)
      code.fail(pieces[begin].begin, std::string(kMacro) + " changes where a scope begins or ends");
  }

  // The piece of the device's text that declares the same function; d_end if there is none.
  std::size_t twin_of(const Piece& piece, std::size_t d, std::size_t d_end,
                      const std::set<std::size_t>& done) const {
    const std::string name = identity(host_, piece);
    if (name.empty()) return d_end;
    for (; d < d_end; ++d) {
      const Piece& other = device_pieces_[d];
      if (done.contains(d) || other.scope != piece.scope || identity(device_, other) != name)
        continue;
      if (piece.kind == Piece::Kind::function && other.kind == piece.kind) return d;
      host_.fail(piece.begin, "'" + name + "' is one thing for the host and another where " +
                                  std::string(kMacro) +
                                  " is defined; cucpu compiles both as one program");
    }
    return d_end;
  }

  // A function that both texts have.
  void merge(const Piece& host, const Piece& device) {
    if (!device.for_device) {
      put_function_of_host(host, device);
    } else if (!host.for_host) {
      put(device_, device);
    } else {
      put_head(host, device);
      put_both({host.body, host.end}, {device.body, device.end});
    }
  }

  void put_head(const Piece& host, const Piece& device) {
    if (host.for_device || !device.for_device) {
      put(host_, host.begin, host.body);
      return;
    }
    put(device_, device.begin, device.body);
    // The host has the same function, without a word that would say so.
    out_ += " __host__ ";
  }

  struct Range {
    std::size_t begin, end;
  };
  void put_both(Range host, Range device) {
    out_ += "{ if (::cucpu::takes_device_code())";
    put(device_, device.begin, device.end);
    out_ += " else ";
    put(host_, host.begin, host.end);
    out_ += " }";
  }

  // Inside, lambdas may be for the device.
  void put_function_of_host(const Piece& host, const Piece& device) {
    const std::vector<DeviceBody> of_host = device_bodies(host_, host);
    const std::vector<DeviceBody> of_device = device_bodies(device_, device);
    std::size_t at = host.begin;
    for (std::size_t i = 0; of_host.size() == of_device.size() && i < of_host.size(); ++i) {
      put(host_, at, of_host[i].begin);
      at = of_host[i].end;
      if (of_host[i].for_host)
        put_both({of_host[i].begin, at}, {of_device[i].begin, of_device[i].end});
      else
        put(device_, of_device[i].begin, of_device[i].end);
    }
    put(host_, at, host.end);
  }

  void put(const Code& code, const Piece& piece) { put(code, piece.begin, piece.end); }
  void put(const Code& code, std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    out_ += code.line_marker(begin);
    out_ += code.source(begin, end);
  }

  Code host_;
  Code device_;
  std::vector<Piece> host_pieces_;
  std::vector<Piece> device_pieces_;
  std::string out_;
};

// The names in `# 12 "file.h" 1 3`.
std::set<std::string> files_of(std::string_view preprocessed) {
  std::set<std::string> files;
  for (std::size_t at = 0; at < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', at), preprocessed.size());
    const std::string_view line = preprocessed.substr(at, end - at);
    const std::size_t open = line.find('"');
    const bool is_marker = line.starts_with("# ") && line.size() > 2 &&
                           std::isdigit(static_cast<unsigned char>(line[2]));
    if (is_marker && open != std::string_view::npos)
      files.emplace(line.substr(open + 1, line.rfind('"') - open - 1));
    at = end + 1;
  }
  return files;
}

}  // namespace

bool may_differ_on_device(std::string_view preprocessed) {
  for (const std::string& file : files_of(preprocessed)) {
    // <built-in>, <command-line>, the current folder
    if (file.starts_with("<") || file.ends_with("/")) continue;
    std::ifstream in(file, std::ios::binary);
    if (!in) return true;
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (text.find(kMacro) != std::string::npos) return true;
  }
  return false;
}

std::string merge_passes(std::string_view host, std::string_view device) {
  return Merger(host, device).run(host);
}

}  // namespace cucpu::lower
