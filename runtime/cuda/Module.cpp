// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads code with the driver's log attached to a failure. Binary images carry their own length; it
// is compared with the bytes at hand first, because the driver is given no length and would read
// past the end of a truncated one.

#include "tilecrt/cuda/Module.h"

#include <cstring>
#include <utility>

namespace tilecrt::cuda {

ModuleState::~ModuleState() {
  ContextScope scope(*owner);
  if (scope.status().ok())
    owner->table().moduleUnload(mod);
}

namespace {

template <typename Int> Int readLittleEndian(const std::string &image, size_t offset) {
  Int value = 0;
  for (size_t i = 0; i < sizeof(Int); ++i)
    value |= Int(static_cast<unsigned char>(image[offset + i])) << (8 * i);
  return value;
}

Status truncated(const char *what, uint64_t needed, size_t given) {
  return invalidArgument(std::string("the ") + what + " is cut off: it needs at least " +
                         std::to_string(needed) + " bytes, got " + std::to_string(given));
}

/// The ELF header places the section header table last in a cubin; both tables must be inside.
Status checkElf(const std::string &image) {
  constexpr size_t headerSize = 64;
  if (image.size() < headerSize)
    return truncated("cubin", headerSize, image.size());
  struct Table {
    uint64_t offset;
    uint64_t entrySize;
    uint64_t count;
  };
  const Table tables[] = {
      {readLittleEndian<uint64_t>(image, 32), readLittleEndian<uint16_t>(image, 54),
       readLittleEndian<uint16_t>(image, 56)},
      {readLittleEndian<uint64_t>(image, 40), readLittleEndian<uint16_t>(image, 58),
       readLittleEndian<uint16_t>(image, 60)}};
  for (const Table &table : tables) {
    uint64_t bytes = table.entrySize * table.count;
    if (table.offset > image.size() || bytes > image.size() - table.offset)
      return truncated("cubin", table.offset + bytes, image.size());
  }
  return Status();
}

Status checkImage(const std::string &image) {
  if (image.empty())
    return invalidArgument("the code image is empty");
  if (image.compare(0, 4,
                    "\x7f"
                    "ELF") == 0)
    return checkElf(image);
  // A fat binary: magic, 16-bit version, 16-bit header size, 64-bit size of what follows.
  constexpr size_t fatHeaderSize = 16;
  if (image.compare(0, 4, "\x50\xed\x55\xba") == 0) {
    if (image.size() < fatHeaderSize)
      return truncated("fat binary", fatHeaderSize, image.size());
    uint64_t header = readLittleEndian<uint16_t>(image, 6);
    uint64_t body = readLittleEndian<uint64_t>(image, 8);
    if (header > image.size() || body > image.size() - header)
      return truncated("fat binary", header + body, image.size());
  }
  return Status();
}

std::string likelyCause(CUresult result, const Device &device) {
  switch (result) {
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
    return "; the code was not made for '" + device.properties().archName() + "'";
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    return "; the driver (CUDA " + device.driver().versionText() + ") is older than this PTX";
  case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    return "; the driver's PTX compiler library is not installed";
  default:
    return "";
  }
}

/// The text in a log buffer, without the newlines at its end.
std::string logText(const char *buffer, size_t size) {
  std::string text(buffer, strnlen(buffer, size));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return text;
}

} // namespace

Result<Module> Module::load(const Context &context, const std::string &image,
                            const ModuleOptions &options) {
  TILECRT_RETURN_IF_ERROR(checkImage(image));
  const SharedContext &shared = context.shared();
  ContextScope scope(*shared);
  TILECRT_RETURN_IF_ERROR(scope.status());

  // The driver takes option values by value inside the pointer array.
  constexpr size_t logSize = 16384;
  std::string infoLog(logSize, '\0');
  std::string errorLog(logSize, '\0');
  CUjit_option names[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                          CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                          // PTX without '.loc' has none to keep.
                          CU_JIT_GENERATE_LINE_INFO, CU_JIT_MAX_REGISTERS};
  void *values[] = {infoLog.data(),
                    reinterpret_cast<void *>(logSize),
                    errorLog.data(),
                    reinterpret_cast<void *>(logSize),
                    reinterpret_cast<void *>(uintptr_t(1)),
                    reinterpret_cast<void *>(static_cast<uintptr_t>(options.maxRegisters))};
  unsigned count = options.maxRegisters ? 6 : 5;

  CUmodule handle = nullptr;
  CUresult result = shared->table().moduleLoadDataEx(&handle, image.c_str(), count, names, values);
  if (result == CUDA_SUCCESS)
    return Module(std::make_shared<const ModuleState>(shared, handle),
                  logText(infoLog.data(), logSize));

  Status failure =
      toStatus(shared->table(), result, DriverFunctionNames::moduleLoadDataEx, __FILE__, __LINE__);
  std::string log = logText(errorLog.data(), logSize);
  return Status(failure.code(), failure.message() + likelyCause(result, shared->device()) +
                                    (log.empty() ? "" : "\n" + log));
}

Result<Kernel> Module::kernel(const std::string &name) const {
  const SharedContext &shared = state->context();
  const DriverTable &table = shared->table();
  ContextScope scope(*shared);
  TILECRT_RETURN_IF_ERROR(scope.status());

  CUfunction function = nullptr;
  CUresult found = table.moduleGetFunction(&function, state->handle(), name.c_str());
  if (found == CUDA_ERROR_NOT_FOUND)
    return invalidArgument("the module has no kernel '" + name + "'");
  TILECRT_RETURN_IF_ERROR(
      toStatus(table, found, DriverFunctionNames::moduleGetFunction, __FILE__, __LINE__));

  KernelAttributes facts;
  const std::pair<CUfunction_attribute, int *> wanted[] = {
      {CU_FUNC_ATTRIBUTE_NUM_REGS, &facts.registers},
      {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &facts.localBytes},
      {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &facts.staticSharedBytes},
      {CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, &facts.constantBytes},
      {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &facts.maxThreadsPerBlock}};
  for (const auto &[attribute, value] : wanted)
    TILECRT_CUDA_RETURN_IF_ERROR(table, funcGetAttribute, (value, attribute, function));
  return Kernel(state, function, name, facts);
}

} // namespace tilecrt::cuda
