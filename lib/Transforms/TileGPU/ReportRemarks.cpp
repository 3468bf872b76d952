// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts into words what the analyses find in a finished kernel. Everything is a value of the
// analyses first; here are only the sentences, their numbers for programs, and the choice of what
// is worth saying.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Remarks.h"
#include "tilec/Analysis/Coalescing.h"
#include "tilec/Analysis/OffsetOverflow.h"
#include "tilec/Analysis/SourceNames.h"
#include "tilec/Layout/LayoutPrinter.h"
#include "tilec/Layout/SharedSwizzle.h"
#include "tilec/Support/RemarkCategory.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

namespace tilec {
#define GEN_PASS_DEF_TILEGPUREPORTREMARKSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
/// One remark before it is sent.
struct Finding {
  StringRef category;
  StringRef name;
  std::string text;
  std::string reason;
  std::string suggestion;
  SmallVector<std::pair<StringRef, std::string>> metrics;

  void add(StringRef metric, int64_t value) { metrics.emplace_back(metric, std::to_string(value)); }
};

struct ReportRemarks final : tilec::impl::TileGPUReportRemarksPassBase<ReportRemarks> {
  using Base::Base;
  void runOnOperation() override;

private:
  void reportAccess(const GlobalAccess &access, CoalescingAnalysis &analysis);
  void reportArguments(func::FuncOp func);
  void reportConversion(LocalStoreOp store);
  void reportBanks(Operation *op, RankedTensorType tensor, MemDescType buffer);
  void reportOverflow(const OffsetOverflow &overflow);
  void send(Location loc, const Finding &finding);

  /// What was said already; unrolled code is at the same place.
  std::set<std::tuple<const void *, std::string, std::string>> sent;
  /// For each argument, the accesses that its alignment would make wider: places and widths.
  llvm::MapVector<unsigned, llvm::SmallSetVector<Attribute, 4>> narrowed;
};
} // namespace

