#include "drawing/page.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "drawing/picture.h"
#include "parts.h"  // made of page.css, page.js and tool.html

namespace cucpu::drawing {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPlain = 12;  // pictures that are seen without scripts

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  return result;
}

// 12,345,678
std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string plural(std::uint64_t count, const char* what) {
  return grouped(count) + " " + what + (count == 1 ? "" : "s");
}

std::string launches_text(const Drawing& drawing) {
  std::uint64_t all = drawing.launches_left_out;
  for (const Launch& launch : drawing.launches) all += launch.times;
  std::string text = grouped(all) + (all == 1 ? " launch" : " launches");
  if (drawing.launches_left_out != 0)
    text += ", of which " + grouped(drawing.launches_left_out) + " cheaper ones are left out";
  return text;
}

// 4, 4.5, 31.97: two digits behind the point at most.
std::string shortly(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", std::round(number * 100) / 100);
  return text;
}

const char* unit_of(Space space) { return space == Space::global ? "sector" : "wavefront"; }

std::string name_of(const Access& access) {
  static constexpr const char* kVerbs[] = {"load from", "store to", "atomic in"};
  return std::string(access.is_copy ? "copy: " : "") + kVerbs[static_cast<int>(access.kind)] +
         (access.space == Space::global ? " global memory, " : " shared memory, ") +
         (access.bytes == 1 ? "1 byte" : std::to_string(access.bytes) + " bytes") + " per lane";
}

std::string cost_of(const Access& access) {
  const auto requests = static_cast<double>(access.count.requests);
  const double each = static_cast<double>(access.units()) / requests, least = access.least();
  std::string text = plural(access.count.requests, "request") + " of " + shortly(each) + " " +
                     unit_of(access.space) + (each == 1 ? "" : "s");
  if (access.count.requests > 1) text += " each";
  // A tenth more is not worth a word.
  if (access.kind != Kind::atomic && each > 1.1 * least)
    text += access.space == Space::global ? "; the bytes would fit in " + shortly(least)
                                          : "; without bank conflicts " + shortly(least);
  const double lanes = static_cast<double>(access.count.threads) / requests;
  if (lanes < trace::kLanes) text += "; " + shortly(lanes) + " of 32 lanes take part";
  return text;
}

