// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tilec program: compiles, runs and inspects tile kernels.

#include "Commands.h"
#include "Console.h"

#include <csignal>
#include <exception>

int main(int argc, char **argv) {
  using namespace tilec::tool;
  // A write beyond the file size limit is an error like a full disk, not a signal.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return int(runTool(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc)));
  } catch (const std::exception &error) {
    return int(reportInternalError(error.what()));
  } catch (...) {
    return int(reportInternalError("an exception of unknown type"));
  }
}
