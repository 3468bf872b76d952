// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma. Its results are words that stand for registers in flight (SimMatrixAbi.h).
//
// NVVM's wait has no results, so whoever uses such a register asks the runtime for its value:
// before anything is lowered, the values that may be accumulators are followed from the products
// through block arguments, structs and waits, and every other use of a register gets a question in
// front.

#include "MatrixTypesToSim.h"
#include "SimBuilder.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilecrt::sim::abi;
using Slot = SimBuilder::Slot;

//===----------------------------------------------------------------------===//
// Uses of accumulators
//===----------------------------------------------------------------------===//

/// Calls `visit` for every value that has `use`'s value in it, or is it; false for a real use.
static bool followUse(OpOperand &use, function_ref<void(Value)> visit) {
  Operation *user = use.getOwner();
  if (isa<NVVM::WgmmaMmaAsyncOp, LLVM::InsertValueOp, LLVM::SelectOp>(user)) {
    visit(user->getResult(0));
    return true;
  }
  if (auto product = dyn_cast<tilegpu::ThreadWgmmaOp>(user)) {
    // As a part of A it would be read.
    unsigned first =
        product.getAccMutable().empty() ? 0 : product.getAccMutable().begin()->getOperandNumber();
    return use.getOperandNumber() >= first &&
           use.getOperandNumber() < first + product.getAcc().size();
  }
  if (isa<tilegpu::ThreadWgmmaWaitOp>(user)) {
    visit(user->getResult(use.getOperandNumber()));
    return true;
  }
  auto branch = dyn_cast<BranchOpInterface>(user);
  if (!branch)
    return false;
  std::optional<BlockArgument> argument = branch.getSuccessorBlockArgument(use.getOperandNumber());
  if (argument)
    visit(*argument);
  return argument.has_value();
}

/// The register in `value` as the runtime knows it.
static Value askForRegister(Value value, Operation *op, SimBuilder &b) {
  Location loc = op->getLoc();
  Value word = b.call(loc, "tilec_sim_wgmma_read",
                      {b.bits(loc, value, b.i32()), b.site(op, "accumulator register")});
  return b.bits(loc, word, value.getType());
}

void tilec::checkAccumulatorUses(LLVM::LLVMFuncOp function, SimBuilder &b) {
  llvm::SetVector<Value> reached;
  function.walk([&](Operation *op) {
    if (isa<NVVM::WgmmaMmaAsyncOp, tilegpu::ThreadWgmmaOp>(op))
      reached.insert(op->result_begin(), op->result_end());
  });
  SmallVector<OpOperand *> uses;
  for (size_t i = 0; i < reached.size(); ++i) // Grows.
    for (OpOperand &use : reached[i].getUses())
      if (!followUse(use, [&](Value value) { reached.insert(value); }))
        uses.push_back(&use);
  for (OpOperand *use : uses) {
    Operation *user = use->getOwner();
    Value value = use->get();
    if (auto extract = dyn_cast<LLVM::ExtractValueOp>(user)) {
      if (accessBytes(extract.getType()) != 4u)
        continue;
      SmallVector<OpOperand *> readers =
          llvm::to_vector(llvm::make_pointer_range(extract->getUses()));
      b.rewriter.setInsertionPointAfter(extract);
      Value known = askForRegister(extract, extract, b);
      for (OpOperand *reader : readers)
        reader->set(known);
      continue;
    }
    if (accessBytes(value.getType()) != 4u)
      continue;
    b.rewriter.setInsertionPoint(user);
    use->set(askForRegister(value, user, b));
  }
}

//===----------------------------------------------------------------------===//
// The operations
//===----------------------------------------------------------------------===//

