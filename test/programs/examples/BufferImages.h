// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffers of a run as they lie in memory: each in an image of its own between guard bytes, so
// that a device only copies images, and damage outside the outputs is seen wherever it happens.

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_BUFFERIMAGES_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_BUFFERIMAGES_H

#include "KernelDevice.h"

namespace tilec::harness {

class BufferImages {
public:
  /// Lays out and fills one image per buffer argument. Outputs are poisoned, address tables are
  /// still empty.
  static Result<BufferImages> create(const KernelRun &run);

  size_t size() const { return images.size(); }
  HostArray &image(size_t index) { return images[index].bytes; }
  /// Where the argument starts in its image.
  uint64_t start(size_t index) const { return images[index].start; }
  /// Bytes of the argument.
  uint64_t byteSize(size_t index) const { return images[index].argument->byteSize(); }
  const Argument &argument(size_t index) const { return *images[index].argument; }

  /// Fills the address tables: addresses[i] is where image i begins on the device.
  Status fillAddressTables(const std::vector<uint64_t> &addresses);
  /// The bytes of the kernel's arguments.
  Result<std::vector<std::vector<char>>>
  argumentValues(const tilecrt::KernelMetadata &metadata,
                 const std::vector<uint64_t> &addresses) const;
  /// After a run, with the images as the device left them: takes the outputs into the outcome and
  /// notes the first damage as its failure.
  Status collect(Outcome &outcome) const;

private:
  struct Image {
    const Argument *argument = nullptr;
    HostArray bytes;
    uint64_t start = 0;
  };

  explicit BufferImages(const KernelRun &owner) : run(&owner) {}
  std::string findDamage(const Image &image) const;

  const KernelRun *run;
  std::vector<Image> images;
  /// The table contents, to compare with.
  std::vector<std::vector<uint64_t>> tables;
};

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_BUFFERIMAGES_H
