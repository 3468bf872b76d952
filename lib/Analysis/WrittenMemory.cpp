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
    } else if (isa<tile::DescriptorStoreOp, tile::DescriptorReduceOp>(op)) {
      add(op->getOperand(0));
    } else if (isa<func::CallOp>(op) || writesGlobal(op)) {
      isAnywhere = true;
    }
  });
}

Value WrittenMemory::baseOf(Value descriptor) {
  if (auto make = descriptor.getDefiningOp<tile::MakeTensorDescriptorOp>())
    return make.getBase();
  auto argument = dyn_cast<BlockArgument>(descriptor);
  auto func =
      argument ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()) : nullptr;
  if (!func)
    return {};
  auto map = func.getArgAttrOfType<DictionaryAttr>(argument.getArgNumber(),
                                                   tile::TileDialect::kTensorMapAttr);
  return map ? func.getArgument(unsigned(map.getAs<IntegerAttr>("base").getInt())) : descriptor;
}

void WrittenMemory::add(Value handle) {
  if (isa<tile::DescType>(handle.getType()))
    handle = baseOf(handle);
  if (handle && isa<tile::DescType>(handle.getType())) {
    hostDescriptors.insert(handle);
    return;
  }
  const AddressSum *sum = handle ? &addresses.of(handle) : nullptr;
  if (!sum || sum->isAnywhere || !sum->root)
    isAnywhere = true;
  else
    roots.insert(*sum->root);
}

bool WrittenMemory::mayContain(Value handle) {
  if (isAnywhere)
    return true;
  if (roots.empty() && hostDescriptors.empty())
    return false;
  if (isa<tile::DescType>(handle.getType()))
    handle = baseOf(handle);
  if (!handle)
    return true;
  if (isa<tile::DescType>(handle.getType()))
    return hostDescriptors.contains(handle);
  const AddressSum &sum = addresses.of(handle);
  return sum.isAnywhere || !sum.root || roots.contains(*sum.root);
}

} // namespace tilec
