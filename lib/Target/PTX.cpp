// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR to LLVM IR to PTX text.

#include "tilec/Target/PTX.h"

#include "DeviceModule.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Target/TargetOptions.h"

#include <mutex>

// LLVM declares one initialiser per back end; this tool needs one back end only.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

using namespace mlir;

namespace tilec {
namespace {

void initializeBackEnd() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // Shared, constant and local addresses fit 32 bits; short pointers halve the registers that
    // their arithmetic takes. The back end reads this from its command-line option and nowhere
    // else, so the option is set as its parser would.
    auto &known = llvm::cl::getRegisteredOptions();
    auto shortPointers = known.find("nvptx-short-ptr");
    if (shortPointers != known.end() && shortPointers->second->getNumOccurrences() == 0)
      shortPointers->second->addOccurrence(0, "nvptx-short-ptr", "true");
  });
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(const Processor &processor, unsigned ptxVersion, const PTXOptions &options) {
  initializeBackEnd();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string message;
  const llvm::Target *backEnd = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!backEnd)
    return llvm::createStringError("this LLVM has no NVPTX back end: " + message);

  llvm::TargetOptions machineOptions;
  machineOptions.AllowFPOpFusion =
      options.fuseMultiplyAdd ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Strict;
  machineOptions.MCOptions.AsmVerbose = false;
  std::string features = "+ptx" + std::to_string(ptxVersion);
  constexpr llvm::CodeGenOptLevel levels[] = {
      llvm::CodeGenOptLevel::None, llvm::CodeGenOptLevel::Less, llvm::CodeGenOptLevel::Default,
      llvm::CodeGenOptLevel::Aggressive};
  std::unique_ptr<llvm::TargetMachine> machine(backEnd->createTargetMachine(
      triple, processor.name, features, machineOptions, llvm::Reloc::PIC_, std::nullopt,
      levels[std::min(options.optLevel, 3u)]));
  if (!machine)
    return llvm::createStringError(
        llvm::formatv("cannot create a back end for '{0}'", processor.name).str());
  return machine;
}

/// "file:line:column: text" of what MLIR reported.
std::string describe(Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    stream << place.getFilename().getValue() << ":" << place.getLine() << ":" << place.getColumn()
           << ": ";
  stream << diagnostic.str();
  return text;
}

/// A function of the program may synchronise, so calls of it stay where all threads come by.
/// Library functions, which do not, are linked later.
void markFunctionsConvergent(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.setConvergent();
    for (llvm::User *user : function.users())
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(user))
        call->setConvergent();
  }
}

llvm::Error translateInto(DeviceModule::Impl &impl, ModuleOp module) {
  DialectRegistry registry;
  registerPTXTranslations(registry);
  module.getContext()->appendDialectRegistry(registry);

  std::vector<std::string> reported;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      reported.push_back(describe(diagnostic));
    return success();
  });
  impl.module = translateModuleToLLVMIR(module, *impl.context, module.getName().value_or("tilec"));
  if (!impl.module)
    return llvm::createStringError(reported.empty() ? std::string("translation to LLVM IR failed")
                                                    : llvm::join(reported, "; "));
  impl.module->setTargetTriple(impl.machine->getTargetTriple());
  impl.module->setDataLayout(impl.machine->createDataLayout());
  markFunctionsConvergent(*impl.module);
  return impl.takeErrors("translating to LLVM IR");
}

/// Functions that every device has, and the question that libdevice asks the back end.
/// 2^x is the one approximation that comes in two kinds.
void keepSubnormals(llvm::Module &module) {
  llvm::Type *type = llvm::Type::getFloatTy(module.getContext());
  llvm::Function *flushing =
      llvm::Intrinsic::getDeclarationIfExists(&module, llvm::Intrinsic::nvvm_ex2_approx_ftz, type);
  if (flushing)
    flushing->replaceAllUsesWith(
        llvm::Intrinsic::getOrInsertDeclaration(&module, llvm::Intrinsic::nvvm_ex2_approx, type));
  llvm::Function *reciprocal =
      llvm::Intrinsic::getDeclarationIfExists(&module, llvm::Intrinsic::nvvm_rcp_approx_ftz_f);
  if (!reciprocal)
    return;
  llvm::Function *division =
      llvm::Intrinsic::getOrInsertDeclaration(&module, llvm::Intrinsic::nvvm_div_full);
  for (llvm::User *user : llvm::make_early_inc_range(reciprocal->users())) {
    auto *call = llvm::cast<llvm::CallInst>(user);
    llvm::IRBuilder<> builder(call);
    call->replaceAllUsesWith(
        builder.CreateCall(division, {llvm::ConstantFP::get(type, 1.0), call->getArgOperand(0)}));
    call->eraseFromParent();
  }
}

constexpr llvm::StringLiteral deviceFunctions[] = {"__assertfail", "__nvvm_reflect", "free",
                                                   "malloc", "vprintf"};

