// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kind of a call's values: what decides which code a kernel needs for them, as words that can
// be compared, as types and constants for the compiler, and as the places that the code's
// arguments are read from. All three go through the values in the same way (CallKind.cpp).

#ifndef TILEC_LIB_API_CALLKIND_H
#define TILEC_LIB_API_CALLKIND_H

#include "Status.h"

#include "tilec/Driver/Compiler.h"
#include "tilecrt/KernelMetadata.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace tilec::api {

/// A parameter of a kernel that calls give values for.
struct JitParameter {
  /// Whether it is a number or a pointer of a signature.
  bool isPacked() const {
    return element != TILEC_TYPE_NONE && !(kinds >> TILEC_VALUE_DESCRIPTOR & 1);
  }
  /// Gives it the type of a signature. A failure was kept when it is not TILEC_OK.
  tilec_status setType(llvm::StringRef text);

  std::string name;
  bool isConstexpr = false;
  /// What its annotation or the signature says; empty where there is neither.
  std::string type;
  /// A pointer that the kernel may not write through.
  bool isConst = false;
  /// False: every value of a type has the same code; or every address and size; or 1 is an integer
  /// as others are.
  bool isSpecialized = true, isAligned = true, foldsOne = true;
  /// A number in offsets, bounds or divisions: multiples of 8 make a kind of their own, too.
  bool isIndex = false;
  /// In a signature: what it points to, or its own type. TILEC_TYPE_NONE: the values say it.
  tilec_type element = TILEC_TYPE_NONE;
  /// The kinds of values that it takes, a bit for each.
  uint32_t kinds = ~(1u << TILEC_VALUE_BITS);
  /// `key` of @triton.autotune names it.
  bool isTuningKey = false;
};

/// Words that are equal where the code is.
using KindKey = llvm::SmallVector<uint64_t, 64>;

/// How one argument of the code comes from the values of a call.
struct ArgumentSource {
  enum class From : uint8_t {
    /// The value's first bytes.
    Value,
    /// The value as a float of `bits`.
    Float,
    BFloat16,
    DescriptorData,
    DescriptorSize,
    DescriptorStride,
  };
  uint32_t value = 0;
  From from = From::Value;
  /// Of a float, its bits; of an integer, those that the value has to fit.
  uint8_t bits = 0;
  bool isSigned = false;
  /// The dimension of a descriptor.
  uint8_t dim = 0;
  /// The value has to be a multiple of this, where the kind of a call does not say whether it is.
  uint32_t multiple = 1;
};

/// The words of a call's values. A failure was kept when it is not TILEC_OK.
tilec_status readKind(llvm::ArrayRef<JitParameter> parameters,
                      llvm::ArrayRef<tilec_call_value> values, KindKey &key);

/// What the compiler is told of values of that kind.
void describeKind(llvm::ArrayRef<JitParameter> parameters, llvm::ArrayRef<tilec_call_value> values,
                  CompileOptions &options);

/// Where the arguments of the code come from, in launch order. A failure was kept when it is not
/// TILEC_OK.
tilec_status findSources(llvm::ArrayRef<JitParameter> parameters,
                         llvm::ArrayRef<tilec_call_value> values,
                         const tilecrt::KernelMetadata &metadata,
                         std::vector<ArgumentSource> &sources);

/// Whether a value is part of the code.
bool isConstant(const JitParameter &parameter, const tilec_call_value &value);

/// The arguments of one launch: pointers to the values of a call, or to copies in here.
class ArgumentReader {
public:
  /// For that many arguments.
  explicit ArgumentReader(size_t count) {
    copies.reserve(count);
    pointers.reserve(count);
  }
  tilec_status read(llvm::ArrayRef<ArgumentSource> sources, llvm::ArrayRef<tilec_call_value> values,
                    const tilecrt::KernelMetadata &metadata);
  /// Adds argument number `index` of the code.
  tilec_status add(const ArgumentSource &source, const tilec_call_value &value,
                   const tilecrt::KernelMetadata &metadata, size_t index);
  const void *const *data() const { return pointers.data(); }

private:
  tilec_status addDescriptor(const ArgumentSource &source, const tilec_descriptor &descriptor,
                             const tilecrt::KernelMetadata &metadata, size_t index);

  llvm::SmallVector<const void *, 64> pointers;
  /// Reserved before the first is added: they must not move.
  llvm::SmallVector<uint64_t, 64> copies;
};

/// The sources of one value that is an argument: of a tensor descriptor its address, sizes and
/// strides. `index` is its place among the call's values.
void addSources(const tilec_call_value &value, uint32_t index,
                llvm::ArrayRef<tilecrt::KernelArgument> arguments,
                std::vector<ArgumentSource> &sources);

/// The arguments of code whose parameter is of a type.
void addArguments(const ArgumentSpec &spec, std::vector<tilecrt::KernelArgument> &arguments);

/// The integer of `size` bytes.
int64_t readInteger(const void *data, size_t size, bool isSigned);

/// Whether an integer survives being cut to the bits of its argument.
bool fitsArgument(const tilec_call_value &value, const ArgumentSource &source);

/// A constant as the language writes it.
std::string literalOf(const tilec_call_value &value);

/// A value's type in a signature's notation ("*fp16", "i32"); a constant's text.
std::string describeValue(const tilec_call_value &value);

/// The text of a number of tilec_constant; empty for other numbers.
std::string constantText(uint64_t number);

} // namespace tilec::api

#endif // TILEC_LIB_API_CALLKIND_H
