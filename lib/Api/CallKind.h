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
  std::string name;
  bool isConstexpr = false;
  /// What its annotation says; empty where there is none.
  std::string type;
  /// A pointer that the kernel may not write through.
  bool isConst = false;
  /// False: every value of a type has the same code; or every address and size.
  bool isSpecialized = true, isAligned = true;
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

/// The arguments of one launch: pointers to the values of a call, or to copies in here.
class ArgumentReader {
public:
  tilec_status read(llvm::ArrayRef<ArgumentSource> sources, llvm::ArrayRef<tilec_call_value> values,
                    const tilecrt::KernelMetadata &metadata);
  const void *const *data() const { return pointers.data(); }

private:
  tilec_status readDescriptor(const ArgumentSource &source, const tilec_descriptor &descriptor,
                              const tilecrt::KernelArgument &argument);

  llvm::SmallVector<const void *, 48> pointers;
  /// Reserved before the first is added: they must not move.
  llvm::SmallVector<uint64_t, 16> copies;
};

/// The sources of one value that is an argument: of a tensor descriptor its address, sizes and
/// strides. `index` is its place among the call's values.
void addSources(const tilec_call_value &value, uint32_t index,
                llvm::ArrayRef<tilecrt::KernelArgument> arguments,
                std::vector<ArgumentSource> &sources);

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
