// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every lowering to the simulator needs: calls of the runtime, temporaries, texts and sites;
// and the list of the lowerings.

#ifndef TILEC_LIB_CONVERSION_NVVMTOSIM_SIMBUILDER_H
#define TILEC_LIB_CONVERSION_NVVMTOSIM_SIMBUILDER_H

#include "SiteTable.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"

#include <map>

namespace tilec {

/// Address spaces of an NVIDIA GPU.
constexpr unsigned globalSpace = 1;
constexpr unsigned sharedSpace = 3;
constexpr unsigned sharedClusterSpace = 7;

/// Builds host code at the insertion point of its rewriter.
class SimBuilder {
public:
  /// What a function of the runtime does besides giving its result.
  enum class Effect { Any, Reads, None };

  explicit SimBuilder(mlir::ModuleOp module);

  mlir::Type i32() { return rewriter.getI32Type(); }
  mlir::Type i64() { return rewriter.getI64Type(); }
  mlir::Type pointer() { return mlir::LLVM::LLVMPointerType::get(rewriter.getContext()); }
  mlir::Value constant(mlir::Location loc, mlir::Type type, int64_t value);
  mlir::Value constantI32(mlir::Location loc, int64_t value) { return constant(loc, i32(), value); }

  /// A call of the runtime's `function`, one of SimAbi.h or tilec_host_print; null for one without
  /// a result.
  mlir::Value call(mlir::Location loc, llvm::StringRef function, mlir::ValueRange operands);

  /// A call of another function, declared as one without effects when the module lacks it.
  mlir::Value callPure(mlir::Location loc, llvm::StringRef function, mlir::Type result,
                       mlir::ValueRange operands);

  /// Adds a site for `op` and returns its index.
  mlir::Value site(mlir::Operation *op, const llvm::Twine &what);

  /// Temporaries of a function: one buffer for each purpose, as large as its largest use.
  enum class Slot { Value, Compare, Result, Coordinates, MatrixA, MatrixB, MatrixC, MatrixD };
  static constexpr unsigned bufferAlignment = 16;
  /// The buffer of the function around `op`.
  mlir::Value scratch(mlir::Operation *op, Slot slot, unsigned bytes);

  /// Moves a value to and from such a buffer.
  void storeTo(mlir::Location loc, mlir::Value buffer, mlir::Value value) {
    mlir::LLVM::StoreOp::create(rewriter, loc, value, buffer, bufferAlignment);
  }
  mlir::Value loadFrom(mlir::Location loc, mlir::Value buffer, mlir::Type type) {
    return mlir::LLVM::LoadOp::create(rewriter, loc, type, buffer, bufferAlignment);
  }

  /// The buffer of the function around `op` with `values`, of whole bytes, one after another.
  mlir::Value registers(mlir::Operation *op, Slot slot, mlir::ValueRange values,
                        unsigned minBytes = 0);
  /// What such a buffer holds, as values of `types`.
  llvm::SmallVector<mlir::Value> fromRegisters(mlir::Location loc, mlir::Value buffer,
                                               mlir::TypeRange types);

  /// A struct of `members`; the only member for a type that is no struct. And back.
  mlir::Value pack(mlir::Location loc, mlir::Type type, mlir::ValueRange members);
  llvm::SmallVector<mlir::Value> unpack(mlir::Location loc, mlir::Value structure);

  /// The offset in the shared window that a shared pointer is, or the address in those of the
  /// cluster.
  mlir::Value sharedOffset(mlir::Location loc, mlir::Value address);

  /// Pointer to a zero-terminated constant.
  mlir::Value text(mlir::Location loc, llvm::StringRef text);

  /// A predicate as the runtime takes it; true for a null value.
  mlir::Value predicate(mlir::Location loc, mlir::Value value);

  /// `value` reinterpreted as `type`, which has as many bits; pointers included.
  mlir::Value bits(mlir::Location loc, mlir::Value value, mlir::Type type);

  /// Whether equal loads of shared memory are to be one, as on a GPU: for counts.
  bool mergesLoads = false;

