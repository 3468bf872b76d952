// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pattern groups of the two lowering passes, one file each.

#ifndef TILEC_LIB_CONVERSION_TILEGPUTOLLVM_PATTERNS_H
#define TILEC_LIB_CONVERSION_TILEGPUTOLLVM_PATTERNS_H

#include "ThreadPosition.h"
#include "ThreadTypeConverter.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Transforms/DialectConversion.h"
#include "tilec/Analysis/GlobalAccess.h"

namespace tilec {

/// What the patterns share.
struct ThreadLowering {
  const ThreadTypeConverter &types;
  const ThreadPosition &position;
  int numWarps;
  const Processor &processor;
  /// Elements per instruction of every tensor load and store, and the axis they run along.
  using Vector = AccessVector;
  const llvm::DenseMap<mlir::Operation *, Vector> &vectors;
  /// For comparisons whose result is the same in groups of neighbours: the bits of a register's
  /// number that it does not depend on.
  const llvm::DenseMap<mlir::Operation *, int64_t> &repeats;
  /// Matrix products of functions that have too many multiply-adds to unroll.
  const llvm::DenseSet<mlir::Operation *> &manyProducts;
  /// Products of warpgroups whose operands begin where the uniform number of the warp says.
  const llvm::DenseSet<mlir::Operation *> &nestedProducts;
};

/// The products by multiply-adds of those functions that have many, all products together.
llvm::DenseSet<mlir::Operation *> findManyProducts(mlir::ModuleOp module);
/// Products of warpgroups in a loop inside another, of functions without accumulators of 256
/// columns.
llvm::DenseSet<mlir::Operation *> findNestedProducts(mlir::ModuleOp module);

void populateShapePatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
void populateElementwisePatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
void populateMemoryPatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
void populateAtomicPatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
void populateReducePatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
void populateScanPatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
void populateDotPatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
void populateGatherPatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
void populateConvertLayoutPatterns(mlir::RewritePatternSet &patterns,
                                   const ThreadLowering &lowering);
void populateSharedMemoryPatterns(mlir::RewritePatternSet &patterns,
                                  const ThreadLowering &lowering);
void populateRegisterPatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
/// Matrix products of warps, and of warpgroups.
void populateMmaPatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
void populateWgmmaPatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
/// Drops waits and fences of wgmma that order nothing.
void dropIdleWgmmaOrder(mlir::Operation *op);
/// Groups of computing warps, and their turns.
void populateRolePatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
/// Numbers of programs that CTAs take from a counter.
void populateSchedulerPatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
/// Loops over turns end by those numbers, which they carry. All that is inside has been converted.
void endLoopsByProgram(mlir::ModuleOp module);
/// Warps with roles become a branch. All that is inside has been converted.
void lowerWarpRoles(mlir::ModuleOp module, const ThreadPosition &position);
/// Tensor copies and barrier objects.
void populateTmaPatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
/// What the CTAs of a cluster do together.
void populateClusterPatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
/// The type of pointers to the shared memory of any CTA of the cluster.
mlir::LLVM::LLVMPointerType clusterPointer(mlir::MLIRContext *context);
/// Views of buffers, asynchronous copies, fences.
void populateAsyncPatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
/// Instructions and functions of the kernel's own, element by element.
void populateInlinePatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
/// Tensor maps that the program encodes.
void populateTensorMapPatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
/// The marks of a timeline.
void populateTimelinePatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);
void populateProgramPatterns(mlir::RewritePatternSet &patterns, const ThreadLowering &lowering);

/// Scalar math and f32 division to GPU instructions and library calls.
void populateMathToNVVMPatterns(const mlir::LLVMTypeConverter &types,
                                mlir::RewritePatternSet &patterns);
/// Kernel functions.
void populateKernelFuncPatterns(const mlir::LLVMTypeConverter &types,
                                mlir::RewritePatternSet &patterns, int numThreads);

/// Conversions between f32 and an 8-bit float held in i8, by integer arithmetic; exact and the same
/// on every target.
mlir::Value emitFloat8ToF32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value bits,
                            mlir::FloatType type);
mlir::Value emitF32ToFloat8(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                            mlir::FloatType type, bool towardZero);

/// Clones a combine region on two tuples of scalars.
llvm::SmallVector<mlir::Value> applyCombine(mlir::OpBuilder &builder, mlir::Region &combine,
                                            llvm::ArrayRef<mlir::Value> left,
                                            llvm::ArrayRef<mlir::Value> right);

/// Two f32 values to 8-bit floats (bits in i8) by the machine's conversion: to nearest even,
/// saturating. Needs compute capability 8.9.
std::pair<mlir::Value, mlir::Value> emitF32PairToFloat8(mlir::OpBuilder &builder,
                                                        mlir::Location loc, mlir::Value first,
                                                        mlir::Value second, mlir::FloatType type);

/// Two 8-bit floats (bits in i8) to f16, exactly, by the machine's conversion. Needs compute
/// capability 8.9.
std::pair<mlir::Value, mlir::Value> emitFloat8PairToF16(mlir::OpBuilder &builder,
                                                        mlir::Location loc, mlir::Value first,
                                                        mlir::Value second, mlir::FloatType type);

/// How 8-bit integers become f16, bf16 or f32.
struct ByteConversion {
  /// What is subtracted from the number that a byte is part of; none where a byte is part of two.
  std::optional<double> offset() const;

  mlir::FloatType to;
  bool isUnsigned;
  /// No byte is larger, without its sign.
  uint8_t most = 255;
  /// What is added by the same subtraction, exactly.
  double addend = 0;
};

/// The conversion that an elementwise operation does; what registers become by it, without
/// conversion instructions; and whether it does also what `op`, an operation on its result, would.
std::optional<ByteConversion> matchByteConversion(mlir::Operation *op);
llvm::SmallVector<mlir::Value> emitBytesToFloats(mlir::OpBuilder &builder, mlir::Location loc,
                                                 mlir::ValueRange values,
                                                 const ByteConversion &conversion);
bool isAddedByConversion(mlir::Operation *op);

/// The number of a mask or a logical right shift of 8-bit integers by a constant, and the operation
/// on registers, four at a time.
std::optional<uint8_t> numberOfByteOperation(mlir::Operation *op);
llvm::SmallVector<mlir::Value> emitByteOperation(mlir::OpBuilder &builder, mlir::Operation *op,
                                                 mlir::ValueRange values, uint8_t number);

/// shfl.sync of a value of any register type, in 32-bit pieces. `mode` and `lane` as PTX has them,
/// all 32 lanes.
mlir::Value emitShuffle(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                        mlir::Value lane, mlir::NVVM::ShflKind mode);

/// The registers of a vector access: register bits `bits` count through a group, the others name
/// it. Returns for each group the registers in vector order.
llvm::SmallVector<llvm::SmallVector<int64_t>> groupRegisters(int64_t numRegisters,
                                                             llvm::ArrayRef<unsigned> bits);

/// The word type of one access of `bytes` bytes (1 to 16): an integer, or a vector of 32- or 64-bit
/// integers.
mlir::Type accessWordType(mlir::MLIRContext *context, unsigned bytes);

/// `values` (of one scalar type) as one word of `accessWordType`, booleans as bytes; and back.
mlir::Value packWord(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange values);
llvm::SmallVector<mlir::Value> unpackWord(mlir::OpBuilder &builder, mlir::Location loc,
                                          mlir::Value word, mlir::Type scalar, unsigned count);

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_TILEGPUTOLLVM_PATTERNS_H
