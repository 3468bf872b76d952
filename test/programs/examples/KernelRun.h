// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel launch as data: the file, the arguments with their contents, the compile-time
// constants, the grid, and what the outputs must be. It says nothing about the device; see
// KernelDevice.h for that.

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_KERNELRUN_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_KERNELRUN_H

#include "tilecrt/Result.h"
#include "tilecrt/data/Compare.h"
#include "tilecrt/data/HostArray.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilec::harness {

using tilecrt::DType;
using tilecrt::HostArray;
using tilecrt::Result;
using tilecrt::Status;

/// What a kernel does with an argument.
enum class Role {
  /// A buffer that must be the same afterwards.
  Input,
  /// A buffer that is poisoned first and compared afterwards.
  Output,
  /// A buffer that keeps its contents and is compared afterwards.
  InOut,
  /// A number passed by value.
  Scalar,
  /// A buffer of 64-bit addresses of other buffers of the run.
  Addresses
};

struct Argument {
  std::string name;
  Role role = Role::Input;
  /// Contents before the run (Input, InOut) or only type and shape (Output).
  HostArray array;
  /// Outputs: what must be there afterwards. An empty array is not compared.
  HostArray expected;
  tilecrt::Tolerance tolerance;
  /// Elements by which the buffer's start is moved off its 256-byte alignment.
  uint64_t skew = 0;
  /// Passed as a tensor descriptor with blocks of this shape, when there is one.
  std::vector<int64_t> block;
  bool padsWithNan = false;
  /// Not a parameter: only reachable through an address table, or a part of a descriptor.
  bool hidden = false;
  /// Addresses: the names of the buffers.
  std::vector<std::string> targets;
  /// Scalar: type and bytes of the value.
  DType scalarType = DType::i32;
  std::array<unsigned char, 8> scalar = {};

  bool isBuffer() const { return role != Role::Scalar; }
  bool isWritten() const { return role == Role::Output || role == Role::InOut; }
  /// Bytes of a buffer's contents.
  uint64_t byteSize() const {
    return role == Role::Addresses ? targets.size() * 8 : array.byteSize();
  }
  /// Type as the compiler wants it: "*fp32:16", "i32", ... A pointer's and an integer's
  /// divisibility by 16 is given when it holds, as a launcher does.
  std::string signature() const;
};

struct KernelRun {
  /// File name below the folder that the device was told; of a run that has its source text with
  /// it, what messages call it.
  std::string file;
  std::string text;
  std::string kernel;
  std::vector<Argument> arguments;
  /// Name and value as source text.
  std::vector<std::pair<std::string, std::string>> constants;
  std::optional<int> numWarps;
  std::optional<int> numStages;
  /// Not given: the compiler's choice.
  std::optional<bool> persistent;
  /// Programs of a cluster.
  std::optional<int> numCtas;
  /// CTAs of a program.
  std::optional<int> splitK;
  std::array<uint64_t, 3> grid = {1, 1, 1};
  /// Bytes that an ideal kernel moves, for bandwidth; 0 when that says nothing.
  uint64_t idealBytes = 0;

  const Argument *find(const std::string &name) const;
};

/// Builds a run argument by argument. The first failure (no memory for an array, say) is kept and
/// given by take().
class RunBuilder {
public:
  RunBuilder(std::string file, std::string kernel, uint64_t randomSeed);

  using Shape = std::vector<int64_t>;
  /// Buffers with random contents; each has its own random stream.
  RunBuilder &randn(const std::string &name, DType type, Shape shape);
  RunBuilder &rand(const std::string &name, DType type, Shape shape);
  RunBuilder &randint(const std::string &name, DType type, Shape shape, int64_t low, int64_t high);
  RunBuilder &arange(const std::string &name, DType type, Shape shape);
  /// A buffer with the values of a list, each rounded to the type.
  RunBuilder &values(const std::string &name, DType type, const std::vector<double> &list);
  /// A buffer that takes its contents from a function of the element index.
  RunBuilder &fill(const std::string &name, DType type, Shape shape,
                   const std::function<double(uint64_t)> &value);
  /// A buffer with given bytes; their number must be a multiple of the type's size.
  RunBuilder &bytes(const std::string &name, DType type, const void *data, uint64_t size);
  /// A buffer of addresses of the buffers named, which are hidden from the parameter list.
  RunBuilder &addresses(const std::string &name, std::vector<std::string> targets);

  /// An output and the function that computes what it must hold. The function gets an array of
  /// `expectedType` (by default doubles) and of the output's shape, and may read the inputs added
  /// before.
  using Expectation = std::function<void(HostArray &)>;
  RunBuilder &output(const std::string &name, DType type, Shape shape,
                     const Expectation &expectation,
                     std::optional<tilecrt::Tolerance> tolerance = {},
                     DType expectedType = DType::f64);
  /// The same for a buffer that was added as an input and is changed in place.
  RunBuilder &changes(const std::string &name, const Expectation &expectation,
                      std::optional<tilecrt::Tolerance> tolerance = {},
                      DType expectedType = DType::f64);
  /// An output that nobody compares.
  RunBuilder &unchecked(const std::string &name, DType type, Shape shape);

  template <typename T> RunBuilder &scalar(const std::string &name, DType type, T value) {
    static_assert(sizeof(T) <= 8, "a scalar has at most 8 bytes");
    Argument &argument = add(name, Role::Scalar);
    argument.scalarType = type;
    std::memcpy(argument.scalar.data(), &value, sizeof(T));
    return *this;
  }
  RunBuilder &i32(const std::string &name, int64_t value) {
    return scalar(name, DType::i32, static_cast<int32_t>(value));
  }
  RunBuilder &f32(const std::string &name, double value) {
    return scalar(name, DType::f32, static_cast<float>(value));
  }

  /// The kernel's source, for a run without a file.
  RunBuilder &text(std::string source);
  RunBuilder &constant(const std::string &name, const std::string &text);
  RunBuilder &constant(const std::string &name, int64_t value);
  RunBuilder &persistent(bool flag = true);
  RunBuilder &ctas(int count);
  RunBuilder &splitK(int parts);
  RunBuilder &warps(int count);
  RunBuilder &stages(int count);
  RunBuilder &grid(uint64_t x, uint64_t y = 1, uint64_t z = 1);
  /// Passes a buffer added before, row after row, as a tensor descriptor.
  RunBuilder &descriptor(const std::string &name, std::vector<int64_t> block,
                         bool padsWithNan = false);
  RunBuilder &skew(const std::string &name, uint64_t elements);
  RunBuilder &idealBytes(uint64_t bytes);

  /// The contents of a buffer added before.
  const HostArray &array(const std::string &name) const;

  /// The run, or what went wrong. The builder is empty afterwards.
  Result<KernelRun> take();

private:
  Argument &add(const std::string &name, Role role);
  /// Adds a buffer; null when there is no memory for it.
  HostArray *addArray(const std::string &name, Role role, DType type, Shape shape);
  void note(const Status &status);

  KernelRun run;
  uint64_t seed;
  Status failure;
};

/// How far a result in `type` may be off when it was computed in fp32 and rounded once. `scale`
/// multiplies the absolute part, for results that are differences of larger numbers.
tilecrt::Tolerance toleranceFor(DType type, double scale = 1.0);

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_KERNELRUN_H
