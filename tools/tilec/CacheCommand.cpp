// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec cache: says what the folder of compiled kernels holds, empties it, checks it, shrinks it.

#include "CacheSetup.h"
#include "Commands.h"
#include "Console.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace tilec::tool {

namespace {

std::string describeBytes(uint64_t bytes) {
  static constexpr const char *units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  unsigned unit = 0;
  double value = double(bytes);
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? std::to_string(bytes) + " bytes"
                   : llvm::formatv("{0:F1} {1}", value, units[unit]).str();
}

ExitCode printInfo(const CacheCommand &command, DiskCache &disk, const std::string &shared) {
  DiskCacheInfo info = disk.info();
  if (command.json)
    return writeToStdout(llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Object{
                                                      {"folder", disk.getFolder()},
                                                      {"entries", info.entries},
                                                      {"bytes", info.bytes},
                                                      {"limit", disk.getLimit()},
                                                      {"temporaries", info.temporaries},
                                                      {"readOnly", disk.isReadOnly()},
                                                      {"redis", hasRedis()}}))
                             .str());
  std::string text =
      llvm::formatv("folder   {0}{1}\nentries  {2}\nsize     {3} of at most {4}\n",
                    disk.getFolder(), disk.isReadOnly() ? " (read only)" : "", info.entries,
                    describeBytes(info.bytes), describeBytes(disk.getLimit()));
  if (!shared.empty()) {
    auto store = openSharedStore(shared);
    text += "shared   " + (store ? (*store)->describe() : llvm::toString(store.takeError())) + "\n";
  }
  return writeToStdout(text);
}

ExitCode verify(const CacheCommand &command, DiskCache &disk) {
  DiskCacheVerdict verdict = disk.verify();
  if (command.json) {
    llvm::json::Array removed;
    for (const auto &[path, reason] : verdict.removed)
      removed.push_back(llvm::json::Object{{"path", path}, {"reason", reason}});
    return writeToStdout(
        llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Object{
                                     {"good", verdict.good}, {"removed", std::move(removed)}}))
            .str());
  }
  std::string text;
  for (const auto &[path, reason] : verdict.removed)
    text += path + ": " + reason + "; removed\n";
  text += llvm::formatv("{0} good, {1} removed\n", verdict.good, verdict.removed.size());
  return writeToStdout(text);
}

} // namespace

ExitCode execute(const CacheCommand &command) {
  CacheSetup setup = readCacheSetup(command.cache);
  if (setup.config.folder.empty())
    return reportError(setup.problem, ExitCode::Unavailable);
  if (!setup.problem.empty())
    reportWarning(setup.problem);
  auto disk = DiskCache::open(setup.config.folder, setup.config.diskLimit);
  if (!disk)
    return reportError(llvm::toString(disk.takeError()), ExitCode::Unavailable);
  switch (command.action) {
  case CacheCommand::Action::Info:
    return printInfo(command, **disk, setup.config.shared);
  case CacheCommand::Action::Verify:
    return verify(command, **disk);
  case CacheCommand::Action::Clear:
    if (llvm::Error error = (*disk)->clear())
      return reportError(llvm::toString(std::move(error)));
    return ExitCode::Ok;
  case CacheCommand::Action::Prune: {
    uint64_t removed = (*disk)->prune(command.maxBytes.value_or((*disk)->getLimit()));
    return writeToStdout(llvm::formatv("{0} removed\n", removed).str());
  }
  }
  return ExitCode::Internal;
}

} // namespace tilec::tool
