// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProgressLine.h.

#include "ProgressLine.h"

#include "Console.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <unistd.h>

namespace tilec::tool {

ProgressLine::ProgressLine(std::string what)
    : title(std::move(what)), shown(::isatty(STDERR_FILENO) == 1),
      start(std::chrono::steady_clock::now()) {}

ProgressLine::~ProgressLine() {
  if (shown)
    writeToStderr("\r\x1b[K");
}

void ProgressLine::show(size_t done, size_t total, const std::string &best) {
  if (!shown || total == 0)
    return;
  constexpr size_t width = 24;
  size_t filled = width * done / total;
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  double left = elapsed.count() / double(done) * double(total - done);
  std::string line = llvm::formatv("\r{0} [{1}{2}] {3}/{4}, {5:F0} s left{6}\x1b[K", title,
                                   std::string(filled, '#'), std::string(width - filled, '.'), done,
                                   total, left, best.empty() ? "" : ", best " + best)
                         .str();
  writeToStderr(line);
}

} // namespace tilec::tool
