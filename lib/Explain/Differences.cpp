// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Differences.h.

#include "tilec/Explain/Differences.h"

#include "tilecrt/sim/SimAbi.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
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
  return {{"registers", double(resources.registers.value_or(0))},
          {"spilled bytes", double(resources.spillBytes.value_or(0))},
          {"shared bytes", double(resources.staticSharedBytes + resources.dynamicSharedBytes)},
          {"programs", double(report.launch.programs)},
          {"threads of a CTA", double(report.launch.threadsPerCta)},
          {"CTAs on a multiprocessor", double(report.occupancy.ctas)},
          {"warps on a multiprocessor", double(report.occupancy.warps)},
          {"waves", report.waves.count}};
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

std::vector<Difference> lineDifferences(const Report &here, const Report &there) {
  bool isOneText = haveOneText(here, there);
  LineKeys keysHere(here, isOneText), keysThere(there, isOneText);
  std::map<std::string, Difference> byKey;
  auto add = [&](const Report &report, const LineKeys &keys, double Difference::*side) {
    for (const SourceLine &line : report.lines) {
      double own = line.share > 0 ? line.time * line.selfShare / line.share : 0;
      if (own <= 0)
        continue;
      Difference &difference = byKey[keys.keyOf(line)];
      difference.group = "line";
      difference.unit = "us";
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

} // namespace

std::vector<Difference> findDifferences(const Report &here, const Report &there) {
  std::vector<Difference> all = {
      {"time", "predicted", "us", here.time.predicted, there.time.predicted}};
  if (here.time.measured && there.time.measured)
    all.push_back({"time", "measured", "us", *here.time.measured, *there.time.measured});
  double leastTime = leastTimeShare * std::max(here.time.predicted, there.time.predicted);
  // Sorts a group, drops what is nearly the same and appends the rest.
  auto append = [&](std::vector<Difference> group, bool isTime) {
    llvm::erase_if(group, [&](const Difference &difference) {
      return isTime ? std::abs(difference.change()) < leastTime
                    : factorOf(difference) < 1 + leastFactor;
    });
    llvm::sort(group, [&](const Difference &a, const Difference &b) {
      double first = isTime ? std::abs(a.change()) : factorOf(a);
      double second = isTime ? std::abs(b.change()) : factorOf(b);
      return std::tie(second, a.name) < std::tie(first, b.name);
    });
    llvm::append_range(all, group);
  };
  std::vector<Difference> terms, counters, resources;
  for (const TimeTerm &term : here.time.terms)
    terms.push_back({"term", term.name, "us", term.time, 0});
  for (const TimeTerm &term : there.time.terms) {
    auto known = llvm::find_if(terms, [&](const auto &other) { return other.name == term.name; });
    if (known == terms.end())
      terms.push_back({"term", term.name, "us", 0, term.time});
    else
      known->there = term.time;
  }
  append(std::move(terms), true);
  for (auto [ours, theirs] : llvm::zip(countersOf(here), countersOf(there)))
    counters.push_back({"counter", ours.first, "", ours.second, theirs.second});
  append(std::move(counters), false);
  for (auto [ours, theirs] : llvm::zip(resourcesOf(here), resourcesOf(there)))
    resources.push_back({"resource", ours.first, "", ours.second, theirs.second});
  append(std::move(resources), false);
  append(lineDifferences(here, there), true);
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
  return text + " on an " + StringRef(report.gpu->name).str();
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
  return text;
}

} // namespace tilec::explain
