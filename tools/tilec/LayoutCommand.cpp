// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec layout: prints a layout as bases and as a picture, or plans the conversion to another one.

#include "Commands.h"
#include "Console.h"

#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/LayoutPrinter.h"

#include "llvm/Support/FormatVariadic.h"

namespace tilec::tool {

namespace {

llvm::Expected<LinearLayout> readLayout(llvm::StringRef text, llvm::ArrayRef<int64_t> shape) {
  text = text.trim();
  if (!text.starts_with("{"))
    return parseNamedLayout(text);
  if (shape.empty())
    return llvm::createStringError("a layout given by its bases needs --shape, as in '64x32'");
  return parseLinearLayout(text, shape);
}

/// Why no conversion between these can be planned; empty when it can.
std::string conversionObstacle(const LinearLayout &from, const LinearLayout &to) {
  for (const LinearLayout *layout : {&from, &to}) {
    llvm::StringRef which = layout == &from ? "the first" : "the second";
    for (const std::string &dim : layout->getInDimNames())
      if (dim != kRegister && dim != kLane && dim != kWarp && dim != kBlock)
        return (which + " layout has the dimension '" + dim +
                "', expected registers, lanes, warps and blocks only")
            .str();
    if (!layout->isSurjective())
      return (which + " layout does not reach the whole tensor").str();
  }
  if (from.getOutDims() != to.getOutDims())
    return "the layouts have different shapes";
  for (llvm::StringRef dim : {kLane, kWarp, kBlock})
    if (from.getInDimSize(dim) != to.getInDimSize(dim))
      return llvm::formatv("the layouts have different numbers of {0}s, {1} and {2}", dim,
                           from.getInDimSize(dim), to.getInDimSize(dim));
  return "";
}

std::string describeSide(llvm::StringRef name, const SharedAccess &access) {
  return llvm::formatv("  {0}: {1} accesses of {2} elements a thread, {3} wavefronts each, ideal "
                       "{4}, conflicts {5}\n",
                       name, access.requests, access.vectorWidth, access.wavefronts,
                       access.idealWavefronts, access.conflicts());
}

std::string describePlan(const ConversionPlan &plan, int bits) {
  std::string text =
      llvm::formatv("conversion: {0}, cost {1:F1}", conversionKindName(plan.kind), plan.cost);
  if (plan.shuffleCost >= 0)
    text += llvm::formatv(", by shuffles {0:F1}", plan.shuffleCost);
  if (plan.sharedCost >= 0)
    text += llvm::formatv(", through shared memory {0:F1}", plan.sharedCost);
  text += "\n";
  switch (plan.kind) {
  case ConversionKind::None:
  case ConversionKind::CrossBlock:
    break;
  case ConversionKind::Registers:
    text += "  registers:";
    for (int32_t source : plan.registerMap)
      text += " " + std::to_string(source);
    text += "\n";
    break;
  case ConversionKind::Shuffles:
    text += llvm::formatv("  shuffles: {0} a thread{1}, selects: {2}\n", plan.shuffle.numShuffles(),
                          plan.shuffle.isXorShuffle() ? " (xor)" : "", plan.shuffle.numSelects());
    break;
  case ConversionKind::SharedMemory:
    text +=
        llvm::formatv("  shared memory: {0} bytes, rounds: {1}\n",
                      (plan.shared.bufferElements * std::max(bits, 8) + 7) / 8, plan.shared.reps);
    text += describeSide("store", plan.shared.store);
    text += describeSide("load", plan.shared.load);
    break;
  }
  return text;
}

std::string describeLayout(const LinearLayout &layout, const LayoutCommand &command) {
  LayoutViewOptions options;
  options.maxRows = command.maxRows;
  std::string text = layout.toString() + "\n";
  if (command.view != LayoutView::Tensor)
    text += printHardwareView(layout, options);
  if (command.view != LayoutView::Hardware)
    text += printTensorView(layout, options);
  return text;
}

} // namespace

ExitCode execute(const LayoutCommand &command) {
  llvm::Expected<LinearLayout> layout = readLayout(command.layout, command.shape);
  if (!layout)
    return reportError("layout: " + llvm::toString(layout.takeError()));
  if (command.convertTo.empty())
    return writeToStdout(describeLayout(*layout, command));

  llvm::Expected<LinearLayout> target = readLayout(command.convertTo, command.shape);
  if (!target)
    return reportError("layout to convert to: " + llvm::toString(target.takeError()));
  std::string obstacle = conversionObstacle(*layout, *target);
  if (!obstacle.empty())
    return reportError("cannot convert: " + obstacle);
  ConversionPlan plan = planConversion(*layout, *target, command.bits);
  return writeToStdout("from " + layout->toString() + "\nto   " + target->toString() + "\n" +
                       describePlan(plan, command.bits));
}

} // namespace tilec::tool
