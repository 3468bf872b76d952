// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a cubin says of the kernels in it, whoever made it: their parameters, and what they take of
// the machine.

#ifndef TILEC_TARGET_CUBINFILE_H
#define TILEC_TARGET_CUBINFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec {

struct CubinKernel {
  std::string name;
  /// Of a thread; nothing where the file does not say.
  std::optional<int> registers;
  /// Local memory of a thread in bytes: spilled registers, and arrays.
  int localBytes = 0;
  /// Statically declared shared memory of a CTA.
  int64_t staticSharedBytes = 0;
  /// The threads of a CTA that it has to be launched with; 0: it does not say.
  int threadsPerCta = 0;
  /// The bytes of each parameter, in order.
  std::vector<uint32_t> parameterBytes;
};

/// The kernels of a cubin, by name. An error says why it is none.
llvm::Expected<std::vector<CubinKernel>> readCubin(llvm::StringRef cubin);

/// The kernel of that name in a cubin; nothing where there is no such kernel, or no cubin.
std::optional<CubinKernel> findInCubin(llvm::StringRef cubin, llvm::StringRef kernel);

} // namespace tilec

#endif // TILEC_TARGET_CUBINFILE_H
