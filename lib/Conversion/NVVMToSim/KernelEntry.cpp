// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's way into a kernel: a function that takes an array of pointers to the arguments.

#include "SimBuilder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilec/Conversion/NVVMToSim/Passes.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace tilec;

/// Removes what only an NVIDIA back end understands, and promises about arguments: the runtime
/// checks accesses, so nothing may be concluded from them.
static void stripDeviceAttributes(LLVM::LLVMFuncOp kernel, Builder &builder) {
  for (NamedAttribute attribute : llvm::to_vector(kernel->getDiscardableAttrs()))
    if (attribute.getName().getValue().starts_with("nvvm."))
      kernel->removeDiscardableAttr(attribute.getName());
  kernel.removeArgAttrsAttr();
  kernel.removeTargetCpuAttr();
  kernel.removeTargetFeaturesAttr();
  kernel.removePassthroughAttr();
  kernel.setCConv(LLVM::cconv::CConv::C);
  kernel.setLinkage(LLVM::Linkage::Internal);
}

/// Arguments that are objects passed by value, of which the kernel gets the address: tensor maps.
static llvm::SmallBitVector objectArguments(LLVM::LLVMFuncOp kernel) {
  llvm::SmallBitVector objects(kernel.getNumArguments());
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    objects[i] = kernel.getArgAttr(i, LLVM::LLVMDialect::getByValAttrName()) != nullptr;
  return objects;
}

/// The argument in the slot that `slot` points to; null for a type that cannot be passed.
static Value loadArgument(Location loc, SimBuilder &b, Value slot, Type type) {
  if (type.isInteger(1)) {
    Value byte = LLVM::LoadOp::create(b.rewriter, loc, b.rewriter.getI8Type(), slot);
    return LLVM::ICmpOp::create(b.rewriter, loc, LLVM::ICmpPredicate::ne, byte,
                                b.constant(loc, b.rewriter.getI8Type(), 0));
  }
  if (!accessBytes(type))
    return {};
  return LLVM::LoadOp::create(b.rewriter, loc, type, slot, /*alignment=*/1);
}

LogicalResult tilec::createKernelEntry(LLVM::LLVMFuncOp kernel, StringRef name, SimBuilder &b) {
  Location loc = kernel.getLoc();
  auto type = kernel.getFunctionType();
  if (!isa<LLVM::LLVMVoidType>(type.getReturnType()))
    return kernel.emitError("a kernel must not return a value");
  llvm::SmallBitVector objects = objectArguments(kernel);
  stripDeviceAttributes(kernel, b.rewriter);

  b.rewriter.setInsertionPointAfter(kernel);
  auto entryType = LLVM::LLVMFunctionType::get(type.getReturnType(), {b.pointer()});
  auto entry = LLVM::LLVMFuncOp::create(b.rewriter, loc, name.str() + "_entry", entryType);
  entry->setAttr(simEntryAttr, b.rewriter.getStringAttr(name));
  b.symbols.insert(entry);
  Block *block = entry.addEntryBlock(b.rewriter);
  b.rewriter.setInsertionPointToStart(block);
  SmallVector<Value> arguments;
  for (auto [i, parameter] : llvm::enumerate(type.getParams())) {
    Value place =
        LLVM::GEPOp::create(b.rewriter, loc, b.pointer(), b.pointer(), block->getArgument(0),
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    Value slot = LLVM::LoadOp::create(b.rewriter, loc, b.pointer(), place);
    Value argument = objects[i] ? slot : loadArgument(loc, b, slot, parameter);
    if (!argument)
      return kernel.emitError("argument ")
             << i << " of type " << parameter << " is not supported on the simulator";
    arguments.push_back(argument);
  }
  LLVM::CallOp::create(b.rewriter, loc, kernel, arguments);
  LLVM::ReturnOp::create(b.rewriter, loc, ValueRange());
  return success();
}
