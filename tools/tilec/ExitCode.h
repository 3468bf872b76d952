// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the process tells its caller.

#ifndef TILEC_TOOLS_TILEC_EXITCODE_H
#define TILEC_TOOLS_TILEC_EXITCODE_H

namespace tilec::tool {

enum class ExitCode : int {
  Ok = 0,
  /// A diagnosed error in the input: the program, its data, a file, a finding, a mismatch.
  InputError = 1,
  /// The command line is wrong.
  Usage = 2,
  /// A bug of ours.
  Internal = 3,
  /// This machine lacks something that the command needs: a device, a driver, ptxas, a library.
  Unavailable = 4
};

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_EXITCODE_H
