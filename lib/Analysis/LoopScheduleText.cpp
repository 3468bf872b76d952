// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a schedule comes to: sizes, what is in flight, and its text.

#include "tilec/Analysis/LoopSchedule.h"

#include "mlir/IR/Location.h"
#include "tilec/Layout/TensorLayouts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilec::tilegpu;

namespace tilec {

/// Bytes after which a swizzle begins again.
static constexpr uint64_t kSwizzlePeriod = 1024;

SmallVector<int32_t> Stream::inverseOrder() const {
  SmallVector<int32_t> inverse(order.size());
  for (auto [i, dim] : llvm::enumerate(order))
    inverse[dim] = int32_t(i);
  return inverse;
}

LinearLayout Stream::memoryAsLoaded() const {
  return order.empty() ? memory : permuteLayout(memory, inverseOrder());
}

MemDescType Stream::bufferType() const {
  if (LocalAllocOp known = buffer) {
    tile::DescriptorLoadOp block = tensorLoad;
    if (!block || block.getDesc().getType().getUsed().empty())
      return known.getType();
    // Copies leave out what nobody uses at the end. Boxes begin where the swizzle does.
    int64_t bits = tile::bitWidthOf(known.getType().getElementType());
    int64_t bytes = boxesOf(block.getDesc().getType()).endOffset() * bits / 8;
    return known.getType().withBytes(int64_t(llvm::alignTo(bytes, kSwizzlePeriod)));
  }
  auto type = cast<RankedTensorType>(source()->getResult(0).getType());
  return MemDescType::get(type.getContext(), type.getShape(), type.getElementType(),
                          LinearAttr::get(type.getContext(), memory));
}

int64_t LoopSchedule::dotsInFlight() const {
  int64_t groups = 0;
  for (WgmmaWaitOp wait : carried)
    groups += wait.getValues().front().getDefiningOp<WgmmaOp>().numGroups();
  return groups;
}

bool LoopSchedule::loadsAhead() const {
  return llvm::any_of(slice, [](Operation *op) { return isa<tile::LoadOp>(op); });
}

bool LoopSchedule::hasThreadCopies() const {
  return llvm::any_of(streams, [](const Stream &stream) { return bool(stream.load); });
}

int64_t LoopSchedule::numTensorCopies() const {
  return llvm::count_if(streams, [](const Stream &stream) { return bool(stream.tensorLoad); });
}

int64_t LoopSchedule::bytesPerStage() const {
  int64_t bytes = 0;
  for (const Stream &stream : streams)
    bytes += stream.bufferType().getSizeInBytes();
  return bytes;
}

int64_t LoopSchedule::ringBytes() const {
  int64_t bytes = stages * bytesPerStage();
  for (StagedBuffer pair : staged)
    bytes += 2 * pair.buffer.getType().getSizeInBytes();
  return bytes;
}

/// As 128x64xf16, without the layout.
static void printShape(ArrayRef<int64_t> shape, Type element, llvm::raw_ostream &os) {
  llvm::interleave(shape, os, "x");
  os << 'x' << element;
}

static void printBuffer(MemDescType type, int64_t depth, StringRef filledBy,
                        llvm::raw_ostream &os) {
  os << "  buffer ";
  printShape(type.getShape(), type.getElementType(), os);
  os << ", depth " << depth << ", " << type.getSizeInBytes() << " bytes each, " << filledBy << '\n';
}

static void printOperation(Operation *op, llvm::raw_ostream &os) {
  os << op->getName();
  for (Type type : op->getResultTypes()) {
    os << ' ';
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      printShape(tensor.getShape(), tensor.getElementType(), os);
    else
      os << type;
  }
}

void LoopSchedule::print(llvm::raw_ostream &os) const {
  os << "loop: " << stages << " stages, copies " << distance() << " ahead";
  if (!carried.empty())
    os << ", " << dotsInFlight() << " dots in flight over the back edge";
  os << "; " << ringBytes() << " bytes of shared memory"
     << (hasLoadWarps    ? "; load warps"
         : releasesSlots ? "; slots are released"
                         : "")
     << '\n';
  for (const Stream &stream : streams)
    printBuffer(stream.bufferType(), stages,
                stream.tensorLoad    ? "tensor copy"
                : stream.isPrivate() ? "cp.async, each thread for itself"
                                     : "cp.async",
                os);
  for (StagedBuffer pair : staged)
    printBuffer(pair.buffer.getType(), 2, "stored by threads", os);
  os << "  ahead: " << slice.size() << " operations, " << sliceArgs.size() << " carried values\n";
  // Stages as the modulo scheduler counts them: an iteration begins with its copies.
  for (auto [order, step] : llvm::enumerate(steps)) {
    bool isAhead =
        step.kind == ScheduleStep::Kind::Addresses || step.kind == ScheduleStep::Kind::StartCopies;
    os << "  " << order << ": stage " << (isAhead ? 0 : distance()) << ' ';
    switch (step.kind) {
    case ScheduleStep::Kind::Addresses:
      os << "addresses of the copies";
      break;
    case ScheduleStep::Kind::WaitForCopies:
      os << "wait for copies, " << copiesInFlightInLoop() << " in flight";
      break;
    case ScheduleStep::Kind::StartCopies:
      os << "start " << streams.size() << " copies";
      break;
    case ScheduleStep::Kind::Compute:
      printOperation(step.op, os);
      break;
    case ScheduleStep::Kind::WaitForDots:
      os << "wait for dots, " << dotsInFlight() << " in flight";
      break;
    case ScheduleStep::Kind::ReleaseBuffers:
      os << "release the buffers of " << (carried.empty() ? "this" : "the last") << " iteration";
      break;
    }
    os << '\n';
  }
}

} // namespace tilec
