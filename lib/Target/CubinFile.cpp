// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cubin is an ELF file. Each kernel has a section '.text.NAME' and one '.nv.info.NAME' of
// attributes for the driver; '.nv.info' has attributes of all functions, by the numbers of their
// symbols:
//
//   byte 0: format    1, 2, 3: a value in bytes 2 and 3; 4: bytes 2 and 3 say how many follow
//   byte 1: attribute
//
// Shared memory is the size of '.nv.shared.NAME', in which the system's own part comes first where
// there is a section for that.

#include "tilec/Target/CubinFile.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

#include <map>

using llvm::StringRef;
using Elf = llvm::object::ELF64LEFile;
namespace endian = llvm::support::endian;

namespace tilec {

namespace {

enum Attribute : uint8_t {
  MaxThreads = 0x05,
  RequiredThreads = 0x10,
  FrameSize = 0x11,
  Parameter = 0x17,
  RegisterCount = 0x2f,
};

constexpr StringRef kInfo = ".nv.info", kShared = ".nv.shared.",
                    kReserved = ".nv.shared.reserved.0";
/// What the system has of a CTA's shared memory.
constexpr int64_t kReservedBytes = 1024;

uint32_t wordAt(StringRef data, size_t index) {
  return endian::read32le(data.data() + index * sizeof(uint32_t));
}

/// Calls `visit` with each attribute that has data, and the data.
void visitAttributes(StringRef section, llvm::function_ref<void(uint8_t, StringRef)> visit) {
  constexpr size_t head = 4;
  constexpr uint8_t hasData = 4;
  while (section.size() >= head) {
    size_t bytes = section[0] == hasData ? endian::read16le(section.data() + 2) : 0;
    if (section.size() < head + bytes)
      return;
    visit(uint8_t(section[1]), section.substr(head, bytes));
    section = section.drop_front(head + bytes);
  }
}

class CubinReader {
public:
  explicit CubinReader(const Elf &opened) : elf(opened) {}

  llvm::Error read(std::vector<CubinKernel> &result);

private:
  llvm::Error readSymbols(const Elf::Elf_Shdr &section);
  llvm::Error readSection(const Elf::Elf_Shdr &section);
  void readOfAll(StringRef info);
  void readOfOne(StringRef info, CubinKernel &kernel);

