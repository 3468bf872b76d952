// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the loaded objects (dl_iterate_phdr) and reads the GNU build-id notes.

#include "tilec/Cache/BuildId.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"

#include <cstring>
#include <elf.h>
#include <link.h>

namespace tilec {

namespace {

/// The build id among the notes of one segment; empty without one.
std::string buildIdIn(const char *notes, size_t size) {
  auto align = [](size_t bytes) { return (bytes + 3) & ~size_t(3); };
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes, sizeof header);
    size_t name = align(header.n_namesz), description = align(header.n_descsz);
    if (name > size - sizeof header || description > size - sizeof header - name)
      break;
    const char *text = notes + sizeof header;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
        std::memcmp(text, "GNU", 4) == 0)
      return llvm::toHex(llvm::StringRef(text + name, header.n_descsz));
    notes += sizeof header + name + description;
    size -= sizeof header + name + description;
  }
  return "";
}

std::string identityOf(const dl_phdr_info &object) {
  for (unsigned i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE)
      continue;
    std::string id = buildIdIn(reinterpret_cast<const char *>(object.dlpi_addr + segment.p_vaddr),
                               segment.p_memsz);
    if (!id.empty())
      return id;
  }
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(object.dlpi_name, status))
    return "unknown";
  return "file-" + llvm::utostr(status.getSize()) + "-" +
         llvm::itostr(status.getLastModificationTime().time_since_epoch().count());
}

int visit(dl_phdr_info *object, size_t, void *data) {
  llvm::StringRef path = object->dlpi_name;
  llvm::StringRef name = path.rsplit('/').second.empty() ? path : path.rsplit('/').second;
  if (name.starts_with("libLLVM") || name.starts_with("libMLIR"))
    *static_cast<std::string *>(data) += " " + identityOf(*object);
  return 0;
}

} // namespace

const std::string &compilerBuildId() {
  static const std::string id = [] {
    std::string text = "tilec " TILEC_VERSION " LLVM " LLVM_VERSION_STRING " sources "
#include "SourceHash.inc"
        ;
    dl_iterate_phdr(visit, &text);
    return text;
  }();
  return id;
}

} // namespace tilec
