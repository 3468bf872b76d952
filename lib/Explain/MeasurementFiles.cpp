// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One reader for each form of file, chosen by the keys of the outermost object. Readers take what
// is there and refuse what has another type; keys that they do not know say nothing.

#include "tilec/Explain/Measurements.h"

#include "MeasurementTables.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using llvm::StringRef;
namespace json = llvm::json;

namespace tilec::explain {
namespace {

/// An object with its place in the file, "rows[3]"; what is wrong is kept, the first time.
class Place {
public:
  Place(const json::Object &its, std::string where, std::string &error)
      : object(its), path(std::move(where)), problem(error) {}

  void fail(const llvm::Twine &message) const {
    if (problem.empty())
      problem = (path.empty() ? message : path + ": " + message).str();
  }
  bool has(StringRef key) const { return object.get(key) != nullptr; }

  std::string text(StringRef key) const {
    const json::Value *value = object.get(key);
    if (value && !value->getAsString())
      expect(key, "a text", *value);
    return value ? value->getAsString().value_or("").str() : "";
  }
  std::string requiredText(StringRef key) const {
    if (!has(key))
      fail("has no '" + key + "'");
    return text(key);
  }
  std::optional<double> number(StringRef key) const {
    const json::Value *value = object.get(key);
    if (!value || value->getAsNull())
      return std::nullopt;
    std::optional<double> number = value->getAsNumber();
    if (!number || !std::isfinite(*number))
      expect(key, "a number", *value);
    return number;
  }
  std::optional<Place> child(StringRef key) const {
    const json::Value *value = object.get(key);
    if (!value)
      return std::nullopt;
    if (!value->getAsObject())
      expect(key, "an object", *value);
    else
      return Place(*value->getAsObject(), under(key), problem);
    return std::nullopt;
  }
  /// The objects of a list.
  std::vector<Place> children(StringRef key) const {
    std::vector<Place> list;
    const json::Value *value = object.get(key);
    if (!value || !value->getAsArray()) {
      expect(key, "a list", value ? *value : json::Value(nullptr));
      return list;
    }
    size_t index = 0;
    for (const json::Value &item : *value->getAsArray()) {
      std::string where = under(key) + "[" + std::to_string(index++) + "]";
      if (const json::Object *its = item.getAsObject())
        list.emplace_back(*its, where, problem);
      else if (problem.empty())
        problem = where + " is not an object";
    }
    return list;
  }
  std::vector<double> numbers(StringRef key) const {
    std::vector<double> list;
    const json::Value *value = object.get(key);
    if (!value)
      return list;
    if (!value->getAsArray())
      expect(key, "a list", *value);
    else
      for (const json::Value &item : *value->getAsArray()) {
        if (!item.getAsNumber())
          expect(key, "a list of numbers", *value);
        list.push_back(item.getAsNumber().value_or(0));
      }
    return list;
  }
  /// Keys with their values as texts, in the order of the keys; lists and objects are left out.
  std::vector<std::pair<std::string, std::string>> texts() const {
    std::vector<std::pair<std::string, std::string>> list;
    for (const auto &[key, value] : object)
      if (std::optional<StringRef> word = value.getAsString())
        list.emplace_back(key.str(), word->str());
      else if (!value.getAsObject() && !value.getAsArray())
        list.emplace_back(key.str(), llvm::formatv("{0}", value).str());
    llvm::sort(list);
    return list;
  }
  /// The numbers of an object, by their names.
  std::vector<std::pair<std::string, double>> numberList() const {
    std::vector<std::pair<std::string, double>> list;
    for (const auto &[key, value] : object) {
      if (!value.getAsNumber())
        expect(key, "a number", value);
      list.emplace_back(key.str(), value.getAsNumber().value_or(0));
    }
    llvm::sort(list);
    return list;
  }
  void copy(StringRef key, const char *name, MeasuredRow &row) const {
    if (std::optional<double> value = number(key))
      row.add(name, *value);
  }
  /// Where something with this key stands.
  std::string under(StringRef key) const { return (path.empty() ? "" : path + ".") + key.str(); }

private:
  void expect(StringRef key, const char *what, const json::Value &got) const {
    std::string text = llvm::formatv("{0}", got);
    if (text.size() > 40)
      text = text.substr(0, 40) + "...";
    fail("'" + key + "' expects " + what + ", got " + text);
  }

