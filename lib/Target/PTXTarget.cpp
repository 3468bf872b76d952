// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of processors. The oldest versions are those of the PTX manual's table of target
// architectures.

#include "tilec/Target/PTXTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <iterator>

namespace tilec {

namespace {

struct Row {
  llvm::StringLiteral processor;
  int computeCapability;
  unsigned oldestPTX;
  unsigned defaultPTX;
};

// 8.4 came with CUDA 12.4: the first with every sm_89 and sm_90a instruction that tilec emits.
// 8.8 came with CUDA 12.9 and has the 256-bit accesses of sm_100 and later. Newer processors start
// where they were introduced, or one step later where their first version lacks half of their
// instructions.
constexpr Row rows[] = {
    {"sm_70", 70, 60, 84},    {"sm_75", 75, 63, 84},    {"sm_80", 80, 70, 84},
    {"sm_86", 86, 71, 84},    {"sm_87", 87, 74, 84},    {"sm_89", 89, 78, 84},
    {"sm_90", 90, 78, 84},    {"sm_90a", 90, 80, 84},   {"sm_100", 100, 86, 88},
    {"sm_100a", 100, 86, 88}, {"sm_100f", 100, 88, 88}, {"sm_103", 103, 88, 88},
    {"sm_103a", 103, 88, 88}, {"sm_103f", 103, 88, 88}, {"sm_110", 110, 90, 90},
    {"sm_110a", 110, 90, 90}, {"sm_110f", 110, 90, 90}, {"sm_120", 120, 87, 88},
    {"sm_120a", 120, 87, 88}, {"sm_120f", 120, 88, 88}, {"sm_121", 121, 88, 88},
    {"sm_121a", 121, 88, 88}, {"sm_121f", 121, 88, 88},
};

std::string versionText(unsigned version) {
  return llvm::formatv("{0}.{1}", version / 10, version % 10);
}

} // namespace

llvm::Expected<PTXTarget> findPTXTarget(llvm::StringRef processor) {
  for (const Row &row : rows)
    if (row.processor == processor)
      return PTXTarget{row.processor.str(), row.computeCapability, row.oldestPTX, row.defaultPTX};
  std::string known =
      llvm::join(llvm::map_range(rows, [](const Row &row) { return row.processor; }), ", ");
  return llvm::createStringError(
      llvm::formatv("unknown target '{0}', expected one of {1}", processor, known).str());
}

llvm::Expected<unsigned> choosePTXVersion(const PTXTarget &target, unsigned requested) {
  if (requested == 0)
    return target.defaultPTX;
  if (requested < target.oldestPTX)
    return llvm::createStringError(llvm::formatv("target '{0}' needs PTX {1} or newer, got {2}",
                                                 target.processor, versionText(target.oldestPTX),
                                                 versionText(requested))
                                       .str());
  if (requested > newestPTX)
    return llvm::createStringError(
        llvm::formatv("PTX {0} is newer than the newest version known, {1}", versionText(requested),
                      versionText(newestPTX))
            .str());
  return requested;
}

} // namespace tilec
