// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Differences.h.

#include "tilec/Explain/Differences.h"

#include "tilecrt/sim/SimAbi.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <map>
#include <tuple>

using llvm::StringRef;
namespace abi = tilecrt::sim::abi;

namespace tilec::explain {

namespace {

/// Smaller changes are nobody's concern: of the time, and of a counter.
constexpr double leastTimeShare = 0.005, leastFactor = 0.02;
/// Of each group, for a terminal.
constexpr size_t mostShown = 5;

using Named = std::vector<std::pair<const char *, double>>;

Named countersOf(const Report &report) {
  const tilecrt::sim::Counters &c = report.totals.counters;
  auto classOf = [&](abi::InstructionClass kind) { return double(c.instructions[kind]); };
  return {{"requests of global loads", double(c.globalLoadRequests)},
          {"sectors of global loads", double(c.globalLoadSectors)},
          {"requests of global stores", double(c.globalStoreRequests)},
          {"sectors of global stores", double(c.globalStoreSectors)},
          {"bytes of tensor copies", double(c.bulkLoadBytes + c.bulkStoreBytes)},
          {"wavefronts of shared loads", double(c.sharedLoadWavefronts)},
          {"wavefronts of shared stores", double(c.sharedStoreWavefronts)},
          {"asynchronous copies", double(c.asyncCopies)},
          {"global atomics", double(c.globalAtomics)},
          {"atomics on one address", double(report.totals.hottest.all())},
          {"shared atomics", double(c.sharedAtomics)},
          {"shuffles", double(c.shuffles)},
          {"barriers", double(c.barriers)},
          {"multiply-adds of dots", double(c.multiplyAdds)},
          {"integer instructions", classOf(abi::ClassInteger)},
          {"float instructions", classOf(abi::ClassFloat)},
          {"special functions", classOf(abi::ClassSpecial)},
          {"bytes read", double(report.readFootprint)},
          {"bytes written", double(report.writtenFootprint)}};
}

Named resourcesOf(const Report &report) {
  const Resources &resources = report.resources;
  Named known = {
      {"shared bytes", double(resources.staticSharedBytes + resources.dynamicSharedBytes)},
      {"programs", double(report.launch.programs)},
      {"threads of a CTA", double(report.launch.threadsPerCta)},
      {"CTAs on a multiprocessor", double(report.occupancy.ctas)},
      {"warps on a multiprocessor", double(report.occupancy.warps)},
      {"waves", report.waves.count}};
  for (auto [name, value] : {std::pair("registers", resources.registers),
                             std::pair("spilled bytes", resources.spillBytes),
                             std::pair("local bytes of a thread", resources.localBytes)})
    if (value)
      known.emplace_back(name, double(*value));
  return known;
}

/// Differences of what both know: values by name.
std::vector<Difference> pairUp(const char *group, const Named &here, const Named &there) {
  std::vector<Difference> list;
  for (const auto &[name, value] : here)
    for (const auto &[other, beside] : there)
      if (StringRef(name) == other)
        list.push_back({group, name, "", value, beside});
  return list;
}

/// Instructions of the code by their classes, where both have code.
std::vector<Difference> codeDifferences(const Report &here, const Report &there) {
  if (!here.code || !there.code)
    return {};
  // In the order of the first one's classes, then of the other's.
  std::vector<Difference> list = {{"code", "instructions", "", double(here.code->instructions),
                                   double(there.code->instructions)}};
  for (const Code::Class &kind : here.code->classes)
    list.push_back({"code", kind.text, "", double(kind.count), 0});
  for (const Code::Class &kind : there.code->classes) {
    auto known = llvm::find_if(list, [&](const auto &other) { return other.name == kind.text; });
    if (known == list.end())
      known = list.insert(list.end(), {"code", kind.text, "", 0, 0});
    known->there = double(kind.count);
  }
  return list;
}

/// How many times more or less, whichever way.
double factorOf(const Difference &difference) {
  double least = std::min(std::abs(difference.here), std::abs(difference.there));
  double most = std::max(std::abs(difference.here), std::abs(difference.there));
  return most == 0 ? 1 : least == 0 ? HUGE_VAL : most / least;
}

/// The lines of a report by what tells them apart.
class LineKeys {
public:
  LineKeys(const Report &given, bool isOneText) : report(given), byNumber(isOneText) {}

