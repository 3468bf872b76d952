// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LaunchSaver.h. Folders are called after the kernel, the process and a number.

#include "tilec/Driver/LaunchSaver.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <atomic>

using llvm::StringRef;
using llvm::Twine;

namespace tilec {

static llvm::Error cannotMake(StringRef path, std::error_code why) {
  return llvm::createStringError(why, "cannot make the folder '" + path + "': " + why.message());
}

llvm::Expected<std::shared_ptr<LaunchSaver>> LaunchSaver::create(SaveOptions options) {
  if (options.folder.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the folder for launches has no name");
  if (std::error_code code = llvm::sys::fs::create_directories(options.folder))
    return cannotMake(options.folder, code);
  // Messages are read where the process' folder is not known.
  llvm::SmallString<256> absolute(options.folder);
  if (!llvm::sys::fs::make_absolute(absolute))
    options.folder = std::string(absolute);
  return std::shared_ptr<LaunchSaver>(new LaunchSaver(std::move(options)));
}

llvm::Expected<std::string> LaunchSaver::makeFolder(StringRef kernel) {
  std::string name = "kernel";
  if (!kernel.empty() && llvm::all_of(kernel, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
    name = kernel.take_front(64).str();
  static std::atomic<unsigned> numbers{0};
  for (;;) {
    llvm::SmallString<256> path(options.folder);
    llvm::sys::path::append(path, name + "-" + Twine(llvm::sys::Process::getProcessId()) + "-" +
                                      Twine(++numbers));
    std::error_code code = llvm::sys::fs::create_directory(path, /*IgnoreExisting=*/false);
    if (!code)
      return std::string(path);
    // Left by a process that had this number before.
    if (code != std::errc::file_exists)
      return cannotMake(path, code);
  }
}

LaunchSaver::Ticket LaunchSaver::save(const LaunchToSave &launch, LaunchMemory &memory) {
  Ticket ticket;
  ticket.owner = shared_from_this();
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (numFailures >= options.maxFailures) {
      ticket.problem = std::to_string(numFailures) + " launches that failed are saved already";
      return ticket;
    }
  }
  llvm::Expected<std::string> folder = makeFolder(launch.kernel.metadata.name);
  if (!folder) {
    ticket.problem = llvm::toString(folder.takeError());
    return ticket;
  }
  LaunchToSave described = launch;
  described.gridText = options.gridText;
  llvm::Expected<SavedLaunch> saved =
      writeSavedLaunch(*folder, described, memory, options.maxBytes);
  if (saved) {
    ticket.saved = std::make_unique<SavedLaunch>(std::move(*saved));
  } else {
    ticket.problem = llvm::toString(saved.takeError());
    (void)llvm::sys::fs::remove_directories(*folder);
  }
  return ticket;
}

bool LaunchSaver::reserveFailure() {
  std::lock_guard<std::mutex> lock(mutex);
  if (numFailures >= options.maxFailures)
    return false;
  ++numFailures;
  return true;
}

LaunchSaver::Ticket::~Ticket() {
  if (saved)
    (void)llvm::sys::fs::remove_directories(saved->folder);
}

void LaunchSaver::Ticket::succeed() {
  if (!saved || owner->options.keepLast == 0)
    return;
  std::unique_ptr<SavedLaunch> launch = std::move(saved);
  launch->outcome = SavedOutcome::Completed;
  // The old launch.json says "running", which is less than what is known, but not wrong.
  llvm::consumeError(writeSavedOutcome(*launch));
  kept = launch->folder;
  std::string oldest;
  {
    std::lock_guard<std::mutex> lock(owner->mutex);
    owner->completed.push_back(kept);
    if (owner->completed.size() > owner->options.keepLast) {
      oldest = std::move(owner->completed.front());
      owner->completed.pop_front();
    }
  }
  if (!oldest.empty())
    (void)llvm::sys::fs::remove_directories(oldest);
}

std::string LaunchSaver::Ticket::fail(StringRef message) {
  if (saved && !owner->reserveFailure())
    problem = "as many launches as may be are saved already";
  if (!problem.empty() || !saved)
    return "\nthe launch was not saved: " + problem;
  std::unique_ptr<SavedLaunch> launch = std::move(saved);
  launch->outcome = SavedOutcome::Failed;
  launch->message = message.str();
  llvm::consumeError(writeSavedOutcome(*launch));
  kept = launch->folder;
  return "\nthe launch is saved; to look at it on the simulator: tilec run --check --replay " +
         kept;
}

} // namespace tilec
