// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asserts and prints of one thread, as calls of the two functions that every CUDA device has:
// '__assertfail' and 'vprintf'. Each call stands in a block of its own:
//
//   before: A; tilegpu.thread_assert %c, "text"; B
//   after:  A; br %c, ^rest, ^fail   ^fail: call @__assertfail(...); br ^rest   ^rest: B
//
// vprintf takes its arguments packed in memory, each at a multiple of its size; a function has one
// such buffer, as large as its largest print needs.

#include "ThreadLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Dominance.h"

#include <map>

using namespace mlir;

namespace tilec {
namespace {

/// The place in the source that a location stands for: of an inlined operation, the innermost one.
FileLineColLoc sourcePlace(Location loc) {
  if (auto place = dyn_cast<FileLineColLoc>(loc))
    return place;
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return sourcePlace(call.getCallee());
  if (auto name = dyn_cast<NameLoc>(loc))
    return sourcePlace(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (FileLineColLoc place = sourcePlace(part))
        return place;
  return {};
}

/// One argument of a printf-style format: its conversion and the widened value.
struct PrintedValue {
  std::string conversion;
  Value value;
  unsigned bytes;
};

class DeviceCallLowering {
public:
  DeviceCallLowering(ModuleOp m, RewriterBase &rewriter) : module(m), b(rewriter), symbols(m) {}

  LogicalResult run();

private:
  void lowerAssert(tilegpu::ThreadAssertOp op);
  LogicalResult lowerPrint(tilegpu::ThreadPrintOp op);
  /// Which programs of a persistent kernel print.
  void findPrograms();
  /// Where the one that prints is in the grid.
  SmallVector<Value> programOf(tilegpu::ThreadPrintOp op);

  /// Splits at `op` so that new operations before the returned block's terminator run when
  /// `condition` has the value `runWhen`; the insertion point is put there.
  void enterGuardedBlock(Operation *op, Value condition, bool runWhen);
  /// A generic pointer to a zero-terminated constant with this text.
  Value stringConstant(Location loc, StringRef text);
  LLVM::LLVMFuncOp declareFunction(StringRef name, Type result, ArrayRef<Type> arguments);
  FailureOr<PrintedValue> widen(tilegpu::ThreadPrintOp op);
  /// The function's buffer for packed arguments, at least `bytes` large.
  Value argumentBuffer(LLVM::LLVMFuncOp function, unsigned bytes);

  Value constantI32(Location loc, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
  }
  Type pointerType() { return LLVM::LLVMPointerType::get(b.getContext()); }

  ModuleOp module;
  RewriterBase &b;
  SymbolTable symbols;
  /// Text (with its final zero) to the global that holds it.
  std::map<std::string, LLVM::GlobalOp> strings;
  /// Print buffer by function; looked up, never iterated.
  DenseMap<Operation *, LLVM::AllocaOp> buffers;
  DenseMap<Operation *, tilegpu::EnterProgramOp> programs;
};

void DeviceCallLowering::enterGuardedBlock(Operation *op, Value condition, bool runWhen) {
  Location loc = op->getLoc();
  Block *before = op->getBlock();
  Block *after = b.splitBlock(before, op->getIterator());
  Block *guarded = b.createBlock(after);
  b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(b, loc, condition, runWhen ? guarded : after, runWhen ? after : guarded);
  b.setInsertionPointToEnd(guarded);
  auto branch = LLVM::BrOp::create(b, loc, after);
  b.setInsertionPoint(branch);
}

Value DeviceCallLowering::stringConstant(Location loc, StringRef text) {
  std::string bytes = text.str() + '\0';
  LLVM::GlobalOp &global = strings[bytes];
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(
        b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal,
        "tilec_text_" + std::to_string(strings.size() - 1), b.getStringAttr(bytes),
        /*alignment=*/1, /*addrSpace=*/1);
    symbols.insert(global);
  }
  Value address = LLVM::AddressOfOp::create(b, loc, global);
  return LLVM::AddrSpaceCastOp::create(b, loc, pointerType(), address);
}

LLVM::LLVMFuncOp DeviceCallLowering::declareFunction(StringRef name, Type result,
                                                     ArrayRef<Type> arguments) {
  if (auto known = symbols.lookup<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(b, module.getLoc(), name,
                                           LLVM::LLVMFunctionType::get(result, arguments));
  symbols.insert(function);
  return function;
}

void DeviceCallLowering::lowerAssert(tilegpu::ThreadAssertOp op) {
  Location loc = op.getLoc();
  auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
  FileLineColLoc place = sourcePlace(loc);
  Type pointer = pointerType();
  LLVM::LLVMFuncOp callee =
      declareFunction("__assertfail", LLVM::LLVMVoidType::get(b.getContext()),
                      {pointer, pointer, b.getI32Type(), pointer, b.getI64Type()});

  enterGuardedBlock(op, op.getCondition(), /*runWhen=*/false);
  Value message = stringConstant(loc, op.getMessage());
  Value file = stringConstant(loc, place ? place.getFilename().getValue() : StringRef("unknown"));
  Value line = constantI32(loc, place ? place.getLine() : 0);
  Value name = stringConstant(loc, function.getName());
  Value characterSize = LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(1));
  LLVM::CallOp::create(b, loc, callee, ValueRange{message, file, line, name, characterSize});
  b.eraseOp(op);
}

/// "%" is the only character that a format changes.
std::string escapeForFormat(StringRef text) {
  std::string out;
  for (char c : text)
    out += c == '%' ? "%%" : std::string(1, c);
  return out;
}

FailureOr<PrintedValue> DeviceCallLowering::widen(tilegpu::ThreadPrintOp op) {
  Location loc = op.getLoc();
  Value value = op.getValue();
  Type type = value.getType();
  if (isa<LLVM::LLVMPointerType>(type))
    return PrintedValue{"%p", LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), value), 8};
  if (auto floating = dyn_cast<FloatType>(type)) {
    if (op.getHex()) {
      type = b.getIntegerType(floating.getWidth());
      value = LLVM::BitcastOp::create(b, loc, type, value);
    } else {
      if (floating.getWidth() < 64)
        value = LLVM::FPExtOp::create(b, loc, b.getF64Type(), value);
      return PrintedValue{"%f", value, 8};
    }
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() > 64)
    return op.emitOpError("cannot print a value of type ") << op.getValue().getType();

