// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ownership of an LLVM module for a device, and the capture of LLVM's diagnostics.

#include "DeviceModule.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec {
namespace {

/// Keeps errors, drops the rest: warnings and remarks of LLVM are about our IR, not about the
/// user's program.
struct CollectErrors final : llvm::DiagnosticHandler {
  explicit CollectErrors(std::vector<std::string> &list) : errors(list) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    errors.push_back(std::move(text));
    return true;
  }

  std::vector<std::string> &errors;
};

} // namespace

DeviceModule::Impl::Impl() : context(std::make_unique<llvm::LLVMContext>()) {
  context->setDiagnosticHandler(std::make_unique<CollectErrors>(errors), /*RespectFilters=*/false);
  context->setDiscardValueNames(true);
}

llvm::Error DeviceModule::Impl::takeErrors(llvm::StringRef step) {
  if (errors.empty())
    return llvm::Error::success();
  std::string text = step.str() + ": " + llvm::join(errors, "; ");
  errors.clear();
  return llvm::createStringError(text);
}

void DeviceModule::Impl::abandon() {
  (void)machine.release();
  (void)module.release();
  if (context) {
    // The leaked context must not report into this object.
    context->setDiagnosticHandler(std::make_unique<llvm::DiagnosticHandler>());
    (void)context.release();
  }
}

DeviceModule::DeviceModule(std::unique_ptr<Impl> members) : impl(std::move(members)) {}
DeviceModule::DeviceModule(DeviceModule &&other) noexcept = default;
DeviceModule &DeviceModule::operator=(DeviceModule &&other) noexcept = default;
DeviceModule::~DeviceModule() = default;

std::string DeviceModule::print() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (impl && impl->module)
    impl->module->print(stream, nullptr);
  return text;
}

const LinkedMath &DeviceModule::linkedMath() const { return impl->math; }

} // namespace tilec
