// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bundles over the C interface.

#include "BundleJit.h"

#include "tilec/Bundle/BundleFile.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using namespace tilec::api;

BundleObject::BundleObject(Bundle read) : bundle(std::move(read)) {
  llvm::raw_string_ostream(json) << describeBundle(bundle);
}

void tilec_bundle_destroy(tilec_bundle *bundle) { Bundles::get().erase(bundle); }

/// `prefix` comes before messages.
static tilec_status readBundle(llvm::StringRef bytes, const std::string &prefix,
                               tilec_bundle **bundle) {
  llvm::Expected<Bundle> read = decodeBundle(bytes);
  if (!read)
    return fail(TILEC_INPUT_ERROR, prefix + llvm::toString(read.takeError()));
  *bundle = Bundles::get().insert(std::make_shared<BundleObject>(std::move(*read)));
  return TILEC_OK;
}

tilec_status tilec_bundle_open(const char *path, tilec_bundle **bundle) {
  return guarded([&] {
    if (!bundle)
      return invalid("bundle is null");
    *bundle = nullptr;
    if (!path)
      return invalid("path is null");
    std::string prefix = "'" + std::string(path) + "' is ";
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
    if (!buffer)
      return fail(TILEC_INPUT_ERROR,
                  "cannot read '" + std::string(path) + "': " + buffer.getError().message());
    return readBundle((*buffer)->getBuffer(), prefix, bundle);
  });
}

tilec_status tilec_bundle_read(const void *data, size_t size, tilec_bundle **bundle) {
  return guarded([&] {
    if (!bundle)
      return invalid("bundle is null");
    *bundle = nullptr;
    if (!data && size != 0)
      return invalid("data is null, its size is " + std::to_string(size));
    return readBundle({static_cast<const char *>(data), size}, "", bundle);
  });
}

const char *tilec_bundle_describe(const tilec_bundle *bundle) {
  return factOf<Bundles>(bundle, [](BundleObject &object) { return object.json.c_str(); });
}

tilec_status tilec_bundle_create_jit(tilec_bundle *bundle, const char *kernel, tilec_device *device,
                                     tilec_jit **jit) {
  return guarded([&] {
    if (!jit)
      return invalid("jit is null");
    *jit = nullptr;
    if (!kernel)
      return invalid("kernel is null");
    std::shared_ptr<BundleObject> from = Bundles::get().find(bundle);
    if (!from)
      return failHandle("tilec_bundle");
    Devices::Pin pinned = Devices::get().pin(device);
    if (!pinned)
      return failHandle("tilec_device");
    auto object = std::make_shared<BundleJit>(pinned.shared());
    if (tilec_status status = object->open(std::move(from), kernel))
      return status;
    *jit = Jits::get().insert(std::move(object));
    return TILEC_OK;
  });
}
