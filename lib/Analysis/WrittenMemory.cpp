// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WrittenMemory.h.

#include "tilec/Analysis/WrittenMemory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tilec/Analysis/GlobalAccess.h"

using namespace mlir;

namespace tilec {

WrittenMemory::WrittenMemory(Operation *root) {
  root->walk([&](Operation *op) {
    if (auto access = dyn_cast<tile::GlobalAccessOpInterface>(op)) {
      if (access.writesMemory())
        add(access.getPointer());
    } else if (isa<tile::DescriptorStoreOp, tile::DescriptorReduceOp, tilegpu::TmaStoreOp>(op)) {
      add(op->getOperand(0));
    } else if (isa<func::CallOp>(op) || writesGlobal(op)) {
      isAnywhere = true;
    }
  });
}

Value WrittenMemory::baseOf(Value handle) {
  if (!isa<tile::DescType>(handle.getType()))
    return handle;
  if (auto make = handle.getDefiningOp<tile::MakeTensorDescriptorOp>())
    return make.getBase();
  if (auto encode = handle.getDefiningOp<tilegpu::EncodeTensorMapOp>())
    return encode.getBase();
  auto argument = dyn_cast<BlockArgument>(handle);
  auto func =
      argument ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()) : nullptr;
  if (!func)
    return {};
  auto map = func.getArgAttrOfType<DictionaryAttr>(argument.getArgNumber(),
                                                   tile::TileDialect::kTensorMapAttr);
  return map ? func.getArgument(unsigned(map.getAs<IntegerAttr>("base").getInt())) : handle;
}

void WrittenMemory::add(Value handle) {
  Value base = baseOf(handle);
  if (base && isa<tile::DescType>(base.getType())) {
    hostDescriptors.insert(base);
    return;
  }
  const AddressSum *sum = base ? &addresses.of(base) : nullptr;
  if (!sum || sum->isAnywhere || !sum->root)
    isAnywhere = true;
  else
    roots.insert(*sum->root);
}

bool WrittenMemory::mayContain(Value handle) {
  if (isAnywhere || (roots.empty() && hostDescriptors.empty()))
    return isAnywhere;
  Value base = baseOf(handle);
  if (!base)
    return true;
  if (isa<tile::DescType>(base.getType()))
    return hostDescriptors.contains(base);
  const AddressSum &sum = addresses.of(base);
  return sum.isAnywhere || !sum.root || roots.contains(*sum.root);
}

} // namespace tilec
