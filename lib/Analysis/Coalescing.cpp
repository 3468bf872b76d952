// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sectors are counted by enumerating the lanes of one warp. Reasons are tried in an order: what an
// argument could change, then what the addresses, the mask and the layout say.

#include "tilec/Analysis/Coalescing.h"

#include "tilec/Analysis/SourceNames.h"
#include "tilec/Layout/TensorLayouts.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static constexpr int64_t kSectorBytes = 32;

//===----------------------------------------------------------------------===//
// Sectors
//===----------------------------------------------------------------------===//

namespace {
/// Where a lane's vector is: a place that only equal places are near to, and bytes within it.
using LanePlace = std::pair<std::vector<int64_t>, int64_t>;
} // namespace

static LanePlace placeOf(ArrayRef<int32_t> coords, ArrayRef<AddressStep> steps,
                         const AxisInfo &info) {
  LanePlace place;
  for (auto [dim, coord] : llvm::enumerate(coords)) {
    const AddressStep &step = steps[dim];
    if (step.isConstant()) {
      place.second += step.constant * coord;
    } else if (step.isKnown) {
      place.first.push_back(coord);
    } else if (info.contiguity[dim] > 1) {
      place.first.push_back(coord / info.contiguity[dim]);
      place.second += coord % info.contiguity[dim] * info.unit;
    } else {
      place.first.push_back(coord / info.constancy[dim]);
    }
  }
  return place;
}

