// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR to LLVM IR to an object file in memory, linked into this process by ORC's object layer. The
// object is made before the JIT sees it, so that LLVM's errors are met in one place; linking knows
// the symbols of HostSymbols.h and no others.

#include "tilec/Target/HostJIT.h"

#include "../DeviceModule.h"
#include "HostMachine.h"
#include "HostPasses.h"
#include "HostSymbols.h"

#include "tilec/Conversion/NVVMToSim/Passes.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/Mangling.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"

#include <mutex>

using namespace mlir;
using namespace tilec;

/// Members are destroyed bottom up: the layer before the session that it belongs to.
struct HostKernel::Impl {
  ~Impl() {
    if (session)
      llvm::consumeError(session->endSession());
  }

  HostImage image;
  tilecrt::sim::KernelEntry entry = nullptr;
  std::mutex mutex;
  /// What the session reported, which is more than its errors say.
  std::vector<std::string> reported;
  std::unique_ptr<llvm::orc::ExecutionSession> session;
  std::unique_ptr<llvm::orc::ObjectLinkingLayer> layer;
};

HostKernel::HostKernel(std::unique_ptr<Impl> members) : impl(std::move(members)) {}
HostKernel::~HostKernel() = default;
tilecrt::sim::KernelEntry HostKernel::entry() const { return impl->entry; }
const std::vector<tilecrt::sim::Site> &HostKernel::sites() const { return impl->image.sites; }
const std::string &HostKernel::name() const { return impl->image.kernel; }
const HostImage &HostKernel::image() const { return impl->image; }

/// The entry function of the wanted kernel.
static llvm::Expected<LLVM::LLVMFuncOp> findEntry(ModuleOp module, llvm::StringRef kernel) {
  LLVM::LLVMFuncOp found;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto name = function->getAttrOfType<StringAttr>(simEntryAttr);
    if (!name || (!kernel.empty() && name.getValue() != kernel))
      continue;
    if (found)
      return llvm::createStringError("expected the name of one kernel: the module has several");
    found = function;
  }
  if (!found)
    return llvm::createStringError(kernel.empty()
                                       ? std::string("the module has no kernel for the simulator")
                                       : ("the module has no kernel '" + kernel + "'").str());
  return found;
}

/// A place of the table, a site or a caller.
template <typename Place> static void readPlace(DictionaryAttr fields, Place &place) {
  if (auto file = fields.getAs<StringAttr>("file"))
    place.file = file.str();
  if (auto line = fields.getAs<IntegerAttr>("line"))
    place.line = static_cast<int>(line.getInt());
  if (auto column = fields.getAs<IntegerAttr>("column"))
    place.col = static_cast<int>(column.getInt());
}

static tilecrt::sim::Site readSite(DictionaryAttr fields) {
  tilecrt::sim::Site site;
  readPlace(fields, site);
  if (auto what = fields.getAs<StringAttr>("what"))
    site.what = what.str();
  site.isUniform = fields.contains("uniform");
  if (auto callers = fields.getAs<ArrayAttr>("callers"))
    for (auto caller : callers.getAsRange<DictionaryAttr>())
      readPlace(caller, site.callers.emplace_back());
  if (auto block = fields.getAs<DenseI32ArrayAttr>("block"))
    for (ArrayRef<int32_t> rest = block; rest.size() >= 3; rest = rest.drop_front(3))
      site.block.push_back({rest[0], rest[1], rest[2]});
  return site;
}

static std::vector<tilecrt::sim::Site> readSites(ModuleOp module) {
  std::vector<tilecrt::sim::Site> sites;
  auto table = module->getAttrOfType<ArrayAttr>(simSitesAttr);
  if (!table)
    return sites;
  for (Attribute entry : table) {
    auto fields = dyn_cast<DictionaryAttr>(entry);
    sites.push_back(fields ? readSite(fields) : tilecrt::sim::Site());
  }
  return sites;
}

/// "file:line:column: text" of what MLIR reported.
static std::string describe(Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    stream << place.getFilename().getValue() << ":" << place.getLine() << ":" << place.getColumn()
           << ": ";
  stream << diagnostic.str();
  return text;
}

/// Translates, and keeps the functions that `entry` needs.
static llvm::Error translate(DeviceModule::Impl &code, ModuleOp module, llvm::StringRef entry) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  std::vector<std::string> reported;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      reported.push_back(describe(diagnostic));
    return success();
  });
  code.module = translateModuleToLLVMIR(module, *code.context, "tilec");
  if (!code.module)
    return llvm::createStringError(reported.empty() ? std::string("translation to LLVM IR failed")
                                                    : llvm::join(reported, "; "));
  code.module->setTargetTriple(code.machine->getTargetTriple());
  code.module->setDataLayout(code.machine->createDataLayout());
  for (llvm::Function &function : *code.module) {
    // Nothing in a kernel throws. Large frames touch every page, so that they meet the guard page
    // of the thread's stack.
    function.setDoesNotThrow();
    if (function.isDeclaration())
      continue;
    function.addFnAttr("probe-stack", "inline-asm");
    if (function.getName() != entry)
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  return code.takeErrors("translating to LLVM IR");
}

static llvm::Error optimize(DeviceModule::Impl &code, unsigned optLevel) {
  std::string invalid;
  llvm::raw_string_ostream stream(invalid);
  if (llvm::verifyModule(*code.module, &stream))
    return llvm::createStringError("invalid LLVM IR: " + invalid);
  if (optLevel > 0)
    runHostPasses(*code.module, *code.machine, optLevel);
  return code.takeErrors("optimising");
}