  mlir::ModuleOp module;
  mlir::IRRewriter rewriter;
  mlir::SymbolTable symbols;
  SiteTable sites;

private:
  /// `offset` bytes into a buffer.
  mlir::Value at(mlir::Location loc, mlir::Value buffer, unsigned offset);

  mlir::LLVM::LLVMFuncOp declare(llvm::StringRef name, mlir::LLVM::LLVMFunctionType type,
                                 Effect effect);

  /// Text (with its final zero) to the global that holds it.
  std::map<std::string, mlir::LLVM::GlobalOp> texts;
  /// Looked up, never iterated.
  llvm::DenseMap<std::pair<mlir::Operation *, int>, mlir::LLVM::AllocaOp> buffers;
};

/// Bytes of `type` in memory, when an access can move it: integers and floats of whole bytes (i1 is
/// a byte), global pointers, vectors of them.
std::optional<unsigned> accessBytes(mlir::Type type);

/// The pointer's address space; nothing for another type.
std::optional<unsigned> addressSpaceOf(mlir::Type type);

/// Whether the type is a pointer to memory that the runtime has: global, or shared, of the CTA or
/// of the cluster.
bool isSimulatedPointer(mlir::Type type);

/// What a lowering did with an operation.
enum class Lowered {
  No,    ///< It is not this lowering's.
  Yes,   ///< Replaced, or fine as it is.
  Failed ///< An error was reported.
};

/// The lowerings, by the file that has them.
Lowered lowerMemory(mlir::Operation *op, SimBuilder &b);
Lowered lowerAtomic(mlir::Operation *op, SimBuilder &b);
Lowered lowerPosition(mlir::Operation *op, SimBuilder &b);
Lowered lowerWarpOp(mlir::Operation *op, SimBuilder &b);
Lowered lowerMatrix(mlir::Operation *op, SimBuilder &b);
Lowered lowerWgmma(mlir::Operation *op, SimBuilder &b);
Lowered lowerMbarrier(mlir::Operation *op, SimBuilder &b);
Lowered lowerCopy(mlir::Operation *op, SimBuilder &b);
Lowered lowerTensorMap(mlir::Operation *op, SimBuilder &b);
Lowered lowerCluster(mlir::Operation *op, SimBuilder &b);
Lowered lowerDeviceCall(mlir::Operation *op, SimBuilder &b);
Lowered lowerMath(mlir::Operation *op, SimBuilder &b);
Lowered lowerInlineAsm(mlir::Operation *op, SimBuilder &b);
Lowered lowerFloat8(mlir::Operation *op, SimBuilder &b);
Lowered lowerArithmetic(mlir::Operation *op, SimBuilder &b);
/// Takes every operation: reports those that the simulator does not have.
Lowered checkSupported(mlir::Operation *op, SimBuilder &b);

/// Reports "'NAME' is not supported on the simulator".
Lowered reportUnsupported(mlir::Operation *op, const llvm::Twine &why = "");

/// Makes every use of a register that may be an accumulator's of a wgmma in flight ask the runtime
/// for it. Comes before the operations are lowered.
void checkAccumulatorUses(mlir::LLVM::LLVMFuncOp function, SimBuilder &b);

/// Whether a pointer conversion is fine because only tensor copies use its result.
bool isTensorMapAddress(mlir::Operation *cast);

/// Puts calls of tilec_sim_count in front of every block of `function`.
void insertInstructionCounts(mlir::LLVM::LLVMFuncOp function, SimBuilder &b);

/// Puts calls of tilec_sim_count on the back edges of loops that can run without calling the
/// runtime.
void insertLoopTicks(mlir::LLVM::LLVMFuncOp function, SimBuilder &b);

/// Makes the kernel internal and adds the entry function of the kernel that the user calls `name`.
mlir::LogicalResult createKernelEntry(mlir::LLVM::LLVMFuncOp kernel, llvm::StringRef name,
                                      SimBuilder &b);

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_NVVMTOSIM_SIMBUILDER_H
