// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of the middle end that write down what is known of the processor.

#ifndef TILEC_LIB_TARGET_PROCESSORFACTS_H
#define TILEC_LIB_TARGET_PROCESSORFACTS_H

#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tilec {

/// Answers the questions that library code asks the compiler, with no to each: subnormals are not
/// flushed, and no code is meant for one architecture alone.
void answerLibraryQuestions(llvm::Module &module);

/// Gives reads of thread and block numbers the ranges that follow from the kernel's launch bounds.
llvm::Error addRegisterRanges(llvm::Module &module);

} // namespace tilec

#endif // TILEC_LIB_TARGET_PROCESSORFACTS_H