void ReportRemarks::send(Location loc, const Finding &finding) {
  if (!sent.insert({loc.getAsOpaquePointer(), finding.text, finding.reason}).second)
    return;
  remark::detail::InFlightRemark message =
      remark::missed(loc, remark::RemarkOpts::name(finding.name).category(finding.category));
  if (!message)
    return;
  using Argument = remark::detail::Remark::Arg;
  message << StringRef(finding.text);
  if (!finding.reason.empty())
    message << Argument("Reason", finding.reason);
  if (!finding.suggestion.empty())
    message << Argument("Suggestion", finding.suggestion);
  for (const auto &[name, value] : finding.metrics)
    message << Argument(name, value);
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

void ReportRemarks::reportAccess(const GlobalAccess &access, CoalescingAnalysis &analysis) {
  // A tensor that one request of a warp takes at full width is no matter of bandwidth.
  constexpr int64_t kSmallBytes = 32 * tile::GlobalAccessOpInterface::kFullBytes;
  if (isRemainderCode(access.op))
    return;
  CoalescingReport report = analysis.study(access);
  bool isNarrow = report.vector.width < access.fullWidth;
  bool isSpread = report.sectors.sectors > report.sectors.minimum;
  bool isSmall = access.type.getNumElements() * access.elementBytes < kSmallBytes;
  if ((!isNarrow && !isSpread) || (report.limit == AccessLimit::FewElements && isSmall))
    return;

  unsigned bits = report.vector.width * access.elementBytes * 8;
  unsigned fullBits = access.fullWidth * access.elementBytes * 8;
  Finding finding;
  finding.category = remarks::kMemoryCoalescing;
  finding.name = isNarrow ? "NarrowAccess" : "SpreadAccess";
  finding.text = (access.getKindName() + " takes ").str();
  if (isNarrow)
    finding.text += llvm::formatv("{0} of {1} elements per instruction ({2} of {3} bits)",
                                  report.vector.width, access.fullWidth, bits, fullBits);
  if (isNarrow && isSpread)
    finding.text += " and ";
  if (isSpread)
    finding.text += llvm::formatv("{0}{1} sectors per warp request instead of {2}",
                                  report.sectors.isUpperBound ? "up to " : "",
                                  report.sectors.sectors, report.sectors.minimum);
  finding.reason = report.reason;
  finding.suggestion = report.suggestion;
  finding.add("bits", bits);
  finding.add("fullBits", fullBits);
  finding.add("sectors", report.sectors.sectors);
  finding.add("minimumSectors", report.sectors.minimum);
  send(access.op->getLoc(), finding);
  for (unsigned argument : report.arguments)
    narrowed[argument].insert(access.op->getLoc());
}

/// Pointers that keep accesses narrow because nothing is known of their alignment.
void ReportRemarks::reportArguments(func::FuncOp func) {
  SmallVector<unsigned> arguments = llvm::to_vector(llvm::make_first_range(narrowed));
  llvm::sort(arguments);
  for (unsigned i : arguments) {
    auto pointer = dyn_cast<tile::PtrType>(func.getArgument(i).getType());
    if (!pointer)
      continue;
    int64_t known = pointer.getElementBytes();
    if (auto hint = func.getArgAttrOfType<IntegerAttr>(i, tile::TileDialect::kDivisibilityAttr))
      known = std::max(known, powerOfTwoDivisor(hint.getInt()));
    std::string name = sourceName(func.getArgument(i));
    size_t count = narrowed[i].size();
    Finding finding;
    finding.category = remarks::kArgumentAlignment;
    finding.name = "UnalignedPointer";
    finding.text = llvm::formatv("pointer {0} is compiled as a multiple of {1} bytes only, which "
                                 "narrows {2} access{3}",
                                 name.empty() ? "argument " + std::to_string(i) : name, known,
                                 count, count == 1 ? "" : "es");
    if (auto type = func.getArgAttrOfType<StringAttr>(i, tile::TileDialect::kTypeTextAttr))
      finding.suggestion = ("the type '" + type.getValue() + ":16' is for aligned pointers").str();
    finding.add("alignment", known);
    finding.add("accesses", count);
    send(func.getArgument(i).getLoc(), finding);
  }
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

static unsigned elementBits(Type element) { return std::max(8u, tile::bitWidthOf(element)); }

/// Conversions alone: the value that is stored has all its elements loaded again.
void ReportRemarks::reportConversion(LocalStoreOp store) {
  auto from = cast<RankedTensorType>(store.getValue().getType());
  Operation *producer = store.getValue().getDefiningOp();
  if (from.getNumElements() == 1 ||
      isa_and_nonnull<PartialReduceOp, PartialScanOp, tile::AtomicRMWOp, tile::AtomicCasOp>(
          producer))
    return;
  for (Operation *user : store.getBuffer().getUsers()) {
    if (user == store || isa<LocalLoadOp>(user))
      continue;
    return;
  }
  for (Operation *user : store.getBuffer().getUsers()) {
    auto load = dyn_cast<LocalLoadOp>(user);
    if (!load)
      continue;
    const LinearLayout &source = layoutOf(from), &target = layoutOf(load.getType());
    // Put aside and taken back.
    if (source == target)
      continue;
    std::string sourceText = summarizeRegisterLayout(source);
    std::string targetText = summarizeRegisterLayout(target);
    if (sourceText == targetText) {
      sourceText = printLinearLayout(source);
      targetText = printLinearLayout(target);
    }
    int64_t bytes = store.getBuffer().getType().getSizeInBytes();
    std::string shape;
    for (int64_t size : from.getShape())
      shape += (shape.empty() ? "" : "x") + std::to_string(size);
    Finding finding;
    finding.category = remarks::kLayoutConversion;
    finding.name = "SharedConversion";
    finding.text = llvm::formatv(
        "layout conversion of {0} elements goes through {1} bytes of shared memory", shape, bytes);
    finding.reason = "from " + sourceText + " to " + targetText;
    finding.add("bytes", bytes);
    finding.metrics.emplace_back("from", printLinearLayout(source));
    finding.metrics.emplace_back("to", printLinearLayout(target));
    send(store.getLoc(), finding);
  }
}

void ReportRemarks::reportBanks(Operation *op, RankedTensorType tensor, MemDescType buffer) {
  SharedAccess access = analyseSharedAccess(layoutOf(tensor), buffer.getLayout().getLayout(),
                                            elementBits(tensor.getElementType()));
  if (access.conflicts() <= 0)
    return;
  Finding finding;
  finding.category = remarks::kBankConflict;
  finding.name = "BankConflict";
  finding.text = llvm::formatv(
      "shared-memory {0} has a {1}-way bank conflict: {2} wavefronts per request instead of {3}",
      isa<LocalStoreOp>(op) ? "store" : "load",
      llvm::divideCeil(access.wavefronts, access.idealWavefronts), access.wavefronts,
      access.idealWavefronts);
  finding.reason = llvm::formatv("lanes of one wavefront access the same bank, with {0} elements "
                                 "of {1} bits per access",
                                 access.vectorWidth, elementBits(tensor.getElementType()));
  finding.add("wavefronts", access.wavefronts);
  finding.add("minimumWavefronts", access.idealWavefronts);
  finding.add("requests", access.requests);
  send(op->getLoc(), finding);
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

void ReportRemarks::reportOverflow(const OffsetOverflow &overflow) {
  StringRef result = isa<arith::AddIOp>(overflow.op)   ? "sum"
                     : isa<arith::SubIOp>(overflow.op) ? "difference"
                     : isa<arith::MulIOp>(overflow.op) ? "product"
                                                       : "shift";
  Finding finding;
  finding.category = remarks::kOffsetOverflow;
  finding.name = "OffsetOverflow";
  finding.text = llvm::formatv("{0} of {1} and {2} in an address is computed in {3} bits and can "
                               "overflow",
                               result, overflow.left, overflow.right, overflow.bits);
  if (overflow.isCompared)
    finding.reason = "it is compared with " +
                     (overflow.bound.empty() ? std::string("a value") : overflow.bound) +
                     " of 64 bits";
  finding.suggestion = "'.to(tl.int64)' on one of the two makes it 64 bits wide";
  finding.add("bits", overflow.bits);
  finding.add("low", overflow.low);
  finding.add("high", overflow.high);
  send(overflow.op->getLoc(), finding);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void ReportRemarks::runOnOperation() {
  markAllAnalysesPreserved();
  func::FuncOp func = getOperation();
  if (!getContext().getRemarkEngine() || func.isExternal())
    return;
  CoalescingAnalysis coalescing(func);
  SmallVector<OffsetOverflow> overflows = findOffsetOverflows(func);
  ArrayRef<OffsetOverflow> waiting = overflows;
  sent.clear();
  narrowed.clear();
  func.walk([&](Operation *op) {
    if (std::optional<GlobalAccess> access = GlobalAccess::of(op);
        access && hasLayout(access->type))
      reportAccess(*access, coalescing);
    if (auto store = dyn_cast<LocalStoreOp>(op)) {
      reportConversion(store);
      reportBanks(op, cast<RankedTensorType>(store.getValue().getType()),
                  store.getBuffer().getType());
    }
    if (auto load = dyn_cast<LocalLoadOp>(op))
      reportBanks(op, cast<RankedTensorType>(load.getType()), load.getBuffer().getType());
    if (!waiting.empty() && waiting.front().op == op) {
      reportOverflow(waiting.front());
      waiting = waiting.drop_front();
    }
  });
  reportArguments(func);
}
