// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of options that have a grammar of their own (words, lists, NAME=VALUE), checked so that
// every message says what is accepted.

#ifndef TILEC_TOOLS_TILEC_OPTIONVALUES_H
#define TILEC_TOOLS_TILEC_OPTIONVALUES_H

#include "OptionSet.h"
#include "Options.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace tilec::tool {

/// What is wrong with the command line. Does not leave parseCommandLine.
struct UsageError {
  std::string message;
};

[[noreturn]] void usage(const llvm::Twine &message);

/// "; did you mean 'NAME'?", or nothing when none of the known names is near.
std::string suggestion(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known);

/// One of a list of words, as its index.
size_t chooseWord(llvm::StringRef option, llvm::StringRef text,
                  llvm::ArrayRef<llvm::StringRef> words);

TextFormat readFormat(llvm::StringRef option, llvm::StringRef text);

/// The GPU whose name contains the text.
const explain::GpuLimits *readGpu(llvm::StringRef text);

/// NAME=VALUE each, no name twice.
std::vector<NamedValue> splitNamed(llvm::StringRef option, const std::vector<std::string> &texts);

/// The parts of "a,(b,c),'d,e'" between commas outside brackets and quotes.
std::vector<std::string> splitList(llvm::StringRef option, llvm::StringRef text);

/// The numbers of a list, each as `check` returns it; none when the option is not given.
std::vector<int> readNumbers(const OptionSet &options, llvm::StringRef option, llvm::StringRef text,
                             int (*check)(int));

/// The value itself, if there can be so many.
int checkNumWarps(int value);
int checkNumStages(int value);
int checkNumCtas(int value);
int checkSplitK(int value);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_OPTIONVALUES_H