  bool isSigned = op.getIsSigned() && !op.getHex();
  unsigned width = integer.getWidth() <= 32 ? 32 : 64;
  Type wide = b.getIntegerType(width);
  if (integer.getWidth() < width)
    value = isSigned ? LLVM::SExtOp::create(b, loc, wide, value).getResult()
                     : LLVM::ZExtOp::create(b, loc, wide, value).getResult();
  std::string length = width == 64 ? "ll" : "";
  if (op.getHex())
    return PrintedValue{"0x%0" + std::to_string(llvm::divideCeil(integer.getWidth(), 4)) + length +
                            "x",
                        value, width / 8};
  return PrintedValue{"%" + length + (isSigned ? "d" : "u"), value, width / 8};
}

Value DeviceCallLowering::argumentBuffer(LLVM::LLVMFuncOp function, unsigned bytes) {
  LLVM::AllocaOp &buffer = buffers[function];
  if (!buffer) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getBody().front());
    Value one = constantI32(function.getLoc(), 1);
    buffer = LLVM::AllocaOp::create(b, function.getLoc(), pointerType(),
                                    LLVM::LLVMArrayType::get(b.getI8Type(), bytes), one,
                                    /*alignment=*/8);
  }
  auto type = cast<LLVM::LLVMArrayType>(buffer.getElemType());
  if (type.getNumElements() < bytes)
    buffer.setElemType(LLVM::LLVMArrayType::get(b.getI8Type(), bytes));
  return buffer;
}