static Lowered lowerFence(Operation *op, SimBuilder &b, StringRef function, const Twine &what) {
  b.call(op->getLoc(), function, {b.site(op, what)});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

static Lowered lowerWait(NVVM::WgmmaWaitGroupSyncOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  b.call(loc, "tilec_sim_wgmma_wait",
         {b.constantI32(loc, op.getGroup()), LLVM::ZeroOp::create(b.rewriter, loc, b.pointer()),
          b.constantI32(loc, 0), b.site(op, "wait for wgmma")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

static Lowered lowerThreadWait(tilegpu::ThreadWgmmaWaitOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  for (Type type : op.getValues().getTypes())
    if (accessBytes(type) != 4u)
      return reportUnsupported(op, "expected registers of 32 bits");
  Value words = b.registers(op, Slot::MatrixC, op.getValues());
  b.call(loc, "tilec_sim_wgmma_wait",
         {b.constantI32(loc, op.getPending()), words, b.constantI32(loc, op.getValues().size()),
          b.site(op, "wait for wgmma")});
  b.rewriter.replaceOp(op, b.fromRegisters(loc, words, op.getValues().getTypes()));
  return Lowered::Yes;
}

static Lowered lowerProduct(NVVM::WgmmaMmaAsyncOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  auto type = cast<LLVM::LLVMStructType>(op.getInouts().getType());
  std::optional<MatrixType> typeA = matrixType(op.getTypeA()), typeB = matrixType(op.getTypeB()),
                            typeD = matrixType(op.getTypeD());
  int64_t n = op.getShape().getN();
  size_t registers = static_cast<size_t>(typeD == MatrixF16 ? n / 4 : n / 2);
  bool fits = typeA && typeB && typeD && op.getShape().getM() == 64 &&
              type.getBody().size() == registers &&
              llvm::all_of(type.getBody(), [](Type member) { return accessBytes(member) == 4u; });
  if (!fits)
    return reportUnsupported(op, "element types, or a struct that is not of " + Twine(registers) +
                                     " registers of 32 bits");
  int flags = 0;
  if (op.getScaleD() == NVVM::WGMMAScaleOut::one)
    flags |= WgmmaAccumulate;
  if (op.getScaleA() == NVVM::WGMMAScaleIn::neg)
    flags |= WgmmaNegateA;
  if (op.getScaleB() == NVVM::WGMMAScaleIn::neg)
    flags |= WgmmaNegateB;
  if (op.getLayoutA() == NVVM::MMALayout::col)
    flags |= WgmmaTransposeA;
  if (op.getLayoutB() == NVVM::MMALayout::row)
    flags |= WgmmaTransposeB;
  if (op.getSatfinite() == NVVM::MMAIntOverflow::satfinite)
    flags |= WgmmaSaturate;
  Value acc = b.registers(op, Slot::MatrixC, b.unpack(loc, op.getInouts()));
  auto number = [&](int64_t value) { return b.constantI32(loc, value); };
  b.call(loc, "tilec_sim_wgmma",
         {number(n), number(op.getShape().getK()), number(*typeA), number(*typeB), number(*typeD),
          number(flags), LLVM::ZeroOp::create(b.rewriter, loc, b.pointer()), op.getDescriptorA(),
          op.getDescriptorB(), acc, b.site(op, "wgmma")});
  b.rewriter.replaceOp(op, b.pack(loc, type, b.fromRegisters(loc, acc, type.getBody())));
  return Lowered::Yes;
}

static Lowered lowerThreadProduct(tilegpu::ThreadWgmmaOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  std::optional<MatrixType> typeA = matrixType(op.getTypeA()), typeB = matrixType(op.getTypeB()),
                            typeD = matrixType(op.getTypeD());
  auto isWord = [](Type type) { return accessBytes(type) == 4u; };
  if (!typeA || !typeB || !typeD || !llvm::all_of(op.getAcc().getTypes(), isWord) ||
      !llvm::all_of(op.getA().getTypes(), isWord))
    return reportUnsupported(op, "element types, or registers that are not of 32 bits");
  int fixed = 0;
  if (op.getNegateA())
    fixed |= WgmmaNegateA;
  if (op.getNegateB())
    fixed |= WgmmaNegateB;
  if (op.getMMajor())
    fixed |= WgmmaTransposeA;
  if (op.getNMajor())
    fixed |= WgmmaTransposeB;
  if (!op.getDescA())
    fixed |= WgmmaRegistersA;
  if (op.getSaturate())
    fixed |= WgmmaSaturate;
  Value flags = b.constantI32(loc, fixed | WgmmaAccumulate);
  if (op.getAccumulate())
    flags = LLVM::SelectOp::create(b.rewriter, loc, op.getAccumulate(), flags,
                                   b.constantI32(loc, fixed));
  Value a = b.registers(op, Slot::MatrixA, op.getA(), 16);
  Value acc = b.registers(op, Slot::MatrixC, op.getAcc());
  Value descA = op.getDescA() ? op.getDescA() : b.constant(loc, b.i64(), 0);
  auto number = [&](int64_t value) { return b.constantI32(loc, value); };
  b.call(loc, "tilec_sim_wgmma",
         {number(op.getN()), number(op.k()), number(*typeA), number(*typeB), number(*typeD), flags,
          a, descA, op.getDescB(), acc, b.site(op, "wgmma")});
  b.rewriter.replaceOp(op, b.fromRegisters(loc, acc, op.getD().getTypes()));
  return Lowered::Yes;
}

Lowered tilec::lowerWgmma(Operation *op, SimBuilder &b) {
  return llvm::TypeSwitch<Operation *, Lowered>(op)
      .Case([&](NVVM::WgmmaFenceAlignedOp fence) {
        return lowerFence(fence, b, "tilec_sim_wgmma_fence", "wgmma fence");
      })
      .Case([&](NVVM::WgmmaGroupSyncAlignedOp commit) {
        return lowerFence(commit, b, "tilec_sim_wgmma_commit", "group of wgmma");
      })
      .Case([&](NVVM::WgmmaWaitGroupSyncOp wait) { return lowerWait(wait, b); })
      .Case([&](tilegpu::ThreadWgmmaWaitOp wait) { return lowerThreadWait(wait, b); })
      .Case([&](NVVM::WgmmaMmaAsyncOp product) { return lowerProduct(product, b); })
      .Case([&](tilegpu::ThreadWgmmaOp product) { return lowerThreadProduct(product, b); })
      .Default([](Operation *) { return Lowered::No; });
}
