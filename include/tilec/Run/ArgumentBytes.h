// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values as the bytes of a kernel's arguments.

#ifndef TILEC_RUN_ARGUMENTBYTES_H
#define TILEC_RUN_ARGUMENTBYTES_H

#include "tilecrt/KernelMetadata.h"
#include "tilecrt/Result.h"
#include "tilecrt/data/DataSpec.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <variant>

namespace tilec {

/// The bytes of each argument of a kernel, in its order.
using ArgumentBytes = std::vector<std::vector<char>>;

/// An address, a number that becomes whatever type the kernel has, or the bytes themselves.
using ArgumentValue = std::variant<uint64_t, tilecrt::NumberData, std::vector<char>>;

/// Stores a number as an element of `type`; the bytes that do not fit are cut off, as in C.
void storeNumber(const tilecrt::NumberData &number, tilecrt::DType type, void *bytes);

/// Looks the arguments of a kernel up by their names. Errors name an argument that is not there, or
/// whose value does not fit its type.
tilecrt::Result<ArgumentBytes>
encodeArguments(const tilecrt::KernelMetadata &metadata,
                llvm::function_ref<std::optional<ArgumentValue>(llvm::StringRef)> find);

/// Whether these arguments have the tensor maps that the compiler has inferred. What is wrong with
/// them otherwise is for the launch to say.
bool inferredMapsFit(const tilecrt::KernelMetadata &metadata,
                     const tilecrt::Result<ArgumentBytes> &values);

} // namespace tilec

#endif // TILEC_RUN_ARGUMENTBYTES_H
