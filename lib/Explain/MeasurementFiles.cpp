// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One reader for each form of file, chosen by the keys of the outermost object. Readers take what
// is there and refuse what has another type; keys that they do not know say nothing.

#include "tilec/Explain/Measurements.h"

#include "MeasurementTables.h"

#include "tilec/Support/JsonError.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using llvm::StringRef;
namespace json = llvm::json;

namespace tilec::explain {
namespace {

//===----------------------------------------------------------------------------------===//
// Parts of rows
//===----------------------------------------------------------------------------------===//

/// A number, or null. What is too large for one is none.
struct Number {
  std::optional<double> value;
};

bool fromJSON(const json::Value &value, Number &number, json::Path path) {
  if (value.getAsNull())
    return true;
  number.value = value.getAsNumber();
  if (number.value && std::isfinite(*number.value))
    return true;
  path.report("expected number");
  return false;
}

/// Keys of an object with their values as texts, in the order of the keys; lists and objects are
/// left out.
struct Texts {
  std::vector<std::pair<std::string, std::string>> list;
};

bool fromJSON(const json::Value &value, Texts &texts, json::Path path) {
  const json::Object *object = value.getAsObject();
  if (!object) {
    path.report("expected object");
    return false;
  }
  for (const auto &[key, member] : *object)
    if (std::optional<StringRef> word = member.getAsString())
      texts.list.emplace_back(key.str(), word->str());
    else if (!member.getAsObject() && !member.getAsArray())
      texts.list.emplace_back(key.str(), llvm::formatv("{0}", member).str());
  llvm::sort(texts.list);
  return true;
}

/// A configuration as the tuner writes it: launch options beside an object of constants, which come
/// first.
struct Config {
  std::vector<std::pair<std::string, std::string>> parameters;
};

bool fromJSON(const json::Value &value, Config &config, json::Path path) {
  json::ObjectMapper map(value, path);
  Texts options, constants;
  if (!map || !fromJSON(value, options, path) || !map.mapOptional("constants", constants))
    return false;
  config.parameters = std::move(constants.list);
  llvm::append_range(config.parameters, options.list);
  return true;
}

/// What the simulator has counted of one kind of access.
struct AccessCounts {
  Number requests, sectors, wavefronts;
};

bool fromJSON(const json::Value &value, AccessCounts &counts, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.mapOptional("requests", counts.requests) &&
         map.mapOptional("sectors", counts.sectors) &&
         map.mapOptional("wavefronts", counts.wavefronts);
}

struct CounterSums {
  AccessCounts globalLoad, globalStore, sharedLoad, sharedStore;
};

bool fromJSON(const json::Value &value, CounterSums &sums, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.mapOptional("global load", sums.globalLoad) &&
         map.mapOptional("global store", sums.globalStore) &&
         map.mapOptional("shared load", sums.sharedLoad) &&
         map.mapOptional("shared store", sums.sharedStore);
}

/// The key of a number, and how rows name it.
struct NamedKey {
  llvm::StringLiteral key;
  const char *name;
};
constexpr NamedKey benchValues[] = {{"medianUs", "time"},
                                    {"minUs", "min"},
                                    {"meanUs", "mean"},
                                    {"p95Us", "p95"},
                                    {"predictedUs", "predicted"},
                                    {"sectorsOverMinimum", "overMinimum"},
                                    {"bankConflicts", "conflicts"},
                                    {"findings", "findings"}};
constexpr NamedKey codeValues[] = {
    {"registers", "registers"}, {"spillBytes", "spillBytes"}, {"sharedBytes", "sharedBytes"}};
constexpr NamedKey launchOptions[] = {{"numWarps", "num_warps"},
                                      {"numStages", "num_stages"},
                                      {"numCtas", "num_ctas"},
                                      {"splitK", "split_k"}};

/// Calls `take(name, value)` for each of these numbers that is there.
template <typename Take>
bool readNumbers(json::ObjectMapper &map, llvm::ArrayRef<NamedKey> keys, Take take) {
  for (const NamedKey &known : keys) {
    Number number;
    if (!map.mapOptional(known.key, number))
      return false;
    if (number.value)
      take(known.name, *number.value);
  }
  return true;
}

bool readValue(json::ObjectMapper &map, NamedKey key, MeasuredRow &row) {
  return readNumbers(map, key, [&](const char *name, double value) { row.add(name, value); });
}

/// What is known of the code: less than nothing is not.
bool readCode(json::ObjectMapper &map, MeasuredRow &row) {
  return readNumbers(map, codeValues, [&](const char *name, double value) {
    if (value >= 0)
      row.add(name, value);
  });
}

bool readNumber(json::ObjectMapper &map, llvm::StringLiteral key, std::optional<double> &to) {
  Number number;
  bool good = map.mapOptional(key, number);
  to = number.value;
  return good;
}

/// Sizes by their names, which make the case's text.
bool readSizes(json::ObjectMapper &map, MeasuredCase &measured) {
  std::map<std::string, double> sizes;
  if (!map.mapOptional("sizes", sizes))
    return false;
  if (!sizes.empty())
    measured.sizes.assign(sizes.begin(), sizes.end());
  for (const auto &[name, value] : sizes)
    measured.size += (measured.size.empty() ? "" : ", ") + name + "=" +
                     llvm::formatv("{0}", json::Value(value)).str();
  return true;
}

bool readCounters(json::ObjectMapper &map, MeasuredRow &row) {
  std::optional<CounterSums> sums;
  if (!map.map("counters", sums))
    return false;
  auto add = [&](const char *name, const Number &loads, const Number &stores) {
    row.add(name, loads.value.value_or(0) + stores.value.value_or(0));
  };
  if (sums) {
    add("requests", sums->globalLoad.requests, sums->globalStore.requests);
    add("sectors", sums->globalLoad.sectors, sums->globalStore.sectors);
    add("wavefronts", sums->sharedLoad.wavefronts, sums->sharedStore.wavefronts);
  }
  return true;
}

//===----------------------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------------------===//

/// Whether an object has one of these keys.
bool hasOneOf(const json::Value &value, std::initializer_list<StringRef> keys) {
  const json::Object *object = value.getAsObject();
  return object && llvm::any_of(keys, [&](StringRef key) { return object->get(key); });
}

/// Each function returns whether what it reads is well-formed, after a report.
class Reader {
public:
  Reader(Measurements &all, MeasuredFile described) : into(all), number(all.files.size()) {
    into.files.push_back(std::move(described));
  }

