// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building of runs: arrays are made and filled as arguments are added, expectations are computed at
// once.

#include "KernelRun.h"

#include <algorithm>

namespace tilec::harness {

std::string Argument::signature() const {
  if (role == Role::Scalar) {
    std::string text = tilecrt::tritonName(scalarType);
    bool divisible = tilecrt::isInteger(scalarType) && scalar[0] % 16 == 0;
    return divisible ? text + ":16" : text;
  }
  DType type = role == Role::Addresses ? DType::i64 : array.dtype();
  if (!block.empty()) {
    std::string text = std::string("tensordesc<") + tilecrt::tritonName(type) + "[";
    for (size_t dim = 0; dim < block.size(); ++dim)
      text += (dim ? ", " : "") + std::to_string(block[dim]);
    text += padsWithNan ? "], nan>" : "]>";
    const std::vector<int64_t> &shape = array.shape();
    bool divisible =
        std::all_of(shape.begin(), shape.end(), [](int64_t size) { return size % 16 == 0; });
    return divisible ? text + ":16" : text;
  }
  std::string text = std::string("*") + tilecrt::tritonName(type);
  return skew * tilecrt::dtypeSize(type) % 16 == 0 ? text + ":16" : text;
}

const Argument *KernelRun::find(const std::string &name) const {
  for (const Argument &argument : arguments)
    if (argument.name == name)
      return &argument;
  return nullptr;
}

RunBuilder::RunBuilder(std::string file, std::string kernel, uint64_t randomSeed)
    : seed(randomSeed) {
  run.file = std::move(file);
  run.kernel = std::move(kernel);
}

void RunBuilder::note(const Status &status) {
  if (failure.ok() && !status.ok())
    failure = status;
}

Argument &RunBuilder::add(const std::string &name, Role role) {
  Argument &argument = run.arguments.emplace_back();
  argument.name = name;
  argument.role = role;
  return argument;
}

HostArray *RunBuilder::addArray(const std::string &name, Role role, DType type, Shape shape) {
  Argument &argument = add(name, role);
  Result<HostArray> array = HostArray::create(type, std::move(shape));
  if (!array) {
    note(array.status().withContext("argument '" + name + "'"));
    return nullptr;
  }
  argument.array = std::move(*array);
  return &argument.array;
}

RunBuilder &RunBuilder::randn(const std::string &name, DType type, Shape shape) {
  auto stream = static_cast<uint32_t>(run.arguments.size());
  if (HostArray *array = addArray(name, Role::Input, type, std::move(shape)))
    note(tilecrt::fillRandn(*array, {seed, stream}));
  return *this;
}

RunBuilder &RunBuilder::rand(const std::string &name, DType type, Shape shape) {
  auto stream = static_cast<uint32_t>(run.arguments.size());
  if (HostArray *array = addArray(name, Role::Input, type, std::move(shape)))
    note(tilecrt::fillRand(*array, {seed, stream}));
  return *this;
}

RunBuilder &RunBuilder::randint(const std::string &name, DType type, Shape shape, int64_t low,
                                int64_t high) {
  auto stream = static_cast<uint32_t>(run.arguments.size());
  if (HostArray *array = addArray(name, Role::Input, type, std::move(shape)))
    note(tilecrt::fillRandint(*array, {seed, stream}, low, high));
  return *this;
}

RunBuilder &RunBuilder::arange(const std::string &name, DType type, Shape shape) {
  if (HostArray *array = addArray(name, Role::Input, type, std::move(shape)))
    tilecrt::fillArange(*array);
  return *this;
}

RunBuilder &RunBuilder::values(const std::string &name, DType type,
                               const std::vector<double> &list) {
  return fill(name, type, {static_cast<int64_t>(list.size())},
              [&](uint64_t index) { return list[index]; });
}

RunBuilder &RunBuilder::fill(const std::string &name, DType type, Shape shape,
                             const std::function<double(uint64_t)> &value) {
  if (HostArray *array = addArray(name, Role::Input, type, std::move(shape)))
    for (uint64_t i = 0; i < array->size(); ++i)
      array->set(i, value(i));
  return *this;
}

RunBuilder &RunBuilder::bytes(const std::string &name, DType type, const void *data,
                              uint64_t size) {
  auto count = static_cast<int64_t>(size / tilecrt::dtypeSize(type));
  HostArray *array = addArray(name, Role::Input, type, {count});
  if (array && array->byteSize() != 0)
    std::memcpy(array->data(), data, array->byteSize());
  return *this;
}

RunBuilder &RunBuilder::addresses(const std::string &name, std::vector<std::string> targets) {
  for (Argument &argument : run.arguments)
    argument.hidden |= std::find(targets.begin(), targets.end(), argument.name) != targets.end();
  add(name, Role::Addresses).targets = std::move(targets);
  return *this;
}

/// Makes the array for an expectation and computes it.
static Status computeExpected(Argument &argument, const RunBuilder::Expectation &expectation,
                              const std::optional<tilecrt::Tolerance> &tolerance, DType type) {
  Result<HostArray> expected = HostArray::create(type, argument.array.shape());
  if (!expected)
    return expected.status().withContext("expected values of '" + argument.name + "'");
  expectation(*expected);
  argument.expected = std::move(*expected);
  argument.tolerance = tolerance.value_or(toleranceFor(argument.array.dtype()));
  return Status::success();
}

RunBuilder &RunBuilder::output(const std::string &name, DType type, Shape shape,
                               const Expectation &expectation,
                               std::optional<tilecrt::Tolerance> tolerance, DType expectedType) {
  if (addArray(name, Role::Output, type, std::move(shape)) && failure.ok())
    note(computeExpected(run.arguments.back(), expectation, tolerance, expectedType));
  return *this;
}

RunBuilder &RunBuilder::changes(const std::string &name, const Expectation &expectation,
                                std::optional<tilecrt::Tolerance> tolerance, DType expectedType) {
  for (Argument &argument : run.arguments)
    if (argument.name == name && failure.ok()) {
      argument.role = Role::InOut;
      note(computeExpected(argument, expectation, tolerance, expectedType));
    }
  return *this;
}

RunBuilder &RunBuilder::unchecked(const std::string &name, DType type, Shape shape) {
  addArray(name, Role::Output, type, std::move(shape));
  return *this;
}

RunBuilder &RunBuilder::text(std::string source) {
  run.text = std::move(source);
  return *this;
}

RunBuilder &RunBuilder::constant(const std::string &name, const std::string &text) {
  run.constants.emplace_back(name, text);
  return *this;
}

RunBuilder &RunBuilder::constant(const std::string &name, int64_t value) {
  return constant(name, std::to_string(value));
}

RunBuilder &RunBuilder::persistent(bool flag) {
  run.persistent = flag;
  return *this;
}

RunBuilder &RunBuilder::ctas(int count) {
  run.numCtas = count;
  return *this;
}

RunBuilder &RunBuilder::splitK(int parts) {
  run.splitK = parts;
  return *this;
}

RunBuilder &RunBuilder::warps(int count) {
  run.numWarps = count;
  return *this;
}

RunBuilder &RunBuilder::stages(int count) {
  run.numStages = count;
  return *this;
}

RunBuilder &RunBuilder::grid(uint64_t x, uint64_t y, uint64_t z) {
  run.grid = {x, y, z};
  return *this;
}

RunBuilder &RunBuilder::descriptor(const std::string &name, std::vector<int64_t> block,
                                   bool padsWithNan) {
  std::vector<int64_t> shape = array(name).shape();
  for (Argument &argument : run.arguments)
    if (argument.name == name) {
      argument.block = block;
      argument.padsWithNan = padsWithNan;
    }
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    scalar(name + ".shape" + std::to_string(dim), DType::i32, static_cast<int32_t>(shape[dim]));
    run.arguments.back().hidden = true;
    scalar(name + ".stride" + std::to_string(dim), DType::i64, stride);
    run.arguments.back().hidden = true;
    stride *= shape[dim];
  }
  return *this;
}

