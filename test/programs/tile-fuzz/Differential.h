// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One program run twice in this process: by the interpreter of the tile dialect, and on the
// simulator with checking after the whole pipeline.

#ifndef TILEC_TEST_PROGRAMS_TILE_FUZZ_DIFFERENTIAL_H
#define TILEC_TEST_PROGRAMS_TILE_FUZZ_DIFFERENTIAL_H

#include "Program.h"

#include <memory>

namespace tilec {
class Compiler;
}

namespace tilec::fuzz {

/// What is needed to run a program.
struct Subject {
  std::string source;
  uint64_t seed = 0;
  int grid = 1;
  int warps = 4;
  std::vector<Array> arrays;
  std::vector<ScalarArgument> scalars;
};

Subject subjectOf(const Program &program);

/// The subject as a test file, and back. `problem` says why not.
std::string writeSubject(const Subject &subject, const std::string &headline);
bool readSubject(const std::string &text, Subject &subject, std::string &problem);

struct Verdict {
  enum class Kind : uint8_t {
    /// As it should be.
    Same,
    /// Only one of the two compiles.
    CompileError,
    /// Neither compiles: the generator's mistake, or the front end's.
    SourceError,
    /// The interpreter stops: the program does something forbidden.
    InterpreterError,
    Finding,
    Difference,
    Crash,
    Hang
  };
  Kind kind = Kind::Same;
  std::string text;

  bool isSame() const { return kind == Kind::Same; }
  /// Equal for verdicts that probably have one cause.
  std::string signature() const;
};

/// "difference" and the like.
const char *nameOf(Verdict::Kind kind);

class Differential {
public:
  /// `target` of the simulated code: "sim", or "sim:" and a processor.
  explicit Differential(std::string simulatedTarget);
  ~Differential();

  Verdict run(const Subject &subject);

private:
  std::string target;
  std::unique_ptr<Compiler> compiler;
  int runs = 0;
};

} // namespace tilec::fuzz

#endif // TILEC_TEST_PROGRAMS_TILE_FUZZ_DIFFERENTIAL_H