static llvm::Error emitObject(DeviceModule::Impl &code, llvm::SmallVectorImpl<char> &object) {
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (code.machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile,
                                        /*DisableVerify=*/true))
    return llvm::createStringError("the host's back end cannot write object files");
  passes.run(*code.module);
  return code.takeErrors("generating host code");
}

/// The optimised LLVM module of the kernel behind `entry`.
static llvm::Error build(DeviceModule::Impl &code, ModuleOp module, llvm::StringRef entry,
                         unsigned optLevel) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = createHostMachine(optLevel);
  if (!machine)
    return machine.takeError();
  code.machine = std::move(*machine);
  if (llvm::Error error = translate(code, module, entry))
    return error;
  return guardFatalErrors(code, "optimising", [&] { return optimize(code, optLevel); });
}

/// Every symbol that host code may refer to.
static llvm::orc::SymbolMap hostSymbols(llvm::orc::MangleAndInterner &mangle) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](llvm::StringRef name, void *address) {
    symbols[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                             llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  for (const tilecrt::sim::AbiSymbol &symbol : tilecrt::sim::abiSymbols())
    add(symbol.name, symbol.address);
  for (const HostSymbol &symbol : librarySymbols())
    add(symbol.name, symbol.address);
  for (const HostSymbol &symbol : float16Symbols())
    add(symbol.name, symbol.address);
  for (const HostSymbol &symbol : float8Symbols())
    add(symbol.name, symbol.address);
  add("tilec_host_print", reinterpret_cast<void *>(&tilec_host_print));
  return symbols;
}

/// Links the object into the process and finds the entry.
static llvm::Error link(HostKernel::Impl &kernel, const llvm::DataLayout &dataLayout) {
  // The layer takes its own copy: the image is kept for a cache.
  std::unique_ptr<llvm::MemoryBuffer> object =
      llvm::MemoryBuffer::getMemBufferCopy(kernel.image.object, "kernel");
  // Work in place: a compilation must not start threads.
  auto process = llvm::orc::SelfExecutorProcessControl::Create(
      nullptr, std::make_unique<llvm::orc::InPlaceTaskDispatcher>());
  if (!process)
    return process.takeError();
  kernel.session = std::make_unique<llvm::orc::ExecutionSession>(std::move(*process));
  kernel.session->setErrorReporter([&kernel](llvm::Error error) {
    std::lock_guard<std::mutex> lock(kernel.mutex);
    kernel.reported.push_back(llvm::toString(std::move(error)));
  });
  llvm::orc::JITDylib &library = kernel.session->createBareJITDylib("kernel");
  llvm::orc::MangleAndInterner mangle(*kernel.session, dataLayout);
  if (llvm::Error error = library.define(llvm::orc::absoluteSymbols(hostSymbols(mangle))))
    return error;
  kernel.layer = std::make_unique<llvm::orc::ObjectLinkingLayer>(*kernel.session);
  if (llvm::Error error = kernel.layer->add(library, std::move(object)))
    return error;
  llvm::Expected<llvm::orc::ExecutorSymbolDef> address =
      kernel.session->lookup({&library}, mangle(kernel.image.symbol));
  if (!address) {
    std::string text = "linking host code: " + llvm::toString(address.takeError());
    for (const std::string &line : kernel.reported)
      text += "; " + line;
    return llvm::createStringError(text);
  }
  kernel.entry = address->getAddress().toPtr<tilecrt::sim::KernelEntry>();
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<HostKernel>> tilec::compileForHost(ModuleOp module,
                                                                  const HostOptions &options) {
  llvm::Expected<LLVM::LLVMFuncOp> entry = findEntry(module, options.kernel);
  if (!entry)
    return entry.takeError();
  auto kernel = std::make_unique<HostKernel::Impl>();
  kernel->image.symbol = entry->getName().str();
  kernel->image.kernel = (*entry)->getAttrOfType<StringAttr>(simEntryAttr).str();
  kernel->image.sites = readSites(module);

  DeviceModule::Impl code;
  if (llvm::Error error = build(code, module, entry->getName(), options.optLevel))
    return std::move(error);
  llvm::DataLayout dataLayout = code.module->getDataLayout();
  llvm::SmallVector<char, 0> object;
  if (llvm::Error error =
          guardFatalErrors(code, "generating host code", [&] { return emitObject(code, object); }))
    return std::move(error);
  kernel->image.object.assign(object.begin(), object.end());
  if (llvm::Error error = link(*kernel, dataLayout))
    return std::move(error);
  return std::make_unique<HostKernel>(std::move(kernel));
}

llvm::Expected<std::unique_ptr<HostKernel>> tilec::loadHostKernel(HostImage image) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = createHostMachine(0);
  if (!machine)
    return machine.takeError();
  auto kernel = std::make_unique<HostKernel::Impl>();
  kernel->image = std::move(image);
  if (llvm::Error error = link(*kernel, (*machine)->createDataLayout()))
    return std::move(error);
  return std::make_unique<HostKernel>(std::move(kernel));
}

std::string tilec::hostIdentity() { return hostMachineName(); }

llvm::Expected<std::string> tilec::translateToHostLLVM(ModuleOp module,
                                                       const HostOptions &options) {
  llvm::Expected<LLVM::LLVMFuncOp> entry = findEntry(module, options.kernel);
  if (!entry)
    return entry.takeError();
  DeviceModule::Impl code;
  if (llvm::Error error = build(code, module, entry->getName(), options.optLevel))
    return std::move(error);
  std::string text;
  llvm::raw_string_ostream stream(text);
  code.module->print(stream, nullptr);
  return text;
}
