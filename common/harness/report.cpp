#include "harness/report.h"

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

// Counts are doubles so that they cannot overflow, and shown without a fraction.
std::uint64_t whole(double count) { return static_cast<std::uint64_t>(count); }

template <class T>
void put(Json& json, const char* name, const std::optional<T>& value) {
  if (value) json[name] = *value;
}

template <class T>
void get(const Json& json, const char* name, std::optional<T>& value) {
  if (json.contains(name)) value = json.at(name).get<T>();
}

template <class... Values>
std::string format(const char* form, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, form, values...);
  return text;
}

std::string cell(const std::optional<double>& value, const char* form) {
  return value ? format(form, *value) : "-";
}

std::string line(const std::string& name, const std::string& status, const std::string& median,
                 const std::string& spread, const std::string& rate, bool gpu,
                 const std::string& roof, const std::string& library) {
  std::string text = format("%-*s %-7s %9s %6s %13s", kNameWidth, name.c_str(), status.c_str(),
                            median.c_str(), spread.c_str(), rate.c_str());
  if (gpu) text += format(" %5s %5s", roof.c_str(), library.c_str());
  return text + "\n";
}

// How far the slowest launch is from the fastest, as a part of the median.
std::string spread(const Result& result) {
  if (result.repeats < 2 || !result.median_ms || *result.median_ms <= 0) return "-";
  const double percent = 100 * (*result.max_ms - *result.min_ms) / *result.median_ms;
  return percent < 1000 ? format("%.1f%%", percent) : ">999%";
}

std::string rate(const Result& result) {
  const std::optional<double>& value = result.gb_per_s ? result.gb_per_s : result.gflop_per_s;
  const char* unit = result.gb_per_s ? "GB/s" : "GFLOP/s";
  if (!value) return "-";
  return format(*value < 1000 ? "%.2f %s" : "%.0f %s", *value, unit);
}

}  // namespace

std::string table_head(const std::string& name, bool gpu) {
  return line(name, "status", "median ms", "spread", "rate", gpu, "roof", "lib");
}

std::string table_row(const std::string& name, const Result& result, bool gpu) {
  return line(name, result.status, cell(result.median_ms, "%.3f"), spread(result), rate(result),
              gpu, cell(result.percent_of_roof, "%.1f%%"),
              cell(result.percent_of_baseline, "%.0f%%"));
}

std::string describe_shape(const Result& result) {
  std::string text;
  for (const auto& [name, size] : result.shape) {
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(size);
  }
  return text;
}

std::string to_json(const Result& result) {
  Json json;
  json["step"] = result.step;
  json["variant"] = result.variant;
  json["backend"] = result.backend;
  json["device"] = result.device;
  json["shape"] = Json::object();
  for (const auto& [name, size] : result.shape) json["shape"][name] = size;
  json["status"] = result.status;
  put(json, "median_ms", result.median_ms);
  put(json, "min_ms", result.min_ms);
  put(json, "max_ms", result.max_ms);
  json["repeats"] = result.repeats;
  json["bytes"] = whole(result.bytes);
  if (result.flops) json["flops"] = whole(*result.flops);
  put(json, "gb_per_s", result.gb_per_s);
  put(json, "gflop_per_s", result.gflop_per_s);
  put(json, "roof_gb_per_s", result.roof_gb_per_s);
  put(json, "roof_gflop_per_s", result.roof_gflop_per_s);
  put(json, "percent_of_roof", result.percent_of_roof);
  put(json, "roof_at_size_gb_per_s", result.roof_at_size_gb_per_s);
  put(json, "percent_of_roof_at_size", result.percent_of_roof_at_size);
  put(json, "baseline", result.baseline);
  put(json, "baseline_ms", result.baseline_ms);
  put(json, "baseline_min_ms", result.baseline_min_ms);
  put(json, "baseline_max_ms", result.baseline_max_ms);
  put(json, "percent_of_baseline", result.percent_of_baseline);
  put(json, "max_error", result.max_error);
  put(json, "error_bound", result.error_bound);
  put(json, "sm_clock_mhz", result.sm_clock_mhz);
  put(json, "measuring_error", result.measuring_error);
  put(json, "output_hash", result.output_hash);
  put(json, "grows_from", result.grows_from);
  for (const auto& [name, value] : result.figures) {
    json["figures"][name] = value ? Json(*value) : Json(nullptr);
  }
  if (result.counters) json["counters"] = Json::parse(*result.counters);
  // A device's name need not be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result from_json(const std::string& line) {
  Result result;
  try {
    const Json json = Json::parse(line);
    result.step = json.at("step");
    result.variant = json.at("variant");
    result.backend = json.at("backend");
    result.device = json.at("device");
    for (const auto& [name, size] : json.at("shape").items()) {
      result.shape.emplace_back(name, size.get<std::size_t>());
    }
    result.status = json.at("status");
    get(json, "median_ms", result.median_ms);
    get(json, "min_ms", result.min_ms);
    get(json, "max_ms", result.max_ms);
    result.repeats = json.at("repeats");
    result.bytes = json.at("bytes");
    get(json, "flops", result.flops);
    get(json, "gb_per_s", result.gb_per_s);
    get(json, "gflop_per_s", result.gflop_per_s);
    get(json, "roof_gb_per_s", result.roof_gb_per_s);
    get(json, "roof_gflop_per_s", result.roof_gflop_per_s);
    get(json, "percent_of_roof", result.percent_of_roof);
    get(json, "roof_at_size_gb_per_s", result.roof_at_size_gb_per_s);
    get(json, "percent_of_roof_at_size", result.percent_of_roof_at_size);
    get(json, "baseline", result.baseline);
    get(json, "baseline_ms", result.baseline_ms);
    get(json, "baseline_min_ms", result.baseline_min_ms);
    get(json, "baseline_max_ms", result.baseline_max_ms);
    get(json, "percent_of_baseline", result.percent_of_baseline);
    get(json, "max_error", result.max_error);
    get(json, "error_bound", result.error_bound);
    get(json, "sm_clock_mhz", result.sm_clock_mhz);
    get(json, "measuring_error", result.measuring_error);
    get(json, "output_hash", result.output_hash);
    get(json, "grows_from", result.grows_from);
    if (json.contains("figures")) {
      for (const auto& [name, value] : json.at("figures").items()) {
        result.figures.push_back(
            {name, value.is_null() ? std::nullopt : std::optional(value.get<double>())});
      }
    }
    if (json.contains("counters")) result.counters = json.at("counters").dump();
  } catch (const Json::exception& error) {
    throw std::runtime_error(std::string("not a result: ") + error.what());
  }
  return result;
}

}  // namespace harness
