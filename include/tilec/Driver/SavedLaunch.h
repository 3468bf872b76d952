// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch as a folder: the kernel's source and options, the values of its arguments, and the
// contents of the memory that they point into, so that it can be run again somewhere else.
//
//   launch.json             everything but the bytes, with checksums of all files and of itself
//   kernel.tile, kernel.py  the source
//   module-0.py, ...        what the source imports
//   buffer-0.bin, ...       one file for each allocation; zeros may be holes
//
// launch.json is written last: a folder without it was never finished.

#ifndef TILEC_DRIVER_SAVEDLAUNCH_H
#define TILEC_DRIVER_SAVEDLAUNCH_H

#include "tilec/Driver/Compiler.h"

#include "llvm/Support/Error.h"

#include <array>

namespace tilec {

/// A place in one of the buffers of a launch.
struct SavedPlace {
  uint32_t buffer = 0;
  uint64_t offset = 0;
};

struct SavedArgument {
  std::string name;
  /// As KernelArgument has it.
  std::string type;
  /// The value; of a pointer, the address that it was.
  std::string bytes;
  /// Where a pointer points, when it points into known memory.
  std::optional<SavedPlace> place;
};

/// An address in the contents of a buffer, such as an array of pointers has them.
struct SavedAddress {
  uint64_t offset = 0;
  SavedPlace place;
};

/// One allocation, from its first byte to its last.
struct SavedBuffer {
  /// The arguments that point into it.
  std::string name;
  uint64_t address = 0;
  uint64_t bytes = 0;
  /// Of each piece of savedPieceBytes.
  std::vector<std::string> checksums;
  std::vector<SavedAddress> addresses;
};

/// How a saved launch ended.
enum class SavedOutcome {
  /// It had not ended when its process did.
  Running,
  Completed,
  Failed
};

struct SavedLaunch {
  /// Where it lies.
  std::string folder;
  KernelOrigin origin;
  std::string kernel;
  /// What it ran on, in words.
  std::string device;
  SavedOutcome outcome = SavedOutcome::Running;
  /// Why it failed.
  std::string message;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  /// The expressions that the grid comes from, of numbers and the kernel's constants; empty where
  /// they are not known.
  std::string gridText;
  /// Zeros: what the kernel was compiled for.
  std::array<uint32_t, 3> cluster = {0, 0, 0};
  std::vector<SavedArgument> arguments;
  std::vector<SavedBuffer> buffers;
};

/// Contents are written, read and checked in pieces of this size.
constexpr uint64_t savedPieceBytes = uint64_t(16) << 20;

/// The memory that a launch uses, as its device knows it.
class LaunchMemory {
public:
  struct Range {
    uint64_t begin = 0;
    uint64_t bytes = 0;
  };
  virtual ~LaunchMemory();
  /// The allocation that an address lies in, or that it is the end of.
  virtual std::optional<Range> find(uint64_t address) = 0;
  virtual llvm::Error read(uint64_t address, llvm::MutableArrayRef<char> to) = 0;
};

/// A launch that is about to be made.
struct LaunchToSave {
  const CompiledKernel &kernel;
  /// One pointer to each value, in launch order.
  const void *const *arguments = nullptr;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::array<uint32_t, 3> cluster = {0, 0, 0};
  std::string device;
  /// As SavedLaunch has it.
  std::string gridText = {};
};

/// Writes a launch into a folder that exists and is empty. Memory of more than `maxBytes` is an
/// error, and so is a kernel whose source is not known; nothing is written then.
llvm::Expected<SavedLaunch> writeSavedLaunch(llvm::StringRef folder, const LaunchToSave &launch,
                                             LaunchMemory &memory, uint64_t maxBytes);

/// Writes launch.json again: with another outcome.
llvm::Error writeSavedOutcome(const SavedLaunch &launch);

/// Reads a launch but for the contents of its buffers; `path` is the folder or its launch.json.
/// Errors name the file and the place in it.
llvm::Expected<SavedLaunch> readSavedLaunch(llvm::StringRef path);

/// Reads the contents of a buffer, all its bytes, and checks them.
llvm::Error readSavedBuffer(const SavedLaunch &launch, size_t buffer, char *to);

} // namespace tilec

#endif // TILEC_DRIVER_SAVEDLAUNCH_H
