// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plausible types and values for the parameters of a kernel about which nothing is known but its
// text: for checking a file that nobody launches. Names, annotations and uses decide; several
// variants differ in what they cannot.

#ifndef TILEC_SEMA_SIGNATUREGUESS_H
#define TILEC_SEMA_SIGNATUREGUESS_H

#include "tilec/Sema/ParamUse.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace tilec {

/// What a parameter is taken to be.
struct ParamGuess {
  std::string name;
  /// `text` is a value (Python literal text); otherwise a type in signature notation.
  bool isConstant = false;
  std::string text;

  bool operator==(const ParamGuess &other) const {
    return name == other.name && isConstant == other.isConstant && text == other.text;
  }
};

/// What is not decided by the text.
struct GuessVariant {
  /// Element type of pointers to data; empty: "fp16" where matrix products are computed, else
  /// "fp32".
  std::string element = {};
  /// Element type of pointers to indices.
  std::string index = "i32";
  /// Flags known at compile time.
  bool flag = false;
  /// Sizes of blocks; 0: by their number.
  unsigned size = 0;
  /// Optional pointers are None.
  bool withoutOptional = false;
};

/// The variants worth trying, the most plausible one first.
llvm::ArrayRef<GuessVariant> guessVariants();

/// A guess for every parameter but those that `known` names (configurations and heuristics give
/// them), those with a type in the source, and those with a default value that `asked` does not
/// name.
std::vector<ParamGuess> guessSignature(const ast::Module &module, const ast::FunctionDef &kernel,
                                       llvm::ArrayRef<ParamUse> uses,
                                       llvm::ArrayRef<std::string> known,
                                       const GuessVariant &variant,
                                       llvm::ArrayRef<std::string> asked = {});

/// What a decorator says about the parameters, as those of TorchInductor do:
/// `@pointwise(triton_meta={'signature': {'in_ptr0': '*fp32', 'xnumel': 'i32'}, 'constants': {}})`.
/// Older ones have numbers for names.
std::vector<ParamGuess> readSignature(const ast::FunctionDef &kernel);

/// Whether a function takes blocks, which only another kernel can hand to it.
bool needsBlocks(llvm::ArrayRef<ParamUse> uses);

/// Other types and values for one parameter than `guess`, the most plausible one first: what to try
/// when the front end refuses it.
std::vector<ParamGuess> findAlternatives(const ast::Module &module, const ParamUse &use,
                                         const ParamGuess &guess);

} // namespace tilec

#endif // TILEC_SEMA_SIGNATUREGUESS_H
