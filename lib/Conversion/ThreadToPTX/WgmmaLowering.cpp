// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync, wgmma.mma_async and wgmma.wait_group as assembly. The accumulator's registers are
// operands that are read and written in place; a wait passes them through, so that nothing that
// uses them moves before it.

#include "ThreadLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec {
namespace {

/// The constraint letter of a register of this type.
char registerKind(Type type) {
  if (type.isF64())
    return 'd';
  return type.isF32() ? 'f' : type.isInteger(64) ? 'l' : type.isInteger(1) ? 'b' : 'r';
}

/// One volatile assembly statement whose first results.size() operands are updated in place.
void replaceWithAssembly(RewriterBase &b, Operation *op, const std::string &text,
                         ValueRange updated, ValueRange inputs) {
  std::string constraints;
  for (Value value : updated)
    constraints += std::string("=") + registerKind(value.getType()) + ",";
  for (Value value : inputs)
    constraints += std::string(1, registerKind(value.getType())) + ",";
  for (size_t i = 0; i < updated.size(); ++i)
    constraints += std::to_string(i) + ",";
  if (!constraints.empty())
    constraints.pop_back();
  SmallVector<Value> operands(inputs);
  llvm::append_range(operands, updated);
  SmallVector<Type> types(updated.getTypes());
  Type result;
  if (types.size() == 1)
    result = types.front();
  else if (!types.empty())
    result = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  auto assembly = LLVM::InlineAsmOp::create(
      b, op->getLoc(), result ? TypeRange(result) : TypeRange(), operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> results;
  for (size_t i = 0; i < types.size(); ++i)
    results.push_back(
        types.size() == 1
            ? assembly.getRes()
            : LLVM::ExtractValueOp::create(b, op->getLoc(), assembly.getRes(), i).getResult());
  b.replaceOp(op, results);
}

std::string operandList(size_t first, size_t count) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + "}";
}

/// PTX's name of an element type.
StringRef typeName(Type type) {
  return llvm::TypeSwitch<Type, StringRef>(type)
      .Case([](Float16Type) { return "f16"; })
      .Case([](BFloat16Type) { return "bf16"; })
      .Case([](FloatTF32Type) { return "tf32"; })
      .Case([](Float32Type) { return "f32"; })
      .Case([](Float64Type) { return "f64"; })
      .Case([](Float8E4M3FNType) { return "e4m3"; })
      .Case([](Float8E5M2Type) { return "e5m2"; })
      .Default([](Type integer) {
        if (integer.isInteger(32))
          return "s32";
        return integer.isUnsignedInteger() ? "u8" : "s8";
      });
}

void lowerProduct(RewriterBase &b, tilegpu::ThreadWgmmaOp op) {
  SmallVector<Value> inputs;
  if (op.getDescA())
    inputs.push_back(op.getDescA());
  llvm::append_range(inputs, op.getA());
  size_t accRegisters = op.getAcc().size(), aRegisters = inputs.size();
  inputs.push_back(op.getDescB());
  if (op.getAccumulate())
    inputs.push_back(op.getAccumulate());

  std::string text = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(op.getN()) + "k" +
                     std::to_string(op.k()) + "." + typeName(op.getTypeD()).str() + "." +
                     typeName(op.getTypeA()).str() + "." + typeName(op.getTypeB()).str();
  text += op.getSaturate() ? ".satfinite " : " ";
  text += operandList(0, accRegisters) + ", ";
  text +=
      op.getDescA() ? "$" + std::to_string(accRegisters) : operandList(accRegisters, aRegisters);
  text += ", $" + std::to_string(accRegisters + aRegisters);
  text += op.getAccumulate() ? ", $" + std::to_string(accRegisters + aRegisters + 1) : ", 1";
  bool isInteger = op.getTypeD().isInteger(32);
  if (!isInteger) {
    text += op.getNegateA() ? ", -1" : ", 1";
    text += op.getNegateB() ? ", -1" : ", 1";
  }
  if (op.getTypeA().isF16() || op.getTypeA().isBF16()) {
    if (op.getDescA())
      text += op.getMMajor() ? ", 1" : ", 0";
    text += op.getNMajor() ? ", 1" : ", 0";
  }
  replaceWithAssembly(b, op, text + ";", op.getAcc(), inputs);
}

void lowerWarpProduct(RewriterBase &b, tilegpu::ThreadMmaOp op) {
  std::string d = typeName(op.getTypeD()).str();
  std::string text = "mma.sync.aligned.m" + std::to_string(op.m()) + "n8k" +
                     std::to_string(op.k()) + ".row.col" +
                     (op.getSaturate() ? ".satfinite." : ".") + d + "." +
                     typeName(op.getTypeA()).str() + "." + typeName(op.getTypeB()).str() + "." + d;
  size_t count = op.getC().size(), countA = op.getA().size();
  text += " " + operandList(0, count) + ", " + operandList(count, countA) + ", " +
          operandList(count + countA, op.getB().size()) + ", " + operandList(0, count) + ";";
  SmallVector<Value> inputs(op.getA());
  llvm::append_range(inputs, op.getB());
  replaceWithAssembly(b, op, text, op.getC(), inputs);
}

} // namespace

void lowerWgmma(ModuleOp module, RewriterBase &rewriter) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<tilegpu::ThreadMmaOp, tilegpu::ThreadWgmmaOp, tilegpu::ThreadWgmmaWaitOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    rewriter.setInsertionPoint(op);
    if (auto product = dyn_cast<tilegpu::ThreadWgmmaOp>(op)) {
      lowerProduct(rewriter, product);
      continue;
    }
    if (auto product = dyn_cast<tilegpu::ThreadMmaOp>(op)) {
      lowerWarpProduct(rewriter, product);
      continue;
    }
    auto wait = cast<tilegpu::ThreadWgmmaWaitOp>(op);
    replaceWithAssembly(rewriter, op,
                        "wgmma.wait_group.sync.aligned " + std::to_string(wait.getPending()) + ";",
                        wait.getValues(), {});
  }
}

} // namespace tilec
