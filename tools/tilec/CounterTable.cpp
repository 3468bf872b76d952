// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites of one source place are added up: an access that was split into vectors is one line.

#include "CounterTable.h"

#include "tilecrt/sim/SimAbi.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <tuple>

using namespace tilecrt::sim;

namespace tilec::tool {

namespace {

/// One kind of memory access: requests of warps and what each costs.
struct AccessCounts {
  llvm::StringRef name;
  /// "sectors" of 32 bytes in global memory, "wavefronts" in shared memory.
  llvm::StringRef unit;
  uint64_t requests;
  uint64_t transactions;
  uint64_t ideal;
  uint64_t bytes;
};

std::vector<AccessCounts> accessesOf(const Counters &c) {
  std::vector<AccessCounts> all = {
      {"global load", "sectors", c.globalLoadRequests, c.globalLoadSectors,
       c.globalLoadIdealSectors, c.globalLoadBytes},
      {"global store", "sectors", c.globalStoreRequests, c.globalStoreSectors,
       c.globalStoreIdealSectors, c.globalStoreBytes},
      {"shared load", "wavefronts", c.sharedLoadRequests, c.sharedLoadWavefronts,
       c.sharedLoadIdealWavefronts, c.sharedLoadBytes},
      {"shared store", "wavefronts", c.sharedStoreRequests, c.sharedStoreWavefronts,
       c.sharedStoreIdealWavefronts, c.sharedStoreBytes},
  };
  llvm::erase_if(all, [](const AccessCounts &access) { return access.requests == 0; });
  return all;
}

using NamedCount = std::pair<llvm::StringRef, uint64_t>;

std::vector<NamedCount> operationsOf(const Counters &c) {
  std::vector<NamedCount> all = {
      {"shuffles", c.shuffles},
      {"votes", c.votes},
      {"reduxes", c.reduxes},
      {"barriers", c.barriers},
      {"warp barriers", c.warpBarriers},
      {"fences", c.fences},
      {"global atomics", c.globalAtomics},
      {"shared atomics", c.sharedAtomics},
  };
  llvm::erase_if(all, [](const NamedCount &count) { return count.second == 0; });
  return all;
}

std::vector<NamedCount> instructionsOf(const Counters &c) {
  static constexpr llvm::StringLiteral names[] = {
      "integer", "float", "special", "convert", "control", "tensor", "memory", "other", "multiply"};
  static_assert(std::size(names) == abi::NumInstructionClasses, "one name per class");
  std::vector<NamedCount> all;
  for (size_t i = 0; i < std::size(names); ++i)
    if (c.instructions[i] != 0)
      all.emplace_back(names[i], c.instructions[i]);
  return all;
}

/// File, line, column, operation.
using Place = std::tuple<std::string, int, int, std::string>;

/// Counters by place, in source order; what has no place comes last.
std::vector<std::pair<Place, Counters>> countersByPlace(const RunOutcome &outcome) {
  std::map<Place, Counters> known;
  Counters unknown;
  const std::vector<Counters> &counters = outcome.launch.siteCounters;
  for (size_t i = 0; i < counters.size(); ++i) {
    if (counters[i].empty())
      continue;
    bool hasPlace = i < outcome.sites.size() && outcome.sites[i].line > 0;
    if (!hasPlace) {
      unknown += counters[i];
      continue;
    }
    const Site &site = outcome.sites[i];
    known[{site.file, site.line, site.col, site.what}] += counters[i];
  }
  std::vector<std::pair<Place, Counters>> list(known.begin(), known.end());
  if (!unknown.empty())
    list.push_back({{"", 0, 0, ""}, unknown});
  return list;
}

std::string placeText(const Place &place) {
  const auto &[file, line, column, what] = place;
  return line == 0 ? "(no place)"
                   : llvm::formatv("{0}:{1}",
                                   llvm::StringRef(file).rsplit('/').second.empty()
                                       ? llvm::StringRef(file)
                                       : llvm::StringRef(file).rsplit('/').second,
                                   line)
                         .str();
}

llvm::StringRef sourceLine(const Place &place, const SourceManager &sources) {
  for (unsigned id = 1; id <= sources.getNumBuffers(); ++id)
    if (const SourceBuffer *buffer = sources.getBuffer(FileId(id));
        buffer->getName() == std::get<0>(place))
      return buffer->getLine(unsigned(std::get<1>(place))).trim().take_front(60);
  return "";
}

std::string accessRow(llvm::StringRef place, const AccessCounts &access, llvm::StringRef source) {
  double each = double(access.transactions) / double(access.requests);
  double ideal = double(access.ideal) / double(access.requests);
  return llvm::formatv("  {0,-20} {1,-13}{2,10} {3,11} {4,-10} {5,9:F2} {6,9:F2} {7,13}  {8}",
                       place, access.name, access.requests, access.transactions, access.unit, each,
                       ideal, access.bytes, source)
      .str();
}

void addLine(std::string &text, llvm::StringRef line) { text += line.rtrim().str() + "\n"; }

void addCounts(std::string &text, llvm::StringRef title, const std::vector<NamedCount> &counts) {
  if (counts.empty())
    return;
  text += title.str() + ":";
  for (const auto &[name, count] : counts)
    text += llvm::formatv("{0} {1} {2}", &name == &counts.front().first ? "" : ",", name, count);
  text += "\n";
}

llvm::json::Object toJson(const Counters &counters) {
  llvm::json::Object object;
  for (const AccessCounts &access : accessesOf(counters))
    object[access.name] = llvm::json::Object{{"requests", int64_t(access.requests)},
                                             {access.unit, int64_t(access.transactions)},
                                             {"ideal", int64_t(access.ideal)},
                                             {"bytes", int64_t(access.bytes)}};
  for (const auto &[name, count] : operationsOf(counters))
    object[name] = int64_t(count);
  llvm::json::Object instructions;
  for (const auto &[name, count] : instructionsOf(counters))
    instructions[name] = int64_t(count);
  if (!instructions.empty())
    object["instructions"] = std::move(instructions);
  return object;
}

} // namespace

std::string printCounters(const RunOutcome &outcome, const SourceManager &sources) {
  std::string text;
  addLine(text, llvm::formatv("  {0,-20} {1,-13}{2,10} {3,11} {4,-10} {5,9} {6,9} {7,13}", "place",
                              "access", "requests", "cost", "", "a request", "ideal", "bytes")
                    .str());
  for (const auto &[place, counters] : countersByPlace(outcome))
    for (const AccessCounts &access : accessesOf(counters))
      addLine(text, accessRow(placeText(place), access, sourceLine(place, sources)));
  const Counters &totals = outcome.launch.totals;
  for (const AccessCounts &access : accessesOf(totals))
    addLine(text, accessRow("all", access, ""));
  addCounts(text, "operations", operationsOf(totals));
  addCounts(text, "instructions (threads)", instructionsOf(totals));
  return text;
}

llvm::json::Object countersToJson(const RunOutcome &outcome) {
  llvm::json::Array sites;
  for (const auto &[place, counters] : countersByPlace(outcome)) {
    llvm::json::Object object = toJson(counters);
    object["file"] = std::get<0>(place);
    object["line"] = std::get<1>(place);
    object["column"] = std::get<2>(place);
    object["what"] = std::get<3>(place);
    sites.push_back(std::move(object));
  }
  return llvm::json::Object{{"totals", totalsToJson(outcome)}, {"sites", std::move(sites)}};
}

llvm::json::Object totalsToJson(const RunOutcome &outcome) { return toJson(outcome.launch.totals); }

} // namespace tilec::tool
