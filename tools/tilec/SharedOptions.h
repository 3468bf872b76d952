// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of options that several commands have: the source and its arguments, one kernel of it,
// lists of configurations, and how it is launched.

#ifndef TILEC_TOOLS_TILEC_SHAREDOPTIONS_H
#define TILEC_TOOLS_TILEC_SHAREDOPTIONS_H

#include "OptionSet.h"
#include "Options.h"

#include "tilecrt/TimelineBuffer.h"

namespace tilec::tool {

/// '--no-cache' and '--cache-dir'.
void addCacheOptions(OptionSet &options, CacheOptions &cache);

/// '-W'.
void addWarningOptions(OptionSet &options, std::vector<std::string> &texts);
/// Of all commands but compile, which knows remarks too.
WarningOptions readWarnings(const std::vector<std::string> &texts);

/// '-I': folders that imports are looked for in.
void addImportRoots(OptionSet &options, std::vector<std::string> &roots);

/// '--ptxas'.
void addAssemblerOption(OptionSet &options, std::string &path);

/// What every command that compiles has: the file, its arguments and constants. The options for
/// constants and the kernel's name differ, and are declared by those that use this.
struct SourceOptions {
  KernelOptions kernel;
  std::vector<std::string> arguments, constants;
  std::string diagnosticsFormat = "text";
  std::vector<std::string> warnings;
  /// 0: the compiler's own limits.
  unsigned maxSteps = 0, maxOps = 0, maxUnroll = 0;

  void declare(OptionSet &options, const char *argumentValue, const char *argumentText);
  KernelOptions read();
};

/// The source, and one kernel of it with one configuration.
struct SingleKernelOptions {
  SourceOptions source;
  int numWarps = 0, numStages = 0, numCtas = 0, splitK = 0;

  void declare(OptionSet &options, const char *argumentValue, const char *argumentText);
  KernelOptions read(const OptionSet &options);
};

/// Which warps write marks of a timeline, and how many. What asks for one differs: a flag, or
/// files.
struct TimelineOptions {
  unsigned marks = tilecrt::timeline::usualMarks;
  std::string ctas = "0-3";

  void declare(OptionSet &options);
  /// `isAsked`: with a timeline.
  void read(const OptionSet &options, bool isAsked, CompileOptions &compile) const;
};

/// Constants, warps, stages and clusters as lists.
struct ListedOptions {
  std::string numWarps, numStages, numCtas, splitK;

  void declare(OptionSet &options, SourceOptions &source);
};

/// The page of a command that measures.
struct PageFlags {
  PageOptions page;

  void declare(OptionSet &options);
  /// Checks that there is something to show: `needed` are options that a measurement needs.
  PageOptions read(const OptionSet &options, llvm::ArrayRef<const char *> needed);
};

/// Data, grid and device, of the commands that launch.
struct LaunchOptions {
  std::string grid;
  std::vector<std::string> buffers;
  std::string device = "auto";
  bool check = false;
  std::string seed = "0";
  bool noSpecialize = false;

  void declare(OptionSet &options, const char *devices);
  void read(const OptionSet &options, RunCommand &command) const;
  /// The same for measurements, which name their device: a GPU unless another one is given.
  void readMeasured(const OptionSet &options, RunCommand &command);
};

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_SHAREDOPTIONS_H
