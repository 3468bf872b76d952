// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of the arrays are still on the host: nothing is read from a device.

#include "RunSaving.h"

#include "Environment.h"

#include <cstring>

namespace tilec::tool {

namespace {

class PlanMemory final : public LaunchMemory {
public:
  PlanMemory(const RunPlan &runPlan, const std::vector<uint64_t> &arrayAddresses)
      : plan(runPlan), addresses(arrayAddresses) {}

  std::optional<Range> find(uint64_t address) override {
    for (size_t i = 0; i < addresses.size(); ++i)
      if (address - addresses[i] <= plan.arrays[i].data.byteSize() && addresses[i] <= address)
        return Range{addresses[i], plan.arrays[i].data.byteSize()};
    return std::nullopt;
  }
  llvm::Error read(uint64_t address, llvm::MutableArrayRef<char> to) override {
    for (size_t i = 0; i < addresses.size(); ++i)
      if (addresses[i] <= address && address - addresses[i] < plan.arrays[i].data.byteSize())
        std::memcpy(to.data(), plan.arrays[i].data.as<char>() + (address - addresses[i]),
                    to.size());
    return llvm::Error::success();
  }

private:
  const RunPlan &plan;
  const std::vector<uint64_t> &addresses;
};

} // namespace

tilecrt::Result<std::optional<LaunchSaver::Ticket>>
saveRun(const RunCommand &command, const CompiledKernel &kernel, const RunPlan &plan,
        const std::vector<uint64_t> &addresses, const std::vector<std::vector<char>> &values,
        const std::string &device) {
  SaveOptions options;
  options.folder = command.saveLaunches.empty() ? readSaveFolder() : command.saveLaunches;
  if (options.folder.empty())
    return std::optional<LaunchSaver::Ticket>();
  llvm::Expected<std::shared_ptr<LaunchSaver>> saver = LaunchSaver::create(std::move(options));
  if (!saver)
    return tilecrt::ioError(llvm::toString(saver.takeError()));
  std::vector<const void *> pointers;
  for (const std::vector<char> &value : values)
    pointers.push_back(value.data());
  PlanMemory memory(plan, addresses);
  LaunchToSave launch{kernel, pointers.data(), plan.grid, {0, 0, 0}, device};
  return std::optional<LaunchSaver::Ticket>((*saver)->save(launch, memory));
}

} // namespace tilec::tool
