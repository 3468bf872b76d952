// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An image is [guard][skew][contents][guard]; guards hold one byte value. Damage is looked for in
// the guards of every image and in the contents of those that are only read.

#include "BufferImages.h"

namespace tilec::harness {

static constexpr uint64_t guardBytes = 256;
static constexpr unsigned char guardValue = 0xA5;

Result<BufferImages> BufferImages::create(const KernelRun &run) {
  BufferImages result(run);
  for (const Argument &argument : run.arguments) {
    if (!argument.isBuffer())
      continue;
    Image image;
    image.argument = &argument;
    uint32_t elementSize =
        tilecrt::dtypeSize(argument.role == Role::Addresses ? DType::i64 : argument.array.dtype());
    image.start = guardBytes + argument.skew * elementSize;
    auto total = static_cast<int64_t>(image.start + argument.byteSize() + guardBytes);
    Result<HostArray> bytes = HostArray::create(DType::u8, {total});
    if (!bytes)
      return bytes.status().withContext("buffer '" + argument.name + "'");
    image.bytes = std::move(*bytes);
    auto *data = image.bytes.as<unsigned char>();
    std::memset(data, guardValue, image.start);
    std::memset(data + image.start + argument.byteSize(), guardValue, guardBytes);
    if (argument.role == Role::Output) {
      Result<HostArray> poison = HostArray::create(argument.array.dtype(), argument.array.shape());
      if (!poison)
        return poison.status().withContext("buffer '" + argument.name + "'");
      tilecrt::fillPoison(*poison);
      std::memcpy(data + image.start, poison->data(), argument.byteSize());
    } else if (argument.role != Role::Addresses) {
      std::memcpy(data + image.start, argument.array.data(), argument.byteSize());
    }
    result.images.push_back(std::move(image));
  }
  return result;
}

Status BufferImages::fillAddressTables(const std::vector<uint64_t> &addresses) {
  tables.assign(images.size(), {});
  for (size_t i = 0; i < images.size(); ++i) {
    const Argument &table = *images[i].argument;
    if (table.role != Role::Addresses)
      continue;
    for (const std::string &target : table.targets) {
      size_t found = 0;
      while (found < images.size() && images[found].argument->name != target)
        ++found;
      if (found == images.size())
        return tilecrt::invalidArgument("address table '" + table.name + "' names '" + target +
                                        "', which is no buffer of the run");
      tables[i].push_back(addresses[found] + images[found].start);
    }
    std::memcpy(images[i].bytes.as<unsigned char>() + images[i].start, tables[i].data(),
                table.byteSize());
  }
  return Status::success();
}

Result<std::vector<std::vector<char>>>
BufferImages::argumentValues(const tilecrt::KernelMetadata &metadata,
                             const std::vector<uint64_t> &addresses) const {
  std::vector<std::vector<char>> values;
  for (const tilecrt::KernelArgument &taken : metadata.arguments) {
    const Argument *argument = run->find(taken.name);
    if (!argument)
      return tilecrt::invalidArgument("the run gives no argument '" + taken.name + "'");
    uint64_t value = 0;
    if (argument->role == Role::Scalar)
      std::memcpy(&value, argument->scalar.data(), sizeof(value));
    for (size_t i = 0; i < images.size(); ++i)
      if (images[i].argument == argument)
        value = addresses[i] + images[i].start;
    const char *bytes = reinterpret_cast<const char *>(&value);
    values.emplace_back(bytes, bytes + taken.sizeBytes);
  }
  return values;
}

std::string BufferImages::findDamage(const Image &image) const {
  const Argument &argument = *image.argument;
  const auto *data = image.bytes.as<unsigned char>();
  uint64_t end = image.start + argument.byteSize();
  for (uint64_t i = 0; i < image.bytes.size(); ++i)
    if ((i < image.start || i >= end) && data[i] != guardValue)
      return "byte " + std::to_string(static_cast<int64_t>(i - image.start)) + " of '" +
             argument.name + "' is outside the buffer and was written";
    else if (i == image.start && i < end)
      i = end - 1;
  const void *before = argument.array.data();
  if (argument.role == Role::Addresses)
    before = tables[static_cast<size_t>(&image - images.data())].data();
  if (!argument.isWritten() && argument.byteSize() != 0 &&
      std::memcmp(data + image.start, before, argument.byteSize()) != 0)
    return "the input '" + argument.name + "' was changed";
  return "";
}

Status BufferImages::collect(Outcome &outcome) const {
  for (const Image &image : images) {
    std::string damage = findDamage(image);
    if (outcome.failure.empty())
      outcome.failure = damage;
    const Argument &argument = *image.argument;
    if (!argument.isWritten())
      continue;
    Result<HostArray> output = HostArray::create(argument.array.dtype(), argument.array.shape());
    if (!output)
      return output.status();
    if (argument.byteSize() != 0)
      std::memcpy(output->data(), image.bytes.as<unsigned char>() + image.start,
                  argument.byteSize());
    outcome.outputs.push_back(std::move(*output));
  }
  return Status::success();
}

Verdict judge(const KernelRun &run, const Outcome &outcome) {
  Verdict verdict;
  verdict.reason = outcome.failure;
  size_t next = 0;
  for (const Argument &argument : run.arguments) {
    if (!argument.isWritten() || next >= outcome.outputs.size())
      continue;
    const HostArray &actual = outcome.outputs[next++];
    if (argument.expected.size() == 0)
      continue;
    Result<tilecrt::Comparison> comparison =
        tilecrt::compareArrays(actual, argument.expected, argument.tolerance);
    if (!comparison) {
      verdict.reason = comparison.message();
      continue;
    }
    verdict.relativeL2 = std::max(verdict.relativeL2, comparison->relativeL2);
    verdict.maxAbsError = std::max(verdict.maxAbsError, comparison->maxAbsError);
    verdict.toleranceUsed = std::max(verdict.toleranceUsed, comparison->toleranceUsed);
    if (!comparison->matches() && verdict.reason.empty())
      verdict.reason = "'" + argument.name + "': " + comparison->describe();
  }
  verdict.passed = verdict.reason.empty();
  return verdict;
}

} // namespace tilec::harness
