// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a lowered kernel (LLVM and NVVM dialects, after convert-thread-to-ptx) to PTX text, in three
// steps that can be taken one by one:
//
//   translateToLLVM   MLIR to LLVM IR for the target, mathematics linked
//   optimizeLLVM      the middle-end pipeline
//   emitPTX           the NVPTX back end
//
// translateToPTX takes all three. Every function may be called from several threads at once, each
// with its own MLIRContext. Nothing is printed and no user input ends the process: LLVM's
// diagnostics and its fatal errors come back as llvm::Error. The same module and options give the
// same bytes.

#ifndef TILEC_TARGET_PTX_H
#define TILEC_TARGET_PTX_H

#include "tilec/Support/Processor.h"
#include "tilec/Target/MathLibrary.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tilec {

/// How to translate.
struct PTXOptions {
  std::string target = "sm_90a";
  /// PTX version, major * 10 + minor; 0 takes the target's default.
  unsigned ptxVersion = 0;
  /// Whether the PTX has '.loc' lines of the source.
  bool lineInfo = true;
  /// Whether a multiplication and an addition may become one fma.
  bool fuseMultiplyAdd = true;
  /// Whether approximations of fp32 may take subnormal results to zero.
  bool flushSubnormals = true;
  /// 0 translates without optimising; 1 to 3 are LLVM's levels.
  unsigned optLevel = 3;
  /// Whether LLVM's straight-line strength reduction runs on code with many addresses, too, where it
  /// takes seconds.
  bool alwaysReducesStrength = false;
  /// The bitcode libraries to take mathematics from; see findMathLibraries.
  MathLibraries mathLibraries;
  MathLibraryPreference mathPreference = MathLibraryPreference::libclc;
};

/// PTX and what is worth knowing about it.
struct PTXResult {
  std::string ptx;
  /// Entry points, in the module's order.
  std::vector<std::string> kernels;
  /// PTX version, major * 10 + minor.
  unsigned ptxVersion = 0;
  LinkedMath math;
  /// Whether strength reduction was left out because of many addresses.
  bool leftOutReduction = false;
};

/// An LLVM module for an NVIDIA processor, with its context and target machine. Move-only. Not for
/// two threads at once.
class DeviceModule {
public:
  struct Impl;

  explicit DeviceModule(std::unique_ptr<Impl> impl);
  DeviceModule(DeviceModule &&other) noexcept;
  DeviceModule &operator=(DeviceModule &&other) noexcept;
  ~DeviceModule();

  /// The module as LLVM assembly.
  std::string print() const;
  /// The bitcode functions that were linked in.
  const LinkedMath &linkedMath() const;
  Impl &implementation() { return *impl; }

private:
  std::unique_ptr<Impl> impl;
};

/// Adds the translations to LLVM IR of the dialects that a lowered kernel may have. translateToLLVM
/// adds them to its module's context itself when they are missing.
void registerPTXTranslations(mlir::DialectRegistry &registry);

/// Translates `module` and links the mathematics it uses. With line info, locations in `module`
/// gain debug scopes first; nothing else in it changes.
llvm::Expected<DeviceModule> translateToLLVM(mlir::ModuleOp module, const PTXOptions &options);

/// Runs the middle end in place. The pipeline is made for kernels: it has no vectorisers (tiles are
/// vectorised by layout) and none of the passes that give a block with a barrier or a shuffle a new
/// way in.
llvm::Error optimizeLLVM(DeviceModule &module, const PTXOptions &options);

/// Writes PTX. `module` is used up.
llvm::Expected<PTXResult> emitPTX(DeviceModule module, const PTXOptions &options);

/// The three steps.
llvm::Expected<PTXResult> translateToPTX(mlir::ModuleOp module, const PTXOptions &options);

} // namespace tilec

#endif // TILEC_TARGET_PTX_H