std::string extent(const dim3& d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

std::string title_of(const Launch& launch) {
  std::string text =
      launch.kernel + "<<<" + extent(launch.grid) + ", " + extent(launch.block) + ">>>";
  return launch.times > 1 ? text + " × " + grouped(launch.times) : text;
}

// --- for scripts ---------------------------------------------------------------------------------

// Those that stand for something else are negative: kNone is -1.
int number_of(unsigned index) { return static_cast<int>(index); }

Json json_of(const Access& access) {
  Json patterns = Json::array();
  for (const PatternUse& use : access.patterns)
    patterns.push_back({number_of(use.picture), use.count, use.block, use.warp,
                        number_of(use.place.memory), use.place.offset, use.units});
  return {{"space", access.space == Space::global ? "global" : "shared"},
          {"name", name_of(access)},
          {"cost", cost_of(access)},
          {"requests", access.count.requests},
          {"threads", access.count.threads},
          {"units", access.units()},
          {"patterns", patterns},
          {"left_out", access.left_out}};
}

Json json_of(const Line& line) {
  Json accesses = Json::array();
  for (const Access& access : line.accesses) accesses.push_back(json_of(access));
  return {{"file", line.file},
          {"line", line.line},
          {"cost", line.cost()},
          {"accesses", std::move(accesses)}};
}

// A warp is a list of numbers: what is left out, and five for each request.
Json json_of(const ShownBlock& block) {
  Json warps = Json::array();
  for (const ShownWarp& warp : block.warps) {
    Json numbers = {warp.left_out};
    for (const ShownRequest& request : warp.requests)
      numbers.insert(numbers.end(), {request.line, request.access, number_of(request.picture),
                                     number_of(request.place.memory), request.place.offset});
    warps.push_back(std::move(numbers));
  }
  return {{"block", block.block}, {"warps", std::move(warps)}};
}

Json json_of(const Launch& launch) {
  const auto extents = [](const dim3& d) { return Json{d.x, d.y, d.z}; };
  Json json = {{"title", title_of(launch)},    {"kernel", launch.kernel},
               {"grid", extents(launch.grid)}, {"block", extents(launch.block)},
               {"times", launch.times},        {"memories", launch.memories},
               {"lines", Json::array()},       {"blocks", Json::array()}};
  for (const Line& line : launch.lines) json["lines"].push_back(json_of(line));
  for (const ShownBlock& block : launch.blocks) json["blocks"].push_back(json_of(block));
  return json;
}

Json json_of(const Drawing& drawing) {
  Json json = {{"program", drawing.program},
               {"left_out", drawing.launches_left_out},
               {"costliest",
                drawing.costliest() == nullptr ? 0 : drawing.costliest() - drawing.launches.data()},
               {"files", Json::array()},
               {"launches", Json::array()}};
  for (const SourceFile& file : drawing.files) {
    Json lines = Json::array();
    for (const SourceText& line : file.lines) lines.push_back({line.number, line.text});
    json["files"].push_back({{"name", file.name}, {"lines", std::move(lines)}});
  }
  for (const Launch& launch : drawing.launches) json["launches"].push_back(json_of(launch));
  return json;
}

std::string script_data(const Drawing& drawing) {
  std::string text = json_of(drawing).dump(-1, ' ', false, Json::error_handler_t::replace);
  // So that no text ends the script, or begins a comment in it.
  for (std::size_t at = 0; (at = text.find('<', at)) != text.npos; at += 6)
    text.replace(at, 1, "\\u003c");
  return text;
}

// --- without scripts -----------------------------------------------------------------------------

struct Ranked {
  const Launch* launch;
  const Line* line;
  const Access* access;
  std::uint64_t cost() const { return access->units() * launch->times; }
};

std::vector<Ranked> ranked(const Drawing& drawing) {
  std::vector<Ranked> list;
  for (const Launch& launch : drawing.launches)
    for (const Line& line : launch.lines)
      for (const Access& access : line.accesses)
        if (!access.patterns.empty()) list.push_back({&launch, &line, &access});
  std::stable_sort(list.begin(), list.end(),
                   [](const Ranked& a, const Ranked& b) { return a.cost() > b.cost(); });
  return list;
}

std::string source_line(const Drawing& drawing, const Line& line) {
  for (const SourceText& text : drawing.files[line.file].lines)
    if (text.number == line.line) return text.text;
  return {};
}

std::string figure(const Drawing& drawing, const Ranked& one) {
  const PatternUse& use = one.access->patterns.front();
  if (use.picture == kNone) return {};
  const Line& line = *one.line;
  return "<figure><figcaption><p><b>" + escaped(drawing.files[line.file].name) + ":" +
         std::to_string(line.line) + "</b> in " + escaped(title_of(*one.launch)) + "</p><pre>" +
         escaped(source_line(drawing, line)) + "</pre><p>" + name_of(*one.access) + ": " +
         cost_of(*one.access) + "</p></figcaption><div class=\"scroll\" tabindex=\"0\">" +
         picture(drawing.pictures[use.picture], use.place.offset) + "</div></figure>\n";
}

std::string plain(const Drawing& drawing) {
  std::string text = "<section id=\"plain\">\n<h2>The costliest requests</h2>\n";
  std::set<std::tuple<unsigned, unsigned, Space, Kind, unsigned>> seen;
  for (const Ranked& one : ranked(drawing)) {
    if (seen.size() == kMostPlain) break;
    // Other launches of the kernel look much the same.
    const bool is_new = seen.emplace(one.line->file, one.line->line, one.access->space,
                                     one.access->kind, one.access->bytes)
                            .second;
    if (is_new) text += figure(drawing, one);
  }
  if (seen.empty()) text += "<p>No kernel of this program accesses global or shared memory.</p>\n";
  return text + "</section>\n";
}

}  // namespace

std::string page(const Drawing& drawing) {
  const std::string title = "Requests of " + escaped(drawing.program);
  std::string text =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>" +
      title + "</title>\n<style>\n" + kPageStyle + "</style>\n</head>\n<body>\n<header><h1>" +
      title + "</h1>\n<p>" + launches_text(drawing) + "</p></header>\n" + picture_parts() +
      "<main>\n";
  if (drawing.costliest() != nullptr) text += kToolHtml;
  text += plain(drawing) + "</main>\n";
  for (std::size_t i = 0; i < drawing.pictures.size(); ++i)
    text += "<template id=\"picture-" + std::to_string(i) + "\">" +
            picture(drawing.pictures[i], 0) + "</template>\n";
  return text + "<script type=\"application/json\" id=\"data\">" + script_data(drawing) +
         "</script>\n<script>\n" + kPageScript + "</script>\n</body>\n</html>\n";
}

}  // namespace cucpu::drawing
