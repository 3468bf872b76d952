// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HandedKernel.h. The bytes are an entry of the cache, with its checksum.

#include "tilec/Tuning/HandedKernel.h"

#include "tilec/Cache/Container.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using tilecrt::Result;
using tilecrt::Status;

namespace tilec {

std::string encodeKernel(const CompiledKernel &kernel) {
  CacheEntry entry;
  entry.add("metadata", tilecrt::toJson(kernel.metadata));
  entry.add("ptx", kernel.ptx);
  entry.add("cubin", kernel.cubin);
  return encodeEntry(CacheKey(), entry);
}

Result<std::unique_ptr<CompiledKernel>> decodeKernel(llvm::StringRef bytes) {
  llvm::Expected<CacheEntry> entry = decodeEntry(CacheKey(), bytes);
  if (!entry)
    return tilecrt::internalError("a handed over kernel is damaged: " +
                                  llvm::toString(entry.takeError()));
  const std::string *metadata = entry->find("metadata"), *ptx = entry->find("ptx"),
                    *cubin = entry->find("cubin");
  if (!metadata || !ptx || !cubin)
    return tilecrt::internalError("a handed over kernel is not complete");
  Result<tilecrt::KernelMetadata> parsed = tilecrt::fromJson(*metadata);
  if (!parsed.ok())
    return parsed.status();
  auto kernel = std::make_unique<CompiledKernel>();
  kernel->metadata = std::move(*parsed);
  kernel->ptx = *ptx;
  kernel->cubin = *cubin;
  return kernel;
}

Status writeKernel(const CompiledKernel &kernel, const std::string &path) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return tilecrt::ioError("cannot write '" + path + "': " + error.message());
  os << encodeKernel(kernel);
  os.close();
  if (!os.has_error())
    return Status();
  error = os.error();
  os.clear_error();
  return tilecrt::ioError("cannot write '" + path + "': " + error.message());
}

Result<std::unique_ptr<CompiledKernel>> readKernel(const std::string &path) {
  auto bytes = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!bytes)
    return tilecrt::ioError("cannot read '" + path + "': " + bytes.getError().message());
  return decodeKernel((*bytes)->getBuffer());
}

} // namespace tilec
