#include "harness/report.h"

#include <fmt/core.h>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

using Shape = decltype(Result::shape);
using Figures = decltype(Result::figures);

// How a value becomes JSON.
enum class Form {
  plain,  // as it is
  whole,  // without a fraction: counts are doubles only so that they cannot overflow
  json,   // it is JSON already
};

template <class T>
struct Field {
  const char* name;
  T Result::*member;
  Form form = Form::plain;
};
// clang before 17 finds none for an aggregate by itself.
template <class T>
Field(const char*, T Result::*, Form = Form::plain) -> Field<T>;

// All fields, in their order in a line.
constexpr std::tuple kFields = {
    Field{"step", &Result::step},
    Field{"variant", &Result::variant},
    Field{"backend", &Result::backend},
    Field{"device", &Result::device},
    Field{"shape", &Result::shape},
    Field{"status", &Result::status},
    Field{"median_ms", &Result::median_ms},
    Field{"min_ms", &Result::min_ms},
    Field{"max_ms", &Result::max_ms},
    Field{"repeats", &Result::repeats},
    Field{"bytes", &Result::bytes, Form::whole},
    Field{"flops", &Result::flops, Form::whole},
    Field{"gb_per_s", &Result::gb_per_s},
    Field{"gflop_per_s", &Result::gflop_per_s},
    Field{"roof_gb_per_s", &Result::roof_gb_per_s},
    Field{"roof_gflop_per_s", &Result::roof_gflop_per_s},
    Field{"percent_of_roof", &Result::percent_of_roof},
    Field{"roof_at_size_gb_per_s", &Result::roof_at_size_gb_per_s},
    Field{"percent_of_roof_at_size", &Result::percent_of_roof_at_size},
    Field{"baseline", &Result::baseline},
    Field{"baseline_ms", &Result::baseline_ms},
    Field{"baseline_min_ms", &Result::baseline_min_ms},
    Field{"baseline_max_ms", &Result::baseline_max_ms},
    Field{"percent_of_baseline", &Result::percent_of_baseline},
    Field{"max_error", &Result::max_error},
    Field{"error_bound", &Result::error_bound},
    Field{"sm_clock_mhz", &Result::sm_clock_mhz},
    Field{"measuring_error", &Result::measuring_error},
    Field{"output_hash", &Result::output_hash},
    Field{"grows_from", &Result::grows_from},
    Field{"figures", &Result::figures},
    Field{"counters", &Result::counters, Form::json},
};

template <class Visit>
void for_each_field(Visit visit) {
  std::apply([&](const auto&... fields) { (visit(fields), ...); }, kFields);
}

// Whether a field with this value is left out.
template <class T>
bool is_absent(const T&) {
  return false;
}
template <class T>
bool is_absent(const std::optional<T>& value) {
  return !value;
}
bool is_absent(const Figures& figures) { return figures.empty(); }

Json json_of(const std::string& value, Form form) {
  return form == Form::json ? Json::parse(value) : Json(value);
}
Json json_of(double value, Form form) {
  return form == Form::whole ? Json(static_cast<std::uint64_t>(value)) : Json(value);
}
Json json_of(std::size_t value, Form) { return value; }
Json json_of(int value, Form) { return value; }
Json json_of(const Shape& shape, Form) {
  Json json = Json::object();
  for (const auto& [name, size] : shape) json[name] = size;
  return json;
}
Json json_of(const Figures& figures, Form) {
  Json json;
  for (const auto& [name, value] : figures) json[name] = value ? Json(*value) : Json(nullptr);
  return json;
}
template <class T>
Json json_of(const std::optional<T>& value, Form form) {
  return json_of(*value, form);
}

template <class T>
void read(const Json& json, Form, T& value) {
  json.get_to(value);
}
void read(const Json& json, Form form, std::string& value) {
  value = form == Form::json ? json.dump() : json.get<std::string>();
}
void read(const Json& json, Form, Shape& shape) {
  for (const auto& [name, size] : json.items()) shape.emplace_back(name, size.get<std::size_t>());
}
void read(const Json& json, Form, Figures& figures) {
  for (const auto& [name, value] : json.items())
    figures.push_back({name, value.is_null() ? std::nullopt : std::optional(value.get<double>())});
}
template <class T>
void read(const Json& json, Form form, std::optional<T>& value) {
  read(json, form, value.emplace());
}

std::string line(const std::string& name, const std::string& status, const std::string& median,
                 const std::string& spread, const std::string& rate, bool gpu,
                 const std::string& roof, const std::string& library) {
  std::string text = fmt::format("{:<{}} {:<7} {:>9} {:>6} {:>13}", name, kNameWidth, status,
                                 median, spread, rate);
  if (gpu) text += fmt::format(" {:>5} {:>5}", roof, library);
  return text + "\n";
}

// How far the slowest launch is from the fastest, as a part of the median.
std::string spread(const Result& result) {
  if (result.repeats < 2 || !result.median_ms || *result.median_ms <= 0) return "-";
  const double percent = 100 * (*result.max_ms - *result.min_ms) / *result.median_ms;
  return percent < 1000 ? fmt::format("{:.1f}%", percent) : ">999%";
}

std::string rate(const Result& result) {
  const std::optional<double>& value = result.gb_per_s ? result.gb_per_s : result.gflop_per_s;
  const char* unit = result.gb_per_s ? "GB/s" : "GFLOP/s";
  if (!value) return "-";
  return *value < 1000 ? fmt::format("{:.2f} {}", *value, unit)
                       : fmt::format("{:.0f} {}", *value, unit);
}

}  // namespace

std::string table_head(const std::string& name, bool gpu) {
  return line(name, "status", "median ms", "spread", "rate", gpu, "roof", "lib");
}

std::string table_row(const std::string& name, const Result& result, bool gpu) {
  const auto percent = [](const std::optional<double>& value, int digits) {
    return value ? fmt::format("{:.{}f}%", *value, digits) : "-";
  };
  const std::string median = result.median_ms ? fmt::format("{:.3f}", *result.median_ms) : "-";
  return line(name, result.status, median, spread(result), rate(result), gpu,
              percent(result.percent_of_roof, 1), percent(result.percent_of_baseline, 0));
}

std::string describe_shape(const Result& result) {
  std::string text;
  for (const auto& [name, size] : result.shape) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, size);
  }
  return text;
}

std::string to_json(const Result& result) {
  Json json;
  for_each_field([&](const auto& field) {
    const auto& value = result.*field.member;
    if (!is_absent(value)) json[field.name] = json_of(value, field.form);
  });
  // A device's name need not be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result from_json(const std::string& line) {
  Result result;
  try {
    const Json json = Json::parse(line);
    for_each_field([&](const auto& field) {
      auto& value = result.*field.member;
      if (is_absent(value) && !json.contains(field.name)) return;
      read(json.at(field.name), field.form, value);
    });
  } catch (const Json::exception& error) {
    throw std::runtime_error(std::string("not a result: ") + error.what());
  }
  return result;
}

}  // namespace harness
