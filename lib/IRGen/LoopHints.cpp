// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints about variables that a loop changes.

#include "LoopHints.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/STLExtras.h"

namespace tilec::irgen {

void addHint(mlir::Operation *definition, llvm::StringRef attribute,
             llvm::ArrayRef<int32_t> numbers) {
  llvm::SmallVector<int32_t> raised(numbers);
  auto previous = definition->getAttrOfType<mlir::DenseI32ArrayAttr>(attribute);
  if (previous && previous.size() == static_cast<int64_t>(raised.size()))
    for (auto [number, old] : llvm::zip(raised, previous.asArrayRef()))
      number = std::max(number, old);
  definition->setAttr(attribute, mlir::DenseI32ArrayAttr::get(definition->getContext(), raised));
}

void LoopHints::add(mlir::BlockArgument argument, llvm::StringRef attribute,
                    llvm::ArrayRef<int32_t> numbers) {
  hints.push_back({argument, attribute, llvm::SmallVector<int32_t, 4>(numbers)});
}

mlir::Value LoopHints::carry(mlir::OpBuilder &builder, mlir::BlockArgument argument,
                             mlir::Value value) {
  // By index: hints of an enclosing loop are added on the way.
  for (size_t i = 0, count = hints.size(); i < count; ++i) {
    if (hints[i].argument != argument)
      continue;
    Hint hint = hints[i];
    if (auto outer = llvm::dyn_cast<mlir::BlockArgument>(value)) {
      // A loop in the body of another one, which advances the same variable.
      if (outer != argument && outer.getOwner() == builder.getBlock())
        add(outer, hint.attribute, hint.numbers);
      continue;
    }
    mlir::Operation *definition = value.getDefiningOp();
    if (definition->getNumResults() != 1)
      continue;
    if (!value.use_empty() && !value.hasOneUse()) {
      if (!mlir::isMemoryEffectFree(definition) || definition->getNumRegions() != 0)
        continue;
      definition = builder.clone(*definition);
      value = definition->getResult(0);
    }
    addHint(definition, hint.attribute, hint.numbers);
  }
  return value;
}

} // namespace tilec::irgen
