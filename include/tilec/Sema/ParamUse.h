// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel does with each of its parameters, as far as its text shows: which ones are
// followed as pointers, which ones are sizes, bounds, flags, types. A scan over the syntax tree,
// for tools that have to guess a signature; nothing is evaluated.

#ifndef TILEC_SEMA_PARAMUSE_H
#define TILEC_SEMA_PARAMUSE_H

#include "tilec/Syntax/AST.h"

#include <string>
#include <vector>

namespace tilec {

/// Uses of one parameter. Several may hold; who reads them decides what comes first.
struct ParamUse {
  /// An address is computed from it and followed.
  bool isPointer = false;
  /// Itself a term of a sum.
  bool isTerm = false;
  /// Scales of tl.dot_scaled are loaded through it.
  bool loadsScales = false;
  /// A tensor descriptor: blocks of so many dimensions are loaded through it.
  bool isDescriptor = false;
  unsigned descriptorRank = 0;
  /// What is loaded through it is an index or is used with integers only.
  bool loadsIntegers = false;
  /// Bits of what is loaded through it are taken, or exchanged atomically.
  bool loadsBits = false;
  /// Other atomic operations go through it.
  bool isAtomic = false;
  /// What is loaded through it is an address.
  bool loadsAddresses = false;
  /// What is loaded through it decides (a mask).
  bool loadsConditions = false;
  /// The type that the text names for what is loaded through it, e.g. "float8e4nv".
  std::string element;
  /// What is loaded through it is an operand of a matrix product.
  bool feedsDot = false;
  /// A number in offsets, bounds, divisions.
  bool isIndex = false;
  /// Something is divided by it.
  bool isDivisor = false;
  /// A multiple of it is promised.
  bool isAlignment = false;
  /// A number that meets loaded values or mathematical functions.
  bool isReal = false;
  /// The condition of an `if`.
  bool isCondition = false;
  /// Compared with None.
  bool isOptional = false;
  /// Part of the shape of a block.
  bool isExtent = false;
  /// Must be known at compile time for another reason.
  bool isStatic = false;
  /// A number is shifted by it or raised to it: the logarithm of something.
  bool isExponent = false;
  /// How often a loop is unrolled.
  bool isUnrolled = false;
  /// A tuple: elements are taken by number. How many there are at least; 0 when that is open.
  bool isTuple = false;
  unsigned tupleSize = 0;
  /// The same of its elements.
  bool holdsTuples = false;
  unsigned innerSize = 0;
  /// A tuple whose elements become arguments of a call.
  bool isSpread = false;
  /// A block: it has dimensions, so that no launch can give it.
  bool isBlock = false;
  /// Names a type.
  bool isType = false;
  /// Called as a function with so many arguments; ~0 when their number is open.
  bool isCalled = false;
  unsigned numArguments = 0;
  /// Strings that it is compared with.
  std::vector<std::string> strings;
  /// Integers that it is equal to somewhere.
  std::vector<int64_t> numbers;
};

class ModuleLoader;

/// The uses of the parameters of a function, in their order; calls of functions of the same file,
/// and with a loader those of imported ones, are followed. In time linear in the code that can be
/// reached, whatever calls what.
std::vector<ParamUse> findParamUses(const ast::Module &module, const ast::FunctionDef &function,
                                    ModuleLoader *loader = nullptr);

} // namespace tilec

#endif // TILEC_SEMA_PARAMUSE_H
