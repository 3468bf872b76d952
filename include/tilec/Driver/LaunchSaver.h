// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Saves launches before they are made and decides what stays: those that failed, up to a number of
// them, and the last few that did not. A launch that hangs, or that takes its process with it, is
// there as well.

#ifndef TILEC_DRIVER_LAUNCHSAVER_H
#define TILEC_DRIVER_LAUNCHSAVER_H

#include "tilec/Driver/SavedLaunch.h"

#include <deque>
#include <mutex>

namespace tilec {

struct SaveOptions {
  /// Gets a folder for each launch; made when it is not there.
  std::string folder;
  /// Launches whose memory is larger are not saved.
  uint64_t maxBytes = uint64_t(4) << 30;
  /// Failed launches that are kept; later ones are not saved any more.
  unsigned maxFailures = 16;
  /// Launches without a failure that are kept, the last ones.
  unsigned keepLast = 0;
  /// What the grids of all launches come from, as SavedLaunch has it.
  std::string gridText;
};

/// For any number of threads.
class LaunchSaver : public std::enable_shared_from_this<LaunchSaver> {
public:
  static llvm::Expected<std::shared_ptr<LaunchSaver>> create(SaveOptions options);

  /// One launch, from before it is made until its end is known. Destroyed before that, it is
  /// dropped.
  class Ticket {
  public:
    Ticket(Ticket &&other) noexcept = default;
    Ticket &operator=(Ticket &&) = delete;
    ~Ticket();

    /// The launch did what it should.
    void succeed();
    /// The launch failed. Returns what there is to add to the message: where the launch is and how
    /// to replay it, or why it was not saved.
    std::string fail(llvm::StringRef message);
    /// Where it was kept; empty when it was not.
    const std::string &keptFolder() const { return kept; }

  private:
    friend class LaunchSaver;
    Ticket() = default;

    std::shared_ptr<LaunchSaver> owner;
    std::unique_ptr<SavedLaunch> saved;
    std::string problem, kept;
  };

  /// Never fails: what goes wrong is part of the message of a launch that fails later.
  Ticket save(const LaunchToSave &launch, LaunchMemory &memory);

private:
  explicit LaunchSaver(SaveOptions given) : options(std::move(given)) {}
  llvm::Expected<std::string> makeFolder(llvm::StringRef kernel);
  bool reserveFailure();

  SaveOptions options;
  std::mutex mutex;
  unsigned numFailures = 0;
  std::deque<std::string> completed;
};

} // namespace tilec

#endif // TILEC_DRIVER_LAUNCHSAVER_H
