// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parameters of a kernel are bound to while it is being specialised.

#ifndef TILEC_LIB_IRGEN_KERNELBINDING_H
#define TILEC_LIB_IRGEN_KERNELBINDING_H

#include "Generator.h"

#include "tilec/Sema/Signature.h"

#include "llvm/ADT/StringSet.h"

namespace tilec::irgen {

/// The jit functions of a module that can be selected by name, in source order; with `hidden` also
/// those that can be selected by the names around them only.
std::vector<const ast::FunctionDef *> getKernels(const ast::Module &module, bool hidden = false);

/// Those that can be meant when nothing is selected: no other jit function mentions them, and they
/// return no value.
std::vector<const ast::FunctionDef *> getEntryKernels(const ast::Module &module,
                                                      bool hidden = false);

/// A parameter that stays an argument of the emitted function.
struct RuntimeParam {
  const ast::Param *param;
  SignatureType type;
  /// Its name, or "x.0" for an element of a tuple.
  std::string path;
};

/// Elements of tuples counted one by one; the parameters of a kernel may take 32 KiB.
inline constexpr size_t argumentLimit = 4096;

/// The arguments with the elements of tuples one by one; their constants are appended to
/// `constants`. Nothing when there are more than `argumentLimit`.
std::optional<std::vector<ArgumentSpec>> expandTuples(const std::vector<ArgumentSpec> &arguments,
                                                      std::vector<ConstantSpec> &constants);

/// A tuple whose runtime elements, poison with their path, become those of `leaves`.
Value fillTuple(const Value &value, const std::map<std::string, Value> &leaves);

/// What the decorators of a kernel say: configurations, heuristics. With `complain`, warns of what
/// is not known at compile time.
void readDecorators(Generator &g, const SourceModule &module, const ast::FunctionDef &kernel,
                    KernelInfo &info, bool complain);

/// Gives each parameter of a kernel a type or a value, from what the caller says, the annotations,
/// the first configuration, the heuristics and the defaults.
class KernelBinding {
public:
  KernelBinding(Generator &generator, const SourceModule &source, const ast::FunctionDef &function)
      : g(generator), module(source), kernel(function) {}

  /// Fails after errors.
  LogicalResult bind();

  /// In the order of the source.
  std::vector<RuntimeParam> runtime;
  /// Parameters that are tuples, with poison in the place of runtime elements.
  llvm::StringMap<Value> tuples;
  /// The classes of those that are objects of aggregates.
  llvm::StringMap<ClassValue> aggregates;
  /// Compile-time values by parameter name.
  llvm::StringMap<Value> values;
  int numWarps = 4;
  int numStages = 3;

private:
  // KernelBinding.cpp
  LogicalResult bindParam(const ast::Param &param);
  FailureOr<Value> evaluateConstantText(llvm::StringRef name, llvm::StringRef text);

  // KernelTuples.cpp
  /// Whether a parameter is a tuple, which is bound then.
  FailureOr<bool> bindTupleParam(const ast::Param &param);

  // Autotune.cpp
  void applyAutotune(const KernelInfo &info, llvm::ArrayRef<llvm::StringRef> params);
  LogicalResult runHeuristics();

  Generator &g;
  const SourceModule &module;
  const ast::FunctionDef &kernel;
  /// What the caller says, tuples element by element.
  std::vector<ArgumentSpec> arguments;
  std::vector<ConstantSpec> constants;
  /// Parameters whose value `@triton.heuristics` computes.
  llvm::StringSet<> fromHeuristics;
  /// Keeps the trees of constant texts alive.
  std::vector<std::unique_ptr<ast::Module>> constantTrees;
};

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_KERNELBINDING_H
