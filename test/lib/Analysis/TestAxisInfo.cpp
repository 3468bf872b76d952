// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes axis facts into the IR: `facts` on an op for its first result, `facts.args` on an op with
// regions for its block arguments, and on loads and stores `facts.vector`, the elements that one
// access may cover along each dimension.

#include "dialects/Tile/TileOps.h"
#include "test/lib/TestPasses.h"
#include "tilec/Analysis/AxisInfo.h"

using namespace mlir;

namespace tilec {
namespace {

StringAttr describe(MLIRContext *context, const AxisInfo &info) {
  std::string text;
  llvm::raw_string_ostream os(text);
  info.print(os);
  return StringAttr::get(context, text);
}

struct TestAxisInfo final : PassWrapper<TestAxisInfo, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestAxisInfo)

  StringRef getArgument() const override { return "test-axis-info"; }
  StringRef getDescription() const override { return "annotates values with their axis facts"; }

  void runOnOperation() override {
    AxisInfoAnalysis axes(getOperation());
    getOperation().walk([&](Operation *op) {
      annotateValues(axes, op);
      if (auto load = dyn_cast<tile::LoadOp>(op))
        annotateAccess(axes, op, load.getPointer(), load.getMask());
      if (auto store = dyn_cast<tile::StoreOp>(op))
        annotateAccess(axes, op, store.getPointer(), store.getMask());
    });
  }

private:
  void annotateValues(const AxisInfoAnalysis &axes, Operation *op) {
    if (op->getNumResults() > 0)
      op->setAttr("facts", describe(op->getContext(), axes.get(op->getResult(0))));
    SmallVector<Attribute> arguments;
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        arguments.push_back(describe(op->getContext(), axes.get(argument)));
    if (!arguments.empty())
      op->setAttr("facts.args", ArrayAttr::get(op->getContext(), arguments));
  }

  void annotateAccess(const AxisInfoAnalysis &axes, Operation *op, Value pointer, Value mask) {
    SmallVector<int32_t> elements;
    for (unsigned d = 0; d < axes.get(pointer).getRank(); ++d)
      elements.push_back(axes.getMaxVectorElements(pointer, mask, d));
    op->setAttr("facts.vector", DenseI32ArrayAttr::get(op->getContext(), elements));
  }
};

} // namespace

std::unique_ptr<Pass> createTestAxisInfoPass() { return std::make_unique<TestAxisInfo>(); }

} // namespace tilec
