// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes to a kernel's text that mostly leave it a program: words, numbers and lines are replaced
// by others, expressions are wrapped, lines are put under conditions and loops. Changes of single
// bytes hardly ever get past the parser.

#ifndef TILEC_TEST_FUZZ_SOURCEMUTATOR_H
#define TILEC_TEST_FUZZ_SOURCEMUTATOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <random>
#include <string>
#include <vector>

namespace tilec::fuzz {

class SourceMutator {
public:
  /// `vocabulary` are words to put in besides those of the text; it must outlive the mutator.
  SourceMutator(llvm::ArrayRef<std::string> vocabulary, unsigned seed)
      : words(vocabulary), random(seed) {}

  /// A few changes, one after the other.
  std::string mutate(llvm::StringRef text);
  /// Lines of the second text in the first one.
  std::string cross(llvm::StringRef first, llvm::StringRef second);

private:
  struct Token {
    enum class Kind { Word, Number, Operator, Other };
    Kind kind;
    size_t begin, size;
  };

  static std::vector<Token> scan(llvm::StringRef text);
  size_t pick(size_t count) { return random() % count; }
  template <typename T, size_t N> const T &pickOf(const T (&list)[N]) { return list[pick(N)]; }
  std::string changeToken(llvm::StringRef text);
  std::string changeLines(llvm::StringRef text);
  std::string changeLine(llvm::StringRef line);
  std::string pickWord(llvm::StringRef text, const std::vector<Token> &tokens);

  llvm::ArrayRef<std::string> words;
  std::minstd_rand random;
};

/// Copies as much of a text as there is room for; how much that was.
size_t put(llvm::StringRef text, uint8_t *out, size_t maxSize);

} // namespace tilec::fuzz

#endif // TILEC_TEST_FUZZ_SOURCEMUTATOR_H