  std::string keyOf(const SourceLine &line) const {
    const SourceFile &file = report.files[line.file];
    std::string text = StringRef(file.textOf(line.line)).trim().str();
    return byNumber ? file.name + ":" + std::to_string(line.line) : text;
  }
  std::string nameOf(const SourceLine &line) const {
    const SourceFile &file = report.files[line.file];
    return file.name + ":" + std::to_string(line.line) + "  " +
           StringRef(file.textOf(line.line)).trim().str();
  }

private:
  const Report &report;
  bool byNumber;
};

bool haveOneText(const Report &here, const Report &there) {
  return llvm::equal(here.files.front().lines, there.files.front().lines);
}

/// What lines are compared by: the most telling that both reports know of.
enum class LineValue { PredictedTime, MeasuredTime, Instructions };

bool isSampled(const Report &report) {
  return report.samples && report.samples->count != 0 && report.time.measured;
}

std::optional<LineValue> lineValueOf(const Report &here, const Report &there) {
  if (here.isCounted && there.isCounted)
    return LineValue::PredictedTime;
  if (isSampled(here) && isSampled(there))
    return LineValue::MeasuredTime;
  return here.code && there.code ? std::optional(LineValue::Instructions) : std::nullopt;
}

/// Of a line itself, without what it calls.
double valueOf(const Report &report, const SourceLine &line, LineValue value) {
  switch (value) {
  case LineValue::PredictedTime:
    return line.share > 0 ? line.time * line.selfShare / line.share : 0;
  case LineValue::MeasuredTime:
    return *report.time.measured * double(line.samples) / double(report.samples->count);
  case LineValue::Instructions:
    break;
  }
  double all = 0;
  for (auto [kind, count] : llvm::zip(report.code->classes, line.code))
    all += kind.name == "exchange" ? 0 : double(count);
  return all;
}

std::vector<Difference> lineDifferences(const Report &here, const Report &there, LineValue value) {
  bool isOneText = haveOneText(here, there);
  LineKeys keysHere(here, isOneText), keysThere(there, isOneText);
  std::map<std::string, Difference> byKey;
  auto add = [&](const Report &report, const LineKeys &keys, double Difference::*side) {
    for (const SourceLine &line : report.lines) {
      double own = valueOf(report, line, value);
      if (own <= 0)
        continue;
      Difference &difference = byKey[keys.keyOf(line)];
      difference.group = "line";
      difference.unit = value == LineValue::Instructions ? "" : "us";
      if (difference.name.empty())
        difference.name = keys.nameOf(line);
      difference.*side += own;
    }
  };
  add(here, keysHere, &Difference::here);
  add(there, keysThere, &Difference::there);
  std::vector<Difference> list;
  for (auto &[key, difference] : byKey)
    list.push_back(std::move(difference));
  return list;
}

std::vector<Difference> termDifferences(const Report &here, const Report &there) {
  std::vector<Difference> terms;
  for (const TimeTerm &term : here.time.terms)
    terms.push_back({"term", term.name, "us", term.time, 0});
  for (const TimeTerm &term : there.time.terms) {
    auto known = llvm::find_if(terms, [&](const auto &other) { return other.name == term.name; });
    if (known == terms.end())
      terms.push_back({"term", term.name, "us", 0, term.time});
    else
      known->there = term.time;
  }
  return terms;
}

/// How the differences of a group are ranked.
enum class Ranking { Change, Factor };

} // namespace

std::vector<Difference> findDifferences(const Report &here, const Report &there) {
  bool areCounted = here.isCounted && there.isCounted;
  std::vector<Difference> all;
  if (areCounted)
    all.push_back({"time", "predicted", "us", here.time.predicted, there.time.predicted});
  if (here.time.measured && there.time.measured)
    all.push_back({"time", "measured", "us", *here.time.measured, *there.time.measured});
  if (!areCounted && here.time.measuredWarm && there.time.measuredWarm)
    all.push_back(
        {"time", "measured, warm cache", "us", *here.time.measuredWarm, *there.time.measuredWarm});
  double leastTime = 0;
  if (!all.empty())
    leastTime = leastTimeShare * std::max(all.front().here, all.front().there);
  // Sorts a group, drops what is nearly the same and appends the rest.
  auto append = [&](std::vector<Difference> group, Ranking ranking) {
    bool byChange = ranking == Ranking::Change;
    llvm::erase_if(group, [&](const Difference &difference) {
      return difference.unit == "us" ? std::abs(difference.change()) < leastTime
                                     : factorOf(difference) < 1 + leastFactor;
    });
    llvm::sort(group, [&](const Difference &a, const Difference &b) {
      double first = byChange ? std::abs(a.change()) : factorOf(a);
      double second = byChange ? std::abs(b.change()) : factorOf(b);
      return std::tie(second, a.name) < std::tie(first, b.name);
    });
    llvm::append_range(all, group);
  };
  if (areCounted) {
    append(termDifferences(here, there), Ranking::Change);
    append(pairUp("counter", countersOf(here), countersOf(there)), Ranking::Factor);
  }
  append(pairUp("resource", resourcesOf(here), resourcesOf(there)), Ranking::Factor);
  append(codeDifferences(here, there), Ranking::Change);
  if (std::optional<LineValue> value = lineValueOf(here, there))
    append(lineDifferences(here, there, *value), Ranking::Change);
  return all;
}

static std::string valueText(const Difference &difference, double value) {
  if (difference.unit == "us")
    return llvm::formatv("{0:F1} us", value);
  return value == std::floor(value) ? llvm::formatv("{0:F0}", value).str()
                                    : llvm::formatv("{0:F2}", value).str();
}

static std::string changeText(const Difference &difference) {
  if (difference.unit == "us" && difference.group != "time")
    return llvm::formatv("{0}{1:F1} us", difference.change() > 0 ? "+" : "", difference.change());
  if (difference.here == 0 || difference.there == 0)
    return "";
  return llvm::formatv("x {0:F2}", difference.there / difference.here);
}

/// "BLOCK=1024, numWarps=4".
static std::string configurationOf(const Report &report) {
  std::string text = report.kernel + ":";
  auto add = [&](StringRef name, StringRef value) {
    text += (StringRef(text).ends_with(":") ? " " : ", ") + name.str() + "=" + value.str();
  };
  for (const Argument &argument : report.launch.arguments)
    if (argument.kind == Argument::Kind::Constant)
      add(argument.name, argument.value);
  for (const auto &[name, value] : report.options)
    add(name, value);
  if (report.compiler != "tilec")
    text += " by " + compilerText(report);
  return text + " on an " + StringRef(report.gpu->name).str();
}

/// What both kernels have written, for a terminal.
static std::string describeOutputs(const std::vector<OutputDifference> &outputs) {
  std::string text;
  for (const OutputDifference &array : outputs) {
    std::string what =
        array.different == 0
            ? llvm::formatv("all {0} elements are the same", array.elements).str()
            : llvm::formatv("{0} of {1} elements differ, by at most {2} ({3} of the value)",
                            array.different, array.elements, llvm::format("%.3g", array.largest),
                            llvm::format("%.3g", array.largestRelative))
                  .str();
    text += llvm::formatv("{0,-10}{1}: {2}\n", text.empty() ? "output" : "", array.name, what);
  }
  return text;
}

std::string describeDifferences(const Report &here, const Report &there) {
  std::string text = "this      " + configurationOf(here) + "\nagainst   " +
                     configurationOf(there) + "\n" + "          " + there.verdict.text + "\n";
  std::string group;
  size_t number = 0;
  for (const Difference &difference : findDifferences(here, there)) {
    number = difference.group == group ? number + 1 : 0;
    if (number >= mostShown)
      continue;
    text += llvm::formatv(
        "{0,-10}{1,12} {2,12} {3,11}  {4}\n", difference.group == group ? "" : difference.group,
        valueText(difference, difference.here), valueText(difference, difference.there),
        changeText(difference), difference.name);
    group = difference.group;
  }
  if (there.outputs)
    text += describeOutputs(*there.outputs);
  return text;
}

} // namespace tilec::explain