RunBuilder &RunBuilder::skew(const std::string &name, uint64_t elements) {
  for (Argument &argument : run.arguments)
    if (argument.name == name)
      argument.skew = elements;
  return *this;
}

RunBuilder &RunBuilder::idealBytes(uint64_t bytes) {
  run.idealBytes = bytes;
  return *this;
}

const HostArray &RunBuilder::array(const std::string &name) const {
  static const HostArray none;
  const Argument *argument = run.find(name);
  return argument ? argument->array : none;
}

Result<KernelRun> RunBuilder::take() {
  if (!failure.ok())
    return failure;
  return std::move(run);
}

tilecrt::Tolerance toleranceFor(DType type, double scale) {
  switch (type) {
  case DType::f64:
    return {1e-13, 1e-14 * scale};
  case DType::f32:
    return {1e-5, 1e-6 * scale};
  case DType::f16:
    // Half a unit in the last place is 2^-11, the smallest subnormal 6e-8.
    return {6e-4, 1e-6 * scale};
  case DType::bf16:
    return {4.5e-3, 1e-6 * scale};
  case DType::f8e4m3:
    return {0.07, 1e-3};
  case DType::f8e5m2:
    return {0.13, 1e-5};
  default:
    return {0, 0};
  }
}

} // namespace tilec::harness