  const json::Object &object;
  std::string path;
  std::string &problem;
};

/// A unit of a counter that the simulator has for loads and stores.
double sumOf(const Place &counters, StringRef memory, StringRef field) {
  double sum = 0;
  for (const char *access : {" load", " store"})
    if (std::optional<Place> part = counters.child((memory + access).str()))
      sum += part->number(field).value_or(0);
  return sum;
}

constexpr std::pair<const char *, const char *> benchValues[] = {
    {"medianUs", "time"},
    {"minUs", "min"},
    {"meanUs", "mean"},
    {"p95Us", "p95"},
    {"predictedUs", "predicted"},
    {"sectorsOverMinimum", "overMinimum"},
    {"bankConflicts", "conflicts"},
    {"findings", "findings"}};
constexpr std::pair<const char *, const char *> codeValues[] = {
    {"registers", "registers"}, {"spillBytes", "spillBytes"}, {"sharedBytes", "sharedBytes"}};
constexpr std::pair<const char *, const char *> launchOptions[] = {{"numWarps", "num_warps"},
                                                                   {"numStages", "num_stages"},
                                                                   {"numCtas", "num_ctas"},
                                                                   {"splitK", "split_k"}};

class Reader {
public:
  Reader(Measurements &all, MeasuredFile described) : into(all), number(all.files.size()) {
    into.files.push_back(std::move(described));
  }