SmallVector<Value> DeviceCallLowering::programOf(tilegpu::ThreadPrintOp op) {
  if (auto entered = programs.find(op); entered != programs.end())
    return llvm::to_vector(entered->second->getOperands());
  Location loc = op.getLoc();
  Type i32 = b.getI32Type();
  return {NVVM::BlockIdXOp::create(b, loc, i32), NVVM::BlockIdYOp::create(b, loc, i32),
          NVVM::BlockIdZOp::create(b, loc, i32)};
}

void DeviceCallLowering::findPrograms() {
  DominanceInfo dominance(module);
  SmallVector<tilegpu::EnterProgramOp> entered;
  module.walk([&](tilegpu::EnterProgramOp enter) { entered.push_back(enter); });
  if (entered.empty())
    return;
  module.walk([&](tilegpu::ThreadPrintOp print) {
    for (tilegpu::EnterProgramOp enter : entered)
      if (enter->getParentRegion() == print->getParentRegion() &&
          dominance.properlyDominates(enter.getOperation(), print))
        programs[print] = enter;
  });
}

LogicalResult DeviceCallLowering::lowerPrint(tilegpu::ThreadPrintOp op) {
  Location loc = op.getLoc();
  auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
  LLVM::LLVMFuncOp callee =
      declareFunction("vprintf", b.getI32Type(), {pointerType(), pointerType()});

  enterGuardedBlock(op, op.getPredicate(), /*runWhen=*/true);
  FailureOr<PrintedValue> printed = op.getValue() ? widen(op) : PrintedValue{"", Value(), 0};
  if (failed(printed))
    return failure();

  SmallVector<PrintedValue> arguments;
  for (Value id : programOf(op))
    arguments.push_back({"%u", id, 4});
  std::string format = "pid (%u, %u, %u) ";
  if (op.getValue()) {
    format += "idx (";
    for (auto [index, coordinate] : llvm::enumerate(op.getCoordinates())) {
      std::string width = op.getWidths() ? std::to_string((*op.getWidths())[index]) : "";
      format += (index ? ", %" : "%") + width + "u";
      arguments.push_back({"%u", coordinate, 4});
    }
    format += ")";
  }
  format += escapeForFormat(op.getPrefix()) + printed->conversion + "\n";
  if (op.getValue())
    arguments.push_back(*printed);

  unsigned bytes = 0;
  SmallVector<unsigned> offsets;
  for (const PrintedValue &argument : arguments) {
    bytes = llvm::alignTo(bytes, argument.bytes);
    offsets.push_back(bytes);
    bytes += argument.bytes;
  }
  Value buffer = argumentBuffer(function, bytes);
  for (auto [argument, offset] : llvm::zip(arguments, offsets)) {
    Value slot = LLVM::GEPOp::create(b, loc, pointerType(), b.getI8Type(), buffer,
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
    LLVM::StoreOp::create(b, loc, argument.value, slot, argument.bytes);
  }
  LLVM::CallOp::create(b, loc, callee, ValueRange{stringConstant(loc, format), buffer});
  b.eraseOp(op);
  return success();
}

LogicalResult DeviceCallLowering::run() {
  findPrograms();
  SmallVector<Operation *> calls;
  module.walk([&](Operation *op) {
    if (isa<tilegpu::ThreadAssertOp, tilegpu::ThreadPrintOp>(op))
      calls.push_back(op);
  });
  for (Operation *op : calls) {
    // Blocks can be split in a function's own region only.
    if (!isa<LLVM::LLVMFuncOp>(op->getParentOp()))
      return op->emitOpError("expected to stand in the body of an 'llvm.func', got one of '")
             << op->getParentOp()->getName() << "'";
    if (auto check = dyn_cast<tilegpu::ThreadAssertOp>(op))
      lowerAssert(check);
    else if (failed(lowerPrint(cast<tilegpu::ThreadPrintOp>(op))))
      return failure();
  }
  module.walk([&](tilegpu::EnterProgramOp enter) { b.eraseOp(enter); });
  return success();
}

} // namespace

LogicalResult lowerDeviceCalls(ModuleOp module, RewriterBase &rewriter) {
  return DeviceCallLowering(module, rewriter).run();
}

} // namespace tilec
