// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline PTX of a kernel, statement by statement: a register is a name with integer bits, an
// instruction finds its meaning by its first word, and the type at its end says how the bits are
// read.

#ifndef TILEC_LIB_CONVERSION_NVVMTOSIM_INLINEASMTRANSLATOR_H
#define TILEC_LIB_CONVERSION_NVVMTOSIM_INLINEASMTRANSLATOR_H

#include "SimBuilder.h"

#include "llvm/ADT/StringMap.h"

namespace tilec {

/// A PTX type: 'u', 's', 'f', 'b' and bits; pairs of halves have their own kind.
struct PtxType {
  enum Kind { Bits, Unsigned, Signed, Float, BFloat, Predicate } kind = Bits;
  unsigned width = 32;
  bool isPair = false;
};

/// Executes the statements of one asm operation.
class InlineAsmTranslator {
public:
  InlineAsmTranslator(mlir::LLVM::InlineAsmOp asmOp, SimBuilder &simBuilder)
      : op(asmOp), b(simBuilder), rewriter(simBuilder.rewriter), loc(asmOp.getLoc()) {}

  /// The results' register values in order; none after an error, which is in `problem`.
  std::optional<llvm::SmallVector<mlir::Value>> run(llvm::ArrayRef<mlir::Type> results);
  std::string problem;

private:
  /// `@p name.modifiers.type operands;`, the target first.
  struct Instruction {
    llvm::StringRef name;
    llvm::SmallVector<llvm::StringRef> modifiers, operands;
    PtxType type;
    /// Null without a predicate.
    mlir::Value guard;

    llvm::ArrayRef<llvm::StringRef> sources() const {
      return llvm::ArrayRef<llvm::StringRef>(operands).drop_front();
    }
  };

  bool execute(llvm::StringRef statement);
  static bool parse(llvm::StringRef text, Instruction &instr);
  bool executeInstruction(const Instruction &instr);
  bool unpack(const Instruction &instr);
  bool pack(const Instruction &instr);
  bool convertOperands(const Instruction &instr);
  mlir::Value select(const Instruction &instr);
  /// Writes a result where the instruction's predicate holds; fails when there is none.
  bool store(const Instruction &instr, llvm::StringRef target, mlir::Value bits);
  mlir::Value joinHalves(mlir::Value low, mlir::Value high);
  /// `ld.global.b32 r, [a];` and `st.global.b32 [a], r;`, `modifiers` without the type.
  bool access(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> modifiers, PtxType type,
              llvm::ArrayRef<llvm::StringRef> operands, mlir::Value guard);
  bool declare(llvm::StringRef rest);
  /// Bits of an operand as an integer of `width` bits.
  mlir::Value read(llvm::StringRef operand, unsigned width);
  bool write(llvm::StringRef operand, mlir::Value bits);
  mlir::Value resize(mlir::Value bits, unsigned width, bool isSigned = false);
  mlir::Value compute(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> modifiers, PtxType type,
                      llvm::ArrayRef<llvm::StringRef> sources);
  mlir::Value computeInteger(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> modifiers,
                             PtxType type, llvm::ArrayRef<mlir::Value> v);
  mlir::Value computeFloat(llvm::StringRef name, PtxType type, llvm::ArrayRef<mlir::Value> v);
  mlir::Value convert(llvm::ArrayRef<llvm::StringRef> modifiers, PtxType to, PtxType from,
                      mlir::Value bits);
  mlir::Value compare(llvm::StringRef relation, PtxType type, mlir::Value left, mlir::Value right);
  mlir::Value permuteBytes(mlir::Value low, mlir::Value high, mlir::Value selector);
  mlir::Value logic3(llvm::ArrayRef<mlir::Value> v, unsigned table);

  mlir::Type integer(unsigned width) { return rewriter.getIntegerType(width); }
  mlir::Type floatType(PtxType type) {
    if (type.kind == PtxType::BFloat)
      return rewriter.getBF16Type();
    return type.width == 16   ? mlir::Type(rewriter.getF16Type())
           : type.width == 32 ? mlir::Type(rewriter.getF32Type())
                              : mlir::Type(rewriter.getF64Type());
  }
  mlir::Value constant(unsigned width, uint64_t value) {
    return mlir::LLVM::ConstantOp::create(
        rewriter, loc, integer(width),
        rewriter.getIntegerAttr(integer(width), llvm::APInt(width, value, false, true)));
  }
  mlir::Value asFloat(mlir::Value bits, PtxType type) {
    return mlir::LLVM::BitcastOp::create(rewriter, loc, floatType(type), bits);
  }
  mlir::Value asBits(mlir::Value value) {
    return mlir::LLVM::BitcastOp::create(rewriter, loc,
                                         integer(value.getType().getIntOrFloatBitWidth()), value);
  }
  template <typename OpT> mlir::Value make(mlir::Value left, mlir::Value right) {
    return OpT::create(rewriter, loc, left, right);
  }

  mlir::LLVM::InlineAsmOp op;
  SimBuilder &b;
  mlir::IRRewriter &rewriter;
  mlir::Location loc;
  llvm::StringMap<mlir::Value> registers;
  llvm::StringMap<unsigned> widths;
};

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_NVVMTOSIM_INLINEASMTRANSLATOR_H