  void readBench(const Place &top);
  void readTuning(const Place &top);
  void readDatabase(const Place &top);
  void readComparison(const Place &top);
  void readPredictions(const Place &top);

private:
  void readBenchRow(const Place &place, const std::string &kernels, bool isSeveral);
  void readCounters(const Place &place, MeasuredRow &row);
  void readCode(const Place &place, MeasuredRow &row);
  void readConfig(const Place &place, MeasuredRow &row);
  void addTimes(const Place &times, size_t which, const char *reason, const Place *longer);
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

void Reader::readCode(const Place &place, MeasuredRow &row) {
  for (auto [key, name] : codeValues)
    // Less than nothing: not known.
    if (place.number(key).value_or(-1) >= 0)
      place.copy(key, name, row);
}

void Reader::readCounters(const Place &place, MeasuredRow &row) {
  std::optional<Place> counters = place.child("counters");
  if (!counters)
    return;
  row.add("requests", sumOf(*counters, "global", "requests"));
  row.add("sectors", sumOf(*counters, "global", "sectors"));
  row.add("wavefronts", sumOf(*counters, "shared", "wavefronts"));
}

void Reader::readBenchRow(const Place &place, const std::string &kernels, bool isSeveral) {
  MeasuredCase measured;
  std::string kernel = place.requiredText("kernel");
  measured.kernel = isSeveral ? kernels : kernel;
  measured.size = place.text("size");
  readSize(measured);
  if (std::optional<Place> sizes = place.child("sizes")) {
    measured.sizes = sizes->numberList();
    for (const auto &[name, value] : measured.sizes)
      measured.size += (measured.size.empty() ? "" : ", ") + name + "=" +
                       llvm::formatv("{0}", json::Value(value)).str();
  }
  measured.bytes = place.number("bytes");
  measured.flops = place.number("flops");
  if (!place.has("error") &&
      llvm::none_of(llvm::ArrayRef<const char *>{"medianUs", "counters", "predictedUs"},
                    [&](const char *key) { return place.has(key); }))
    place.fail("has neither 'medianUs' nor 'counters' nor 'error'");
  MeasuredRow &row = addRow(into.caseOf(std::move(measured)));
  row.provider = place.has("provider") ? place.text("provider") : isSeveral ? kernel : "tilec";
  row.configuration = place.text("configuration");
  if (std::optional<Place> constants = place.child("constants"))
    row.parameters = constants->texts();
  for (auto [key, name] : launchOptions)
    if (std::optional<double> value = place.number(key))
      row.parameters.emplace_back(name, std::to_string(int64_t(*value)));
  if (place.has("error")) {
    row.state = "failed";
    row.reason = place.text("error");
    return;
  }
  for (auto [key, name] : benchValues)
    place.copy(key, name, row);
  readCode(place, row);
  readCounters(place, row);
  row.samples = place.numbers("samplesUs");
}

/// Kernels that a command named together are beside each other.
void Reader::readBench(const Place &top) {
  file().kind = "bench";
  std::vector<Place> rows = top.children("rows");
  std::vector<std::string> kernels;
  for (const Place &row : rows)
    if (std::string kernel = row.text("kernel"); !llvm::is_contained(kernels, kernel))
      kernels.push_back(std::move(kernel));
  bool isTogether = kernels.size() > 1 && top.has("simulated");
  for (const Place &row : rows)
    readBenchRow(row, llvm::join(kernels, ", "), isTogether);
}

void Reader::readConfig(const Place &place, MeasuredRow &row) {
  std::optional<Place> config = place.child("config");
  if (!config)
    return place.fail("has no 'config'");
  row.parameters = config->texts();
  if (std::optional<Place> constants = config->child("constants")) {
    auto values = constants->texts();
    row.parameters.insert(row.parameters.begin(), values.begin(), values.end());
  }
}

void Reader::readTuning(const Place &top) {
  file().kind = "tuning";
  MeasuredCase measured;
  measured.kernel = top.requiredText("kernel");
  std::string unit = top.text("unit");
  size_t which = into.caseOf(std::move(measured));
  for (const Place &place : top.children("candidates")) {
    MeasuredRow &row = addRow(which);
    row.provider = "tilec";
    row.state = place.requiredText("state");
    if (!llvm::is_contained({"measured", "same", "pruned", "failed", "waiting"}, row.state))
      place.fail("'state' expects measured, same, pruned, failed or waiting, got '" + row.state +
                 "'");
    row.reason = place.text("reason");
    readConfig(place, row);
    if (row.state == "measured" && !place.has("cost"))
      place.fail("has no 'cost'");
    place.copy("cost", unit == "us" ? "time" : "cost", row);
    place.copy("predicted", "predicted", row);
    place.copy("bound", "bound", row);
    readCode(place, row);
    row.samples = place.numbers("samplesUs");
  }
}

void Reader::readDatabase(const Place &top) {
  file().kind = "database";
  for (const Place &place : top.children("records")) {
    MeasuredCase measured;
    measured.kernel = place.requiredText("kernel");
    if (std::optional<Place> sizes = place.child("sizes"))
      measured.sizes = sizes->numberList();
    for (const auto &[name, value] : measured.sizes)
      measured.size += (measured.size.empty() ? "" : ", ") + name + "=" +
                       llvm::formatv("{0}", json::Value(value)).str();
    MeasuredRow &row = addRow(into.caseOf(std::move(measured)));
    row.provider = "tilec";
    if (file().device.empty())
      file().device = place.text("device");
    readConfig(place, row);
    place.copy("cost", place.text("unit") == "us" ? "time" : "cost", row);
  }
}

/// Times by the name of what was measured. `longer`: those that were measured better.
void Reader::addTimes(const Place &times, size_t which, const char *reason, const Place *longer) {
  for (const auto &[name, time] : times.numberList()) {
    if (longer && longer->has(name))
      continue;
    MeasuredRow &row = addRow(which);
    readName(name, row);
    row.reason = reason;
    row.add("time", time);
  }
}

void Reader::readComparison(const Place &top) {
  file().kind = "comparison";
  for (const Place &place : top.children("rows")) {
    MeasuredCase measured;
    measured.kernel = place.requiredText("kernel");
    measured.size = place.requiredText("size");
    readSize(measured);
    measured.bytes = place.number("bytes");
    measured.flops = place.number("flops");
    std::optional<Place> times = place.child("microseconds");
    if (!times)
      return place.fail("has no 'microseconds'");
    size_t which = into.caseOf(std::move(measured));
    addTimes(*times, which, "", nullptr);
    if (std::optional<Place> sampled = place.child("sampled"))
      addTimes(*sampled, which, "measured with few repeats only", &*times);
  }
}

void Reader::readPredictions(const Place &top) {
  file().kind = "predictions";
  for (const Place &place : top.children("rows")) {
    const std::string launch = place.requiredText("launch");
    auto [kernel, size] = StringRef(launch).split(' ');
    MeasuredCase measured;
    measured.kernel = kernel.str();
    measured.size = size.str();
    readSize(measured);
    MeasuredRow &row = addRow(into.caseOf(std::move(measured)));
    readName(place.requiredText("configuration"), row);
    place.copy("measured", "time", row);
    place.copy("predicted", "predicted", row);
  }
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
  std::string problem;
  const json::Object *object = value->getAsObject();
  const json::Array *list = object ? object->getArray("rows") : nullptr;
  const json::Object *first = list && !list->empty() ? list->front().getAsObject() : nullptr;
  bool isTuning = object && object->get("candidates"),
       isDatabase = object && object->get("tilecTuning");
  if (!isTuning && !isDatabase && !list)
    return fail(
        "no measurements: expected what 'tilec bench --json' or 'tilec tune --json' prints, "
        "a tuning database, or a result of tools/bench");
  Place top(*object, "", problem);
  MeasuredFile described;
  described.name = name;
  described.device = top.text("device");
  described.settings = top.texts();
  std::string predicted = top.text("predictedFor");
  StringRef gpuName = predicted.empty() ? StringRef(described.device) : StringRef(predicted);
  if (const GpuLimits *gpu = findGpu(gpuName.split(" (").first, ""); gpuName.starts_with(gpu->name))
    described.gpu = gpu;
  Reader reader(into, std::move(described));
  if (isTuning)
    reader.readTuning(top);
  else if (isDatabase)
    reader.readDatabase(top);
  else if (first && first->get("microseconds") && first->get("size"))
    reader.readComparison(top);
  else if (first && first->get("launch") && first->get("predicted"))
    reader.readPredictions(top);
  else
    reader.readBench(top);
  if (!problem.empty())
    return fail(problem);
  return finish();
}

} // namespace tilec::explain
