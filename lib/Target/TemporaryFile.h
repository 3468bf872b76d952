// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Temporary files for the programs of the CUDA toolkit that run as child processes.

#ifndef TILEC_LIB_TARGET_TEMPORARYFILE_H
#define TILEC_LIB_TARGET_TEMPORARYFILE_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>

namespace tilec {

/// A temporary file that is removed with this object. Errors are those of `Failure`, which is made
/// from a text.
template <typename Failure> class TemporaryFile {
public:
  llvm::Error create(llvm::StringRef suffix) {
    int descriptor = -1;
    if (std::error_code error =
            llvm::sys::fs::createTemporaryFile("tilec", suffix, descriptor, name))
      return llvm::make_error<Failure>("cannot create a temporary file: " + error.message());
    remover.setFile(name);
    stream = std::make_unique<llvm::raw_fd_ostream>(descriptor, /*shouldClose=*/true);
    return llvm::Error::success();
  }

  llvm::Error write(llvm::StringRef text) {
    *stream << text;
    return close();
  }

  llvm::Error close() {
    stream->close();
    if (!stream->has_error())
      return llvm::Error::success();
    std::string message = stream->error().message();
    stream->clear_error();
    return llvm::make_error<Failure>("cannot write temporary file '" + path().str() +
                                     "': " + message);
  }

  llvm::Expected<std::string> read() const {
    auto buffer =
        llvm::MemoryBuffer::getFile(name, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!buffer)
      return llvm::make_error<Failure>("cannot read temporary file '" + path().str() +
                                       "': " + buffer.getError().message());
    return (*buffer)->getBuffer().str();
  }

  llvm::StringRef path() const { return name; }

private:
  llvm::SmallString<128> name;
  llvm::FileRemover remover;
  std::unique_ptr<llvm::raw_fd_ostream> stream;
};

} // namespace tilec

#endif // TILEC_LIB_TARGET_TEMPORARYFILE_H
