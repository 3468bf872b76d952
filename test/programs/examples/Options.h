// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of a program that runs cases.

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_OPTIONS_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_OPTIONS_H

#include "CaseProgram.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilec::harness {

struct Options {
  enum class DeviceChoice { Auto, Cuda, Sim, Interp };
  DeviceChoice device = DeviceChoice::Auto;
  int ordinal = 0;
  /// Whose code the simulator runs; empty: the default's.
  std::string processor;
  /// One case per example.
  bool quick = false;
  /// The large sizes instead of the others.
  bool large = false;
  bool list = false;
  bool check = true;
  /// Whether kernels are persistent; not given: the compiler's choice.
  std::optional<bool> persistent;
  /// Only compile, to a cubin for this processor.
  std::string compileFor;
  /// Regular expression over case names.
  std::string filter;
  /// Chosen at random when not given.
  std::optional<uint64_t> seed;
  std::string json;
  /// File of golden counters to compare with, or to write.
  std::string counters;
  /// File of digests of the PTX to compare with, or to write.
  std::string digests;
  /// Folder that the PTX of every kernel is written to.
  std::string ptxFolder;
  /// File of mutants that may survive; and how many mutants to try, 0 for all.
  std::string mutants;
  uint64_t sample = 0;
  /// Of the pairs of a kernel and a type, in an order that the seed chooses, those whose number is
  /// `shard` modulo `shards`.
  uint64_t shard = 0, shards = 1;
  bool update = false;
  /// Folder of the examples; empty: looked for.
  std::string examples;
};

/// The options, or none when the program should end with `exitCode` (help was printed, or the usage
/// was wrong).
std::optional<Options> parseOptions(int argc, char **argv, const CaseProgram &program,
                                    int &exitCode);

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_OPTIONS_H
