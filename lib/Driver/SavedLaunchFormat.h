// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What writing and reading a saved launch agree on: names, checksums, words for outcomes.

#ifndef TILEC_LIB_DRIVER_SAVEDLAUNCHFORMAT_H
#define TILEC_LIB_DRIVER_SAVEDLAUNCHFORMAT_H

#include "tilec/Driver/SavedLaunch.h"

#include "llvm/Support/JSON.h"

namespace tilec {

constexpr llvm::StringLiteral savedFormat = "tilec launch";
/// A reader refuses a larger one.
constexpr uint64_t savedVersion = 1;

/// Checksum of a file, or of a piece of one: 32 hexadecimal digits of XXH3.
std::string savedChecksum(llvm::StringRef bytes);
/// Checksum of launch.json: of its members but "checksum", however it is laid out.
std::string savedChecksum(const llvm::json::Object &object);

std::string savedJsonPath(llvm::StringRef folder);
std::string savedBufferPath(llvm::StringRef folder, size_t buffer);
/// The source keeps the suffix that says how it is read.
std::string savedSourcePath(llvm::StringRef folder, const KernelOrigin &origin);

/// One of the files that the source imports.
std::string savedModulePath(llvm::StringRef folder, size_t module);

/// "running", "completed", "failed".
llvm::StringRef savedOutcomeName(SavedOutcome outcome);

} // namespace tilec

#endif // TILEC_LIB_DRIVER_SAVEDLAUNCHFORMAT_H