  const Elf &elf;
  std::map<std::string, CubinKernel> kernels;
  /// By the numbers of symbols.
  std::vector<std::string> symbols;
  bool isPartReserved = false;
};

} // namespace

llvm::Error CubinReader::readSymbols(const Elf::Elf_Shdr &section) {
  llvm::Expected<Elf::Elf_Sym_Range> table = elf.symbols(&section);
  if (!table)
    return table.takeError();
  llvm::Expected<StringRef> names = elf.getStringTableForSymtab(section);
  if (!names)
    return names.takeError();
  for (const Elf::Elf_Sym &symbol : *table) {
    llvm::Expected<StringRef> name = symbol.getName(*names);
    if (!name)
      return name.takeError();
    symbols.push_back(name->str());
  }
  return llvm::Error::success();
}

/// Attributes that name a function by its symbol.
void CubinReader::readOfAll(StringRef info) {
  visitAttributes(info, [&](uint8_t attribute, StringRef data) {
    if (data.size() < 2 * sizeof(uint32_t) || wordAt(data, 0) >= symbols.size())
      return;
    auto kernel = kernels.find(symbols[wordAt(data, 0)]);
    if (kernel == kernels.end())
      return;
    int value = int(wordAt(data, 1));
    if (attribute == RegisterCount)
      kernel->second.registers = value;
    else if (attribute == FrameSize)
      kernel->second.localBytes = value;
  });
}

void CubinReader::readOfOne(StringRef info, CubinKernel &kernel) {
  // By their places; the file may have them in any order.
  std::map<uint16_t, uint32_t> parameters;
  visitAttributes(info, [&](uint8_t attribute, StringRef data) {
    constexpr size_t words = 3;
    if (data.size() < words * sizeof(uint32_t))
      return;
    if (attribute == Parameter) {
      // An index, the number and the offset, and a word of flags below the size.
      constexpr unsigned sizeShift = 18;
      uint16_t ordinal = endian::read16le(data.data() + sizeof(uint32_t));
      parameters[ordinal] = wordAt(data, 2) >> sizeShift;
    } else if (attribute == RequiredThreads || (attribute == MaxThreads && !kernel.threadsPerCta)) {
      kernel.threadsPerCta = int(wordAt(data, 0) * wordAt(data, 1) * wordAt(data, 2));
    }
  });
  for (auto [ordinal, bytes] : parameters)
    kernel.parameterBytes.push_back(bytes);
}

llvm::Error CubinReader::readSection(const Elf::Elf_Shdr &section) {
  llvm::Expected<StringRef> name = elf.getSectionName(section);
  if (!name)
    return name.takeError();
  StringRef rest = *name;
  if (rest.consume_front(kShared)) {
    if (auto kernel = kernels.find(rest.str()); kernel != kernels.end())
      kernel->second.staticSharedBytes =
          std::max<int64_t>(0, int64_t(section.sh_size) - (isPartReserved ? kReservedBytes : 0));
    return llvm::Error::success();
  }
  if (!rest.consume_front(kInfo))
    return llvm::Error::success();
  llvm::Expected<llvm::ArrayRef<uint8_t>> data = elf.getSectionContents(section);
  if (!data)
    return data.takeError();
  StringRef info(reinterpret_cast<const char *>(data->data()), data->size());
  if (rest.empty())
    readOfAll(info);
  else if (auto kernel = kernels.find(rest.drop_front().str()); kernel != kernels.end())
    readOfOne(info, kernel->second);
  return llvm::Error::success();
}

llvm::Error CubinReader::read(std::vector<CubinKernel> &result) {
  llvm::Expected<Elf::Elf_Shdr_Range> sections = elf.sections();
  if (!sections)
    return sections.takeError();
  // A function that kernels call has code, too, but no attributes of its own.
  for (const Elf::Elf_Shdr &section : *sections) {
    llvm::Expected<StringRef> name = elf.getSectionName(section);
    if (!name)
      return name.takeError();
    if (name->starts_with(kInfo) && name->size() > kInfo.size() + 1) {
      std::string kernel = name->drop_front(kInfo.size() + 1).str();
      kernels[kernel].name = kernel;
    }
    isPartReserved |= *name == kReserved;
    if (section.sh_type == llvm::ELF::SHT_SYMTAB)
      if (llvm::Error error = readSymbols(section))
        return error;
  }
  for (const Elf::Elf_Shdr &section : *sections)
    if (llvm::Error error = readSection(section))
      return error;
  for (auto &[name, kernel] : kernels)
    result.push_back(std::move(kernel));
  return llvm::Error::success();
}

llvm::Expected<std::vector<CubinKernel>> readCubin(StringRef cubin) {
  if (!cubin.starts_with(StringRef("\x7f"
                                   "ELF")))
    return llvm::createStringError("no ELF file");
  llvm::Expected<Elf> elf = Elf::create(cubin);
  if (!elf)
    return elf.takeError();
  if (elf->getHeader().e_machine != llvm::ELF::EM_CUDA)
    return llvm::createStringError("an ELF file for another machine");
  std::vector<CubinKernel> kernels;
  if (llvm::Error error = CubinReader(*elf).read(kernels))
    return std::move(error);
  return kernels;
}

std::optional<CubinKernel> findInCubin(StringRef cubin, StringRef kernel) {
  llvm::Expected<std::vector<CubinKernel>> kernels = readCubin(cubin);
  if (!kernels) {
    llvm::consumeError(kernels.takeError());
    return std::nullopt;
  }
  for (CubinKernel &found : *kernels)
    if (found.name == kernel)
      return std::move(found);
  return std::nullopt;
}

} // namespace tilec