  bool readBench(const json::Value &top, json::Path path);
  bool readTuning(const json::Value &top, json::Path path);
  bool readDatabase(const json::Value &top, json::Path path);
  bool readComparison(const json::Value &top, json::Path path);
  bool readPredictions(const json::Value &top, json::Path path);

private:
  bool readBenchRow(const json::Value &value, json::Path path, const std::string &kernels,
                    bool isSeveral);
  bool readCandidate(const json::Value &value, json::Path path, size_t which, bool isTimed);
  bool readRecord(const json::Value &value, json::Path path);
  bool readCompared(const json::Value &value, json::Path path);
  bool readPrediction(const json::Value &value, json::Path path);
  void addTimes(const std::map<std::string, double> &times, size_t which, const char *reason);

  /// Calls `read(element, path)` for the elements of a list.
  template <typename Read>
  static bool forEach(const json::Value &top, StringRef key, json::Path path, Read read) {
    return readElements(top.getAsObject()->get(key), path.field(key), read);
  }

  MeasuredFile &file() { return into.files[number]; }
  MeasuredRow &addRow(size_t which) {
    MeasuredRow &row = into.rows.emplace_back();
    row.which = which;
    row.file = number;
    return row;
  }

  Measurements &into;
  size_t number;
};

/// "tilec_matmul_persistent_128x256x64_w8_s3": who made it, and what its name says of it.
void readName(StringRef name, MeasuredRow &row) {
  auto [provider, configuration] = name.split('_');
  row.provider = provider.str();
  row.configuration = configuration.str();
  std::string rest;
  llvm::SmallVector<StringRef> words;
  configuration.split(words, '_', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    constexpr std::pair<char, const char *> options[] = {
        {'w', "num_warps"}, {'s', "num_stages"}, {'c', "num_ctas"}, {'p', "programs"}};
    const auto *option = llvm::find_if(options, [&](auto known) {
      return word.size() > 1 && word[0] == known.first &&
             llvm::all_of(word.drop_front(), llvm::isDigit);
    });
    if (option != std::end(options))
      row.parameters.emplace_back(option->second, word.drop_front().str());
    else
      rest += (rest.empty() ? "" : "_") + word.str();
  }
  if (!rest.empty())
    row.parameters.insert(row.parameters.begin(), {"block", rest});
}

} // namespace

bool Reader::readBenchRow(const json::Value &value, json::Path path, const std::string &kernels,
                          bool isSeveral) {
  json::ObjectMapper map(value, path);
  std::string kernel;
  MeasuredCase measured;
  if (!map || !map.map("kernel", kernel) || !map.mapOptional("size", measured.size))
    return false;
  readSize(measured);
  if (!readSizes(map, measured) || !readNumber(map, "bytes", measured.bytes) ||
      !readNumber(map, "flops", measured.flops))
    return false;
  if (!hasOneOf(value, {"medianUs", "counters", "predictedUs", "error"})) {
    path.report("expected 'medianUs', 'counters', 'predictedUs' or 'error'");
    return false;
  }
  measured.kernel = isSeveral ? kernels : kernel;
  MeasuredRow &row = addRow(into.caseOf(std::move(measured)));
  row.provider = isSeveral ? kernel : "tilec";
  Texts constants;
  if (!map.mapOptional("provider", row.provider) ||
      !map.mapOptional("configuration", row.configuration) ||
      !map.mapOptional("constants", constants))
    return false;
  row.parameters = std::move(constants.list);
  if (!readNumbers(map, launchOptions, [&](const char *name, double count) {
        row.parameters.emplace_back(name, std::to_string(int64_t(count)));
      }))
    return false;
  if (hasOneOf(value, {"error"})) {
    row.state = "failed";
    return map.map("error", row.reason);
  }
  auto add = [&](const char *name, double measurement) { row.add(name, measurement); };
  return readNumbers(map, benchValues, add) && readCode(map, row) && readCounters(map, row) &&
         map.mapOptional("samplesUs", row.samples);
}

/// Kernels that a command named together are beside each other.
bool Reader::readBench(const json::Value &top, json::Path path) {
  file().kind = "bench";
  std::vector<std::string> kernels;
  if (const json::Array *rows = top.getAsObject()->getArray("rows"))
    for (const json::Value &row : *rows)
      if (const json::Object *object = row.getAsObject()) {
        std::string kernel = object->getString("kernel").value_or("").str();
        if (!llvm::is_contained(kernels, kernel))
          kernels.push_back(std::move(kernel));
      }
  bool isTogether = kernels.size() > 1 && hasOneOf(top, {"simulated"});
  return forEach(top, "rows", path, [&](const json::Value &row, json::Path at) {
    return readBenchRow(row, at, llvm::join(kernels, ", "), isTogether);
  });
}

bool Reader::readCandidate(const json::Value &value, json::Path path, size_t which, bool isTimed) {
  json::ObjectMapper map(value, path);
  MeasuredRow &row = addRow(which);
  row.provider = "tilec";
  Config config;
  if (!map || !map.map("state", row.state) || !map.mapOptional("reason", row.reason) ||
      !map.map("config", config))
    return false;
  row.parameters = std::move(config.parameters);
  if (!llvm::is_contained({"measured", "same", "pruned", "failed", "waiting"}, row.state)) {
    path.field("state").report("expected measured, same, pruned, failed or waiting");
    return false;
  }
  if (row.state == "measured" && !hasOneOf(value, {"cost"})) {
    path.field("cost").report("missing value");
    return false;
  }
  return readValue(map, {"cost", isTimed ? "time" : "cost"}, row) &&
         readValue(map, {"predicted", "predicted"}, row) &&
         readValue(map, {"bound", "bound"}, row) && readCode(map, row) &&
         map.mapOptional("samplesUs", row.samples);
}

bool Reader::readTuning(const json::Value &top, json::Path path) {
  file().kind = "tuning";
  json::ObjectMapper map(top, path);
  MeasuredCase measured;
  std::string unit;
  if (!map || !map.map("kernel", measured.kernel) || !map.mapOptional("unit", unit))
    return false;
  size_t which = into.caseOf(std::move(measured));
  return forEach(top, "candidates", path, [&](const json::Value &candidate, json::Path at) {
    return readCandidate(candidate, at, which, unit == "us");
  });
}

bool Reader::readRecord(const json::Value &value, json::Path path) {
  json::ObjectMapper map(value, path);
  MeasuredCase measured;
  std::string device, unit;
  Config config;
  if (!map || !map.map("kernel", measured.kernel) || !readSizes(map, measured) ||
      !map.mapOptional("device", device) || !map.mapOptional("unit", unit) ||
      !map.map("config", config))
    return false;
  if (file().device.empty())
    file().device = device;
  MeasuredRow &row = addRow(into.caseOf(std::move(measured)));
  row.provider = "tilec";
  row.parameters = std::move(config.parameters);
  return readValue(map, {"cost", unit == "us" ? "time" : "cost"}, row);
}

bool Reader::readDatabase(const json::Value &top, json::Path path) {
  file().kind = "database";
  return forEach(top, "records", path,
                 [&](const json::Value &record, json::Path at) { return readRecord(record, at); });
}

/// Times by the name of what was measured.
void Reader::addTimes(const std::map<std::string, double> &times, size_t which,
                      const char *reason) {
  for (const auto &[name, time] : times) {
    MeasuredRow &row = addRow(which);
    readName(name, row);
    row.reason = reason;
    row.add("time", time);
  }
}

bool Reader::readCompared(const json::Value &value, json::Path path) {
  json::ObjectMapper map(value, path);
  MeasuredCase measured;
  std::map<std::string, double> times, sampled;
  if (!map || !map.map("kernel", measured.kernel) || !map.map("size", measured.size) ||
      !readNumber(map, "bytes", measured.bytes) || !readNumber(map, "flops", measured.flops) ||
      !map.map("microseconds", times) || !map.mapOptional("sampled", sampled))
    return false;
  readSize(measured);
  size_t which = into.caseOf(std::move(measured));
  addTimes(times, which, "");
  // Those that were measured better are there already.
  for (const auto &better : times)
    sampled.erase(better.first);
  addTimes(sampled, which, "measured with few repeats only");
  return true;
}

bool Reader::readComparison(const json::Value &top, json::Path path) {
  file().kind = "comparison";
  return forEach(top, "rows", path,
                 [&](const json::Value &row, json::Path at) { return readCompared(row, at); });
}

bool Reader::readPrediction(const json::Value &value, json::Path path) {
  json::ObjectMapper map(value, path);
  std::string launch, configuration;
  if (!map || !map.map("launch", launch) || !map.map("configuration", configuration))
    return false;
  auto [kernel, size] = StringRef(launch).split(' ');
  MeasuredCase measured;
  measured.kernel = kernel.str();
  measured.size = size.str();
  readSize(measured);
  MeasuredRow &row = addRow(into.caseOf(std::move(measured)));
  readName(configuration, row);
  return readValue(map, {"measured", "time"}, row) &&
         readValue(map, {"predicted", "predicted"}, row);
}

bool Reader::readPredictions(const json::Value &top, json::Path path) {
  file().kind = "predictions";
  return forEach(top, "rows", path,
                 [&](const json::Value &row, json::Path at) { return readPrediction(row, at); });
}

void readSize(MeasuredCase &measured) {
  llvm::SmallVector<StringRef> words, rest;
  std::string text = measured.size;
  llvm::replace(text, '_', ' ');
  StringRef(text).split(words, ' ', -1, /*KeepEmpty=*/false);
  auto add = [&](StringRef name, StringRef digits) {
    double value = 0;
    if (!digits.getAsDouble(value))
      measured.sizes.emplace_back(name.str(), value);
  };
  for (StringRef word : words) {
    llvm::SmallVector<StringRef> sizes;
    word.split(sizes, 'x');
    if (measured.sizes.empty() && llvm::all_of(sizes, [](StringRef size) {
          return !size.empty() && llvm::all_of(size, llvm::isDigit);
        })) {
      constexpr const char *names[][3] = {{"n"}, {"rows", "columns"}, {"M", "N", "K"}};
      for (auto [i, size] : llvm::enumerate(sizes))
        add(sizes.size() <= 3 ? names[sizes.size() - 1][i] : "size " + std::to_string(i + 1), size);
      continue;
    }
    // "b4h32" names its numbers by letters; "bf16" is a type.
    constexpr const char *types[] = {"bf16", "fp16", "fp32", "fp64", "tf32", "fp8",
                                     "e4m3", "e5m2", "i8",   "u8",   "i16",  "i32",
                                     "i64",  "int8", "int4", "f16",  "f32",  "f64"};
    bool isNamed = llvm::isAlpha(word.front()) && llvm::isDigit(word.back()) &&
                   !llvm::is_contained(types, word) && llvm::all_of(word, llvm::isAlnum);
    if (!isNamed) {
      rest.push_back(word);
      continue;
    }
    while (!word.empty()) {
      StringRef name = word.take_while(llvm::isAlpha), digits = word.drop_front(name.size());
      digits = digits.take_while(llvm::isDigit);
      add(name, digits);
      word = word.drop_front(name.size() + digits.size());
    }
  }
  measured.variant = llvm::join(rest, " ");
}

llvm::Error addMeasurements(Measurements &into, const std::string &name, StringRef text) {
  auto fail = [&](const llvm::Twine &message) {
    return llvm::createStringError("'" + name + "': " + message);
  };
  size_t before = into.rows.size();
  auto finish = [&] {
    return into.rows.size() == before ? fail("it has no measurements") : llvm::Error::success();
  };
  if (StringRef(name).ends_with_insensitive(".csv")) {
    llvm::Error error = addTable(into, name, text);
    return error ? fail(llvm::toString(std::move(error))) : finish();
  }
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value)
    return fail(llvm::toString(value.takeError()));
  bool isTuning = hasOneOf(*value, {"candidates"}), isDatabase = hasOneOf(*value, {"tilecTuning"});
  const json::Array *rows =
      hasOneOf(*value, {"rows"}) ? value->getAsObject()->getArray("rows") : nullptr;
  if (!isTuning && !isDatabase && !rows)
    return fail(
        "no measurements: expected what 'tilec bench --json' or 'tilec tune --json' prints, "
        "a tuning database, or a result of tools/bench");
  json::Path::Root root;
  json::ObjectMapper map(*value, root);
  MeasuredFile described;
  std::string predicted;
  Texts settings;
  if (!map.mapOptional("device", described.device) || !map.mapOptional("predictedFor", predicted) ||
      !fromJSON(*value, settings, root))
    return fail(describeJsonError(root, *value));
  described.name = name;
  described.settings = std::move(settings.list);
  StringRef gpuName = predicted.empty() ? StringRef(described.device) : StringRef(predicted);
  if (const GpuLimits *gpu = findGpu(gpuName.split(" (").first, ""); gpuName.starts_with(gpu->name))
    described.gpu = gpu;
  Reader reader(into, std::move(described));
  auto isFirst = [&](StringRef key, StringRef other) {
    return rows && !rows->empty() && hasOneOf(rows->front(), {key}) &&
           hasOneOf(rows->front(), {other});
  };
  auto read = isTuning                          ? &Reader::readTuning
              : isDatabase                      ? &Reader::readDatabase
              : isFirst("microseconds", "size") ? &Reader::readComparison
              : isFirst("launch", "predicted")  ? &Reader::readPredictions
                                                : &Reader::readBench;
  return (reader.*read)(*value, root) ? finish() : fail(describeJsonError(root, *value));
}

} // namespace tilec::explain