/// Makes everything but the kernels internal, and refuses calls of functions that nobody defines:
/// only the driver would notice them, without a word on where they come from.
llvm::Error closeModule(llvm::Module &module) {
  std::vector<std::string> undefined;
  for (llvm::Function &function : module) {
    if (!function.isDeclaration()) {
      if (function.getCallingConv() != llvm::CallingConv::PTX_Kernel)
        function.setLinkage(llvm::GlobalValue::InternalLinkage);
    } else if (!function.isIntrinsic() && !function.use_empty() &&
               !llvm::is_contained(deviceFunctions, function.getName())) {
      undefined.push_back("'" + function.getName().str() + "'");
    }
  }
  if (undefined.empty())
    return llvm::Error::success();
  return llvm::createStringError("call of a function that is not defined: " +
                                 llvm::join(undefined, ", "));
}

} // namespace

void registerPTXTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

llvm::Expected<DeviceModule> translateToLLVM(ModuleOp module, const PTXOptions &options) {
  llvm::Expected<const Processor *> processor = findProcessor(options.target);
  if (!processor)
    return processor.takeError();
  llvm::Expected<unsigned> version = choosePTXVersion(**processor, options.ptxVersion);
  if (!version)
    return version.takeError();

  auto impl = std::make_unique<DeviceModule::Impl>();
  impl->ptxVersion = *version;
  llvm::Error error = guardFatalErrors(*impl, "translating to LLVM IR", [&]() -> llvm::Error {
    auto machine = createMachine(**processor, *version, options);
    if (!machine)
      return machine.takeError();
    impl->machine = std::move(*machine);
    if (options.lineInfo)
      attachLineInfo(module);
    if (llvm::Error translation = translateInto(*impl, module))
      return translation;
    if (!options.flushSubnormals)
      keepSubnormals(*impl->module);
    llvm::Expected<LinkedMath> math =
        linkMathLibraries(*impl->module, options.mathLibraries, options.mathPreference);
    if (!math)
      return math.takeError();
    impl->math = std::move(*math);
    if (llvm::Error open = closeModule(*impl->module))
      return open;
    return impl->takeErrors("linking mathematics");
  });
  if (error)
    return std::move(error);
  return DeviceModule(std::move(impl));
}

namespace {

bool hasLongBlocks(const llvm::Function &function) {
  constexpr size_t kLongBlock = 1500;
  return llvm::any_of(function,
                      [](const llvm::BasicBlock &block) { return block.size() > kLongBlock; });
}

/// Leaves out straight-line strength reduction, which takes time quadratic in what it looks at: on
/// unrolled tiles of many elements it is most of the time.
class StrengthReductionGate final : public llvm::OptPassGate {
public:
  explicit StrengthReductionGate(bool leavesItOut) : leavesOut(leavesItOut) {}
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override {
    return pass != "slsr";
  }
  bool isEnabled() const override { return leavesOut; }

private:
  bool leavesOut;
};

} // namespace

llvm::Expected<PTXResult> emitPTX(DeviceModule module, const PTXOptions &options) {
  DeviceModule::Impl &impl = module.implementation();
  PTXResult result;
  result.ptxVersion = impl.ptxVersion;
  result.math = impl.math;
  for (const llvm::Function &function : *impl.module)
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel && !function.isDeclaration())
      result.kernels.push_back(function.getName().str());

  llvm::Error error = guardFatalErrors(impl, "generating PTX", [&]() -> llvm::Error {
    llvm::SmallString<0> text;
    llvm::raw_svector_ostream stream(text);
    // Owned by hand: after a fatal error it is in no state to be destroyed.
    auto *passes = new llvm::legacy::PassManager();
    if (impl.machine->addPassesToEmitFile(*passes, stream, nullptr,
                                          llvm::CodeGenFileType::AssemblyFile,
                                          /*DisableVerify=*/true)) {
      delete passes;
      return llvm::createStringError("the back end cannot write assembly");
    }
    // Addresses in long blocks share bases already; where there are many, restoreSums() has seen to
    // that.
    result.leftOutReduction = impl.leavesOutReduction;
    StrengthReductionGate gate(result.leftOutReduction ||
                               llvm::any_of(*impl.module, hasLongBlocks));
    llvm::OptPassGate &usual = impl.module->getContext().getOptPassGate();
    impl.module->getContext().setOptPassGate(gate);
    passes->run(*impl.module);
    impl.module->getContext().setOptPassGate(usual);
    delete passes;
    result.ptx = std::string(text);
    return impl.takeErrors("generating PTX");
  });
  if (error)
    return std::move(error);
  return result;
}

llvm::Expected<PTXResult> translateToPTX(ModuleOp module, const PTXOptions &options) {
  llvm::Expected<DeviceModule> device = translateToLLVM(module, options);
  if (!device)
    return device.takeError();
  if (llvm::Error error = optimizeLLVM(*device, options))
    return std::move(error);
  return emitPTX(std::move(*device), options);
}

} // namespace tilec