SectorCount tilec::countSectors(const LinearLayout &layout, AccessVector vector,
                                unsigned elementBytes, ArrayRef<AddressStep> steps,
                                const AxisInfo &info) {
  std::set<LanePlace> places;
  SectorCount count;
  ArrayRef<uint64_t> bases = layout.getFlatBases(kLane);
  for (uint64_t lane = 0; lane < uint64_t(1) << bases.size(); ++lane) {
    uint64_t flat = 0;
    for (unsigned bit = 0; bit < bases.size(); ++bit)
      flat ^= lane >> bit & 1 ? bases[bit] : 0;
    places.insert(placeOf(layout.unflattenOut(flat), steps, info));
  }
  int64_t bytes = int64_t(vector.width) * elementBytes;
  count.minimum = llvm::divideCeil(places.size() * bytes, kSectorBytes);
  count.isUpperBound = llvm::any_of(
      places, [&](const LanePlace &place) { return place.first != places.begin()->first; });

  // A start at a multiple of 16 counts as one of 32: it costs one sector per request at most. Of
  // elements that are not contiguous it is not known; what is known is true of all of them.
  int64_t alignment =
      info.contiguity[vector.axis] == 1 ? kSectorBytes : info.divisibility[vector.axis];
  int64_t lastBase =
      alignment >= tile::GlobalAccessOpInterface::kFullBytes ? 0 : kSectorBytes - alignment;
  for (int64_t base = 0; base <= lastBase; base += alignment) {
    std::set<LanePlace> sectors;
    for (const auto &[place, offset] : places)
      for (int64_t byte : {base + offset, base + offset + bytes - 1})
        sectors.insert({place, byte >= 0 ? byte / kSectorBytes : ~(~byte / kSectorBytes)});
    count.isUpperBound |= base != 0 && sectors.size() != count.sectors;
    count.sectors = std::max<unsigned>(count.sectors, sectors.size());
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Hypotheses
//===----------------------------------------------------------------------===//

CoalescingAnalysis::CoalescingAnalysis(func::FuncOp function) : func(function), facts(function) {}

const AxisInfoAnalysis &CoalescingAnalysis::assuming(const std::pair<ArgumentSet, int> &key,
                                                     const AxisAssumptions &assumptions) {
  // Each question that was not asked before costs a run of the analysis.
  constexpr size_t kMaxHypotheses = 256;
  if (hypotheses.size() >= kMaxHypotheses && !hypotheses.count(key))
    return facts;
  std::unique_ptr<AxisInfoAnalysis> &analysis = hypotheses[key];
  if (!analysis)
    analysis = std::make_unique<AxisInfoAnalysis>(func, assumptions);
  return *analysis;
}

const AxisInfoAnalysis &CoalescingAnalysis::ifDivisible(const ArgumentSet &arguments) {
  AxisAssumptions assumptions;
  for (unsigned i : arguments)
    assumptions[func.getArgument(i)].divisibility = 16;
  return assuming({arguments, -1}, assumptions);
}

const AxisInfoAnalysis &CoalescingAnalysis::ifOne(unsigned argument) {
  AxisAssumptions assumptions;
  assumptions[func.getArgument(argument)].constant = 1;
  return assuming({{}, int(argument)}, assumptions);
}

/// What the address and the mask of an access are computed from.
namespace {
struct Sources {
  /// Numbers of arguments of the function, sorted.
  std::vector<unsigned> arguments;
  bool readsMemory = false;
};
} // namespace

static Sources sourcesOf(const GlobalAccess &access, func::FuncOp func) {
  Sources sources;
  llvm::SmallDenseSet<Value> seen;
  SmallVector<Value> work{access.pointer};
  if (access.mask)
    work.push_back(access.mask);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (Operation *op = value.getDefiningOp()) {
      sources.readsMemory |= isa<tile::GlobalAccessOpInterface>(op);
      llvm::append_range(work, op->getOperands());
      if (auto branch = dyn_cast<scf::IfOp>(op))
        for (Operation *yield :
             {branch.thenYield().getOperation(), branch.elseYield().getOperation()})
          llvm::append_range(work, yield->getOperands());
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    Operation *parent = argument.getOwner()->getParentOp();
    if (parent == func) {
      sources.arguments.push_back(argument.getArgNumber());
    } else if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      llvm::append_range(work, loop->getOperands());
      llvm::append_range(work, loop.getYieldedValues());
    }
  }
  llvm::sort(sources.arguments);
  return sources;
}

/// The widest vector along any axis, in whatever layout.
static unsigned widestVector(const GlobalAccess &access, const AxisInfoAnalysis &axes) {
  unsigned width = 1;
  for (unsigned axis = 0; axis < access.type.getRank(); ++axis)
    width = std::max(width, access.getMaxWidth(axis, axes));
  return width;
}

static std::string joinNames(ArrayRef<std::string> names) {
  std::string text;
  for (auto [i, name] : llvm::enumerate(names))
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + name;
  return text;
}

//===----------------------------------------------------------------------===//
// Reasons
//===----------------------------------------------------------------------===//

std::string CoalescingAnalysis::describeStep(const GlobalAccess &access, unsigned dim) {
  AddressStep step = addresses.stepsOf(access.pointer)[dim];
  if (!step.isKnown)
    return sourcesOf(access, func).readsMemory ? "the addresses are computed from loaded values"
                                               : "the addresses are not known to be contiguous";
  if (step.isConstant())
    return step.constant == 0
               ? "neighbouring elements have the same address"
               : llvm::formatv("neighbouring elements are {0} bytes apart", std::abs(step.constant))
                     .str();
  std::string name = sourceName(step.factor);
  if (name.empty() || step.constant != 0 || step.scale % int64_t(access.elementBytes) != 0)
    return "the distance of neighbouring elements is not known";
  int64_t times = std::abs(step.scale) / access.elementBytes;
  return "neighbouring elements are " + (times == 1 ? "" : std::to_string(times) + " times ") +
         name + " elements apart";
}

/// Finds a smallest set of arguments whose divisibility gives the widest vector that divisibility
/// can give, if that is more than the access has.
bool CoalescingAnalysis::explainArguments(const GlobalAccess &access, unsigned reachable,
                                          CoalescingReport &report) {
  ArgumentSet arguments;
  for (unsigned i : sourcesOf(access, func).arguments) {
    int64_t known = facts.get(func.getArgument(i)).divisibility[0];
    if (known < 16 && isa<IntegerType, tile::PtrType>(func.getArgument(i).getType()))
      arguments.push_back(i);
  }
  auto widthIf = [&](const ArgumentSet &set) {
    return std::min(reachable, widestVector(access, ifDivisible(set)));
  };
  // Each question is a run of the analysis.
  constexpr size_t kMaxArguments = 16;
  if (arguments.empty() || arguments.size() > kMaxArguments)
    return false;
  unsigned best = widthIf(arguments);
  if (best <= std::max(report.vector.width, std::min(reachable, widestVector(access, facts))))
    return false;
  for (unsigned i : ArgumentSet(arguments)) {
    ArgumentSet without = arguments;
    without.erase(llvm::find(without, i));
    if (widthIf(without) == best)
      arguments = std::move(without);
  }

  SmallVector<std::string> names;
  llvm::SmallSetVector<StringAttr, 4> types;
  for (unsigned i : arguments) {
    std::string name = sourceName(func.getArgument(i));
    names.push_back(name.empty() ? "argument " + std::to_string(i) : name);
    if (auto type = func.getArgAttrOfType<StringAttr>(i, tile::TileDialect::kTypeTextAttr))
      types.insert(type);
  }
  report.arguments.assign(arguments.begin(), arguments.end());
  report.limit = AccessLimit::Arguments;
  report.reason = joinNames(names) + (names.size() == 1 ? " is not known to be a multiple of 16"
                                                        : " are not known to be multiples of 16");
  SmallVector<std::string> typeNames;
  for (StringAttr type : types)
    typeNames.push_back(("'" + type.getValue() + ":16'").str());
  if (!types.empty())
    report.suggestion =
        llvm::formatv("the type{0} {1} {2} {3} elements", types.size() == 1 ? "" : "s",
                      joinNames(typeNames), types.size() == 1 ? "allows" : "allow", best);
  return true;
}

/// A stride that is an argument may be 1 in fact.
bool CoalescingAnalysis::explainStride(const GlobalAccess &access, unsigned axis,
                                       CoalescingReport &report) {
  for (unsigned dim = 0; dim < access.type.getRank(); ++dim) {
    auto argument = dyn_cast_or_null<BlockArgument>(addresses.stepsOf(access.pointer)[dim].factor);
    if (!argument || argument.getOwner()->getParentOp() != func ||
        !argument.getType().isSignlessInteger())
      continue;
    int64_t now = facts.get(access.pointer).contiguity[dim];
    if (ifOne(argument.getArgNumber()).get(access.pointer).contiguity[dim] <= now)
      continue;
    report.limit = AccessLimit::Stride;
    report.reason = describeStep(access, dim);
    report.suggestion = "where " + sourceName(argument) +
                        " is always 1, a constant 1 makes the addresses contiguous";
    return true;
  }
  return false;
}

void CoalescingAnalysis::explainNarrow(const GlobalAccess &access, CoalescingReport &report) {
  const AxisInfo &info = facts.get(access.pointer);
  unsigned axis = info.getFastAxis();
  int64_t full = access.fullWidth, size = access.type.getDimSize(axis);
  int64_t threads = int64_t(numWarpsOf(access.op)) * 32;
  int64_t share = std::max<int64_t>(1, access.type.getNumElements() / threads);
  // Nothing would make it wider; what there is to say is how many requests the few bytes take.
  if (report.vector.width >= share) {
    if (report.sectors.sectors > report.sectors.minimum + 1)
      return explainSpread(access, report);
    report.limit = AccessLimit::FewElements;
    report.reason = llvm::formatv("the tensor has {0} elements for {1} threads",
                                  access.type.getNumElements(), threads);
    report.suggestion = "larger blocks or fewer warps give each thread more";
    return;
  }
  if (explainArguments(access, std::min(full, share), report))
    return;
  if (info.contiguity[axis] == 1 && full > 1 && explainStride(access, axis, report))
    return;
  if (info.contiguity[axis] < full && info.contiguity[axis] == size) {
    report.limit = AccessLimit::Contiguity;
    report.reason =
        llvm::formatv("dimension {0}, along which the addresses are contiguous, has {1} "
                      "elements only",
                      axis, size);
  } else if (info.contiguity[axis] < full) {
    report.limit = AccessLimit::Contiguity;
    report.reason = info.contiguity[axis] == 1
                        ? describeStep(access, axis)
                        : llvm::formatv("only runs of {0} elements are known to be contiguous",
                                        info.contiguity[axis])
                              .str();
  } else if (info.divisibility[axis] < int64_t(full * access.elementBytes)) {
    report.limit = AccessLimit::Alignment;
    report.reason = llvm::formatv("the addresses are only known to be multiples of {0} bytes",
                                  info.divisibility[axis]);
  } else if (access.mask && facts.get(access.mask).constancy[axis] < full) {
    report.limit = AccessLimit::Mask;
    report.reason = "the mask may change inside a group of elements";
  } else {
    report.limit = AccessLimit::Layout;
    report.reason =
        "the layout comes from another operation and spreads neighbouring elements over "
        "threads";
  }
}

/// The first dimension that spreads the lanes though its step is no element.
void CoalescingAnalysis::explainSpread(const GlobalAccess &access, CoalescingReport &report) {
  const AxisInfo &info = facts.get(access.pointer);
  const LinearLayout &layout = layoutOf(access.type);
  for (unsigned dim = 0; dim < info.getRank(); ++dim) {
    AddressStep step = addresses.stepsOf(access.pointer)[dim];
    bool isNear = step.isConstant() && std::abs(step.constant) <= int64_t(access.elementBytes);
    if (maskAlongAxis(layout, kLane, dim) == 0 || isNear)
      continue;
    report.limit = AccessLimit::Contiguity;
    report.reason = llvm::formatv("a warp reaches over dimension {0}, where {1}", dim,
                                  describeStep(access, dim));
    return;
  }
  report.limit = AccessLimit::Layout;
  report.reason = "the layout comes from another operation";
}

CoalescingReport CoalescingAnalysis::study(const GlobalAccess &access) {
  CoalescingReport report;
  const LinearLayout &layout = layoutOf(access.type);
  report.vector = access.chooseVector(facts);
  report.sectors = countSectors(layout, report.vector, access.elementBytes,
                                addresses.stepsOf(access.pointer), facts.get(access.pointer));
  if (report.vector.width < access.fullWidth)
    explainNarrow(access, report);
  else if (report.sectors.sectors > report.sectors.minimum)
    explainSpread(access, report);
  return report;
}
