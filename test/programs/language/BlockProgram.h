// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small kernel made of a few lines of the language: it reads whole blocks, computes, and stores
// whole blocks, each compared with a reference. The loads and stores around the lines are written
// here, and the types of the results are asserted.

#ifndef TILEC_TEST_PROGRAMS_LANGUAGE_BLOCKPROGRAM_H
#define TILEC_TEST_PROGRAMS_LANGUAGE_BLOCKPROGRAM_H

#include "test/programs/examples/Case.h"

#include <map>

namespace tilec::harness::language {

/// Wide enough for every value of every integer type, and for sums of two.
using Int = __int128;
using Shape = std::vector<int64_t>;

/// Writes random contents. The stream is another one for each array.
using Fill = std::function<void(HostArray &, tilecrt::RandomStream)>;

/// Normal values with a factor; integers of a third of their range at most, and within 100.
Fill normal(double factor = 1);
/// Uniform in [low, high); integers too.
Fill uniform(double low, double high);
/// Random bits; for floats without NaN and infinities.
Fill bits();
/// Zeros of both signs, infinities, NaN, the smallest, largest and subnormal values first, then
/// random ones; for integers the limits, -1, 0 and 1.
Fill edges();
/// These values, over and over.
Fill values(std::vector<double> list);
/// 0, 1, 2, ...
Fill counting();
/// Each of 0 to n-1 once, in random order.
Fill shuffled();

/// "tl.float32".
std::string languageName(DType type);
/// Number of bits of an element; 1 for booleans.
unsigned bitWidth(DType type);
bool isUnsigned(DType type);
/// The value of the low bits of `number` in an integer type.
Int wrap(DType type, Int number);
Int intAt(const HostArray &array, uint64_t index);
void setInt(HostArray &array, uint64_t index, Int number);
uint64_t countOf(const Shape &shape);
std::string shapeText(const Shape &shape);

class BlockProgram {
public:
  BlockProgram(std::string name, uint64_t randomSeed);

  /// A block `name`, read from an array with these contents. A shape of no dimensions is a scalar.
  BlockProgram &in(const std::string &name, DType type, const Shape &shape,
                   const Fill &fill = normal());
  /// Only the array, which the lines address as `NAME_ptr`.
  BlockProgram &buffer(const std::string &name, DType type, const Shape &shape,
                       const Fill &fill = normal());
  /// Lines of the kernel.
  BlockProgram &body(const std::string &lines);
  /// Module-level text in front of the kernel.
  BlockProgram &global(const std::string &text);

  /// What a block computed by the lines must be. Integers and booleans are compared exactly;
  /// `expect` gets an array of their type, or of doubles for floats.
  using Expectation = std::function<void(HostArray &)>;
  BlockProgram &out(const std::string &name, DType type, const Shape &shape,
                    const Expectation &expect, std::optional<tilecrt::Tolerance> tolerance = {});
  /// The same for an array that the lines write to by themselves, through `NAME_ptr`.
  BlockProgram &outBuffer(const std::string &name, DType type, const Shape &shape,
                          const Expectation &expect,
                          std::optional<tilecrt::Tolerance> tolerance = {});
  /// Element by element: a double for floats, an integer otherwise.
  BlockProgram &out(const std::string &name, DType type, const Shape &shape,
                    const std::function<double(uint64_t)> &value,
                    std::optional<tilecrt::Tolerance> tolerance = {});
  BlockProgram &outInt(const std::string &name, DType type, const Shape &shape,
                       const std::function<Int(uint64_t)> &value);
  /// A buffer given before is changed in place to this.
  BlockProgram &changes(const std::string &name, const Expectation &expect,
                        std::optional<tilecrt::Tolerance> tolerance = {});

  /// The contents of an array given before.
  const HostArray &array(const std::string &name) const { return arrays.at(name); }
  double at(const std::string &name, uint64_t index) const { return array(name).at(index); }
  Int intAt(const std::string &name, uint64_t index) const {
    return language::intAt(array(name), index);
  }
  /// For scalars, constants, grids and numbers of warps; every argument is a parameter.
  RunBuilder &builder() { return run; }

  Result<KernelRun> take();

private:
  std::string title;
  RunBuilder run;
  uint64_t seed;
  uint32_t streams = 0;
  std::map<std::string, HostArray> arrays;
  std::string globals, lines;
};

/// Adds a case that builds a program when it is run.
void addCase(std::vector<Case> &cases, const std::string &family, DType type,
             const std::string &variant, std::function<void(BlockProgram &)> write,
             Scale scale = Scale::Full);

} // namespace tilec::harness::language

#endif // TILEC_TEST_PROGRAMS_LANGUAGE_BLOCKPROGRAM_H
