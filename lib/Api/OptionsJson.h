// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of a compilation for another process of the same version: what decides the code.

#ifndef TILEC_LIB_API_OPTIONSJSON_H
#define TILEC_LIB_API_OPTIONSJSON_H

#include "tilec/Driver/Compiler.h"

#include "llvm/Support/JSON.h"

namespace tilec::api {

llvm::json::Value encodeOptions(const CompileOptions &options);
/// Nothing when a member is missing or of another type.
std::optional<CompileOptions> decodeOptions(const llvm::json::Value &value);

} // namespace tilec::api

#endif // TILEC_LIB_API_OPTIONSJSON_H
