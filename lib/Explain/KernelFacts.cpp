// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors and buffers of the finished kernel: what the analyses of remarks and of shared memory
// say, as values.

#include "KernelFacts.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "tilec/Analysis/Coalescing.h"
#include "tilec/Analysis/SharedAllocation.h"
#include "tilec/Layout/LayoutPrinter.h"
#include "tilec/Layout/SharedSwizzle.h"

#include "mlir/IR/AsmState.h"

using namespace mlir;
using namespace tilec::tilegpu;

namespace tilec::explain {

Layout describeLayout(const LinearLayout &layout) {
  Layout result;
  result.text = layout.hasInDim(kRegister) ? summarizeRegisterLayout(layout) : "";
  auto take = [&](StringRef name, Layout::Bases &bases) {
    for (int i = 0; layout.hasInDim(name) && i < layout.getInDimSizeLog2(name); ++i)
      bases.push_back(layout.getBasis(name, unsigned(i)));
  };
  take(kRegister, result.registers);
  take(kLane, result.lanes);
  take(kWarp, result.warps);
  take(kBlock, result.blocks);
  take(kOffset, result.offsets);
  return result;
}

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static unsigned bitsOf(Type element) { return std::max(8u, tile::bitWidthOf(element)); }

static func::FuncOp kernelOf(ModuleOp module) {
  for (auto func : module.getOps<func::FuncOp>())
    if (func->hasAttr(tile::TileDialect::kKernelAttr))
      return func;
  return {};
}

namespace {

class TensorCollector {
public:
  TensorCollector(ModuleOp module, func::FuncOp kernel, LineTable &lineTable, Report &made)
      : state(module), coalescing(kernel), lines(lineTable), report(made) {}

  std::vector<SourcePlaces> takePlaces() { return std::move(places); }

  void visit(Operation *op) {
    if (std::optional<GlobalAccess> access = GlobalAccess::of(op);
        access && hasLayout(access->type))
      addAccess(*access);
    else if (auto store = dyn_cast<LocalStoreOp>(op))
      addShared(op, store.getValue(), store.getBuffer().getType());
    else if (auto load = dyn_cast<LocalLoadOp>(op))
      addShared(op, load.getResult(), load.getBuffer().getType());
  }

private:
  Tensor &add(Operation *op, Value named, RankedTensorType type) {
    Tensor &tensor = report.tensors.emplace_back();
    llvm::raw_string_ostream name(tensor.name);
    named.printAsOperand(name, state);
    tensor.op = op->getName().getStringRef().str();
    tensor.line = lines.add(op->getLoc());
    SourcePlaces &around = places.emplace_back();
    op->getLoc()->walk([&](Location part) {
      if (auto place = dyn_cast<FileLineColRange>(part))
        around.push_back(
            {place.getFilename().str(), int(place.getStartLine()), int(place.getStartColumn())});
      return WalkResult::advance();
    });
    tensor.shape = type.getShape().vec();
    tensor.element = textOf(type.getElementType());
    tensor.layout = describeLayout(layoutOf(type));
    return tensor;
  }

  void addAccess(const GlobalAccess &access) {
    CoalescingReport study = coalescing.study(access);
    Value named = access.op->getNumResults() == 1 ? access.op->getResult(0) : access.pointer;
    Tensor &tensor = add(access.op, named, access.type);
    TensorAccess result;
    result.kind = access.getKindName().str();
    result.vectorBits = int(study.vector.width * access.elementBytes * 8);
    result.fullBits = int(access.fullWidth * access.elementBytes * 8);
    result.sectors = int(study.sectors.sectors);
    result.minimumSectors = int(study.sectors.minimum);
    result.isUpperBound = study.sectors.isUpperBound;
    result.reason = study.reason;
    result.suggestion = study.suggestion;
    tensor.access = std::move(result);
  }

  void addShared(Operation *op, Value value, MemDescType buffer) {
    auto type = cast<RankedTensorType>(value.getType());
    unsigned bits = bitsOf(type.getElementType());
    SharedAccess access =
        analyseSharedAccess(layoutOf(type), buffer.getLayout().getLayout(), int32_t(bits));
    add(op, value, type).banks = {access.wavefronts, access.idealWavefronts, access.requests,
                                  access.vectorWidth * int(bits)};
  }

  AsmState state;
  CoalescingAnalysis coalescing;
  LineTable &lines;
  Report &report;
  std::vector<SourcePlaces> places;
};

/// What a buffer is for, by the operations that use it, its views included.
std::string purposeOf(LocalAllocOp buffer) {
  bool hasObjects = false, isCopied = false, hasDots = false, hasPartials = false, isRead = false,
       isParked = false, isStored = false, isCounted = false;
  SmallVector<Value> views = {buffer.getResult()};
  for (size_t i = 0; i < views.size(); ++i)
    for (Operation *user : views[i].getUsers()) {
      if (isa<MemDescIndexOp, MemDescPermuteOp>(user))
        views.push_back(user->getResult(0));
      hasObjects |= isa<MbarrierInitOp>(user);
      isCopied |= isa<AsyncCopyOp, TmaLoadOp>(user);
      hasDots |= isa<WgmmaOp>(user);
      isRead |= isa<LocalLoadOp, LocalGatherOp>(user);
      isParked |= isa<ParkOp>(user);
      isStored |= isa<TmaStoreOp>(user);
      isCounted |= isa<LocalCountOp>(user);
      if (auto store = dyn_cast<LocalStoreOp>(user))
        hasPartials |=
            isa_and_nonnull<PartialReduceOp, PartialScanOp>(store.getValue().getDefiningOp());
    }
  if (hasObjects)
    return "barrier objects";
  if (isParked)
    return "registers spilled to shared memory";
  if (isCounted)
    return "counts of a histogram";
  if (isCopied)
    return hasDots ? "operand of a dot, copied ahead" : "copied ahead";
  if (hasDots)
    return "operand of a dot";
  if (isStored)
    return "result for a tensor copy";
  if (hasPartials)
    return "partial results";
  return isRead ? "layout conversion" : "exchange between threads";
}

} // namespace

std::vector<SourcePlaces> collectTensors(ModuleOp tilegpu, LineTable &lines, Report &report) {
  func::FuncOp kernel = kernelOf(tilegpu);
  if (!kernel)
    return {};
  TensorCollector collector(tilegpu, kernel, lines, report);
  kernel.walk([&](Operation *op) { collector.visit(op); });
  return collector.takePlaces();
}

void collectShared(ModuleOp tilegpu, LineTable &lines, Report &report) {
  func::FuncOp kernel = kernelOf(tilegpu);
  if (!kernel)
    return;
  SharedAllocation allocation = SharedAllocation::fromOffsets(kernel);
  report.shared.total = allocation.getTotalBytes();
  kernel.walk([&](Operation *) { ++report.shared.steps; });
  for (const auto &[alloc, placed] : allocation.getBuffers()) {
    LocalAllocOp op = alloc;
    MemDescType type = op.getType();
    SharedRange range;
    range.line = lines.add(op.getLoc());
    range.offset = placed.offset;
    range.size = placed.size;
    range.shape.assign(type.getShape().begin(), type.getShape().end());
    range.element = textOf(type.getElementType());
    range.begin = placed.firstUse;
    // Barrier objects are in use to the end.
    range.end = std::min(placed.lastUse, report.shared.steps - 1);
    range.slots = type.getBuffers();
    range.purpose = purposeOf(op);
    range.swizzle = describeLayout(type.getLayout().getLayout());
    if (range.line)
      lines[*range.line].sharedBytes += placed.size;
    report.shared.buffers.push_back(std::move(range));
  }
}

} // namespace tilec::explain
