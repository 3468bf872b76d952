// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds the kernels' mathematics to a bitcode library. The library's name for a function is
// computed, not tabulated:
//   libclc     OpenCL's mangled name,  erf_f32 (f32) -> _Z3erff,   pow_f64 (f64, f64) -> _Z3powdd
//   libdevice  __nv_<name>, with 'f' for f32,  erf_f32 -> __nv_erff,  erf_f64 -> __nv_erf
// The module is read lazily: only the bodies that are needed are parsed.

#include "tilec/Target/MathLibrary.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <map>
#include <mutex>

using llvm::StringRef;

namespace tilec {
namespace {

/// File name of libclc's library for 64-bit NVIDIA processors without a runtime of its own.
constexpr llvm::StringLiteral libclcFile = "nvptx64--.bc";
constexpr llvm::StringLiteral libdeviceFile = "libdevice.10.bc";

std::string joinPath(StringRef folder, std::initializer_list<StringRef> parts) {
  llvm::SmallString<128> path(folder);
  for (StringRef part : parts)
    llvm::sys::path::append(path, part);
  return std::string(path);
}

/// The first candidate that is a file; every one looked at is noted.
std::string firstFile(const std::vector<std::string> &candidates,
                      std::vector<std::string> &searched) {
  for (const std::string &path : candidates) {
    searched.push_back(path);
    if (llvm::sys::fs::is_regular_file(path))
      return path;
  }
  return {};
}

/// A bitcode file, mapped once for the whole process.
llvm::Expected<llvm::MemoryBufferRef> mappedFile(const std::string &path) {
  static std::mutex mutex;
  static auto *files = new std::map<std::string, std::unique_ptr<llvm::MemoryBuffer>>();
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<llvm::MemoryBuffer> &file = (*files)[path];
  if (!file) {
    auto read =
        llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!read)
      return llvm::createStringError(
          llvm::formatv("cannot read math library '{0}': {1}", path, read.getError().message())
              .str());
    file = std::move(*read);
  }
  return file->getMemBufferRef();
}

/// Letter of a parameter's type in OpenCL's mangling; 0 when the libraries have no such parameter.
char mangledLetter(const llvm::Type *type) {
  if (type->isFloatTy())
    return 'f';
  if (type->isDoubleTy())
    return 'd';
  if (type->isIntegerTy(32))
    return 'i';
  if (type->isIntegerTy(64))
    return 'l';
  return 0;
}

/// A call that a library must answer: '__tilec_math_erf_f32' is base 'erf', double precision false;
/// a function of libdevice that the program names itself ('__nv_erff') keeps its name.
struct WantedFunction {
  llvm::Function *function;
  std::string base;
  bool isDouble = false;
  bool isVerbatim = false;

  /// As messages and results name it.
  std::string name() const { return isVerbatim ? base : base + (isDouble ? "_f64" : "_f32"); }
};

/// Names to look for in libclc, best first.
std::vector<std::string> libclcNames(const WantedFunction &wanted) {
  if (wanted.isVerbatim)
    return {};
  // Where OpenCL's name is not C's.
  StringRef base = llvm::StringSwitch<StringRef>(wanted.base)
                       .Case("abs", "fabs")
                       .Case("nearbyint", "rint")
                       .Default(wanted.base);
  std::string mangled = llvm::formatv("_Z{0}{1}", base.size(), base);
  for (const llvm::Type *parameter : wanted.function->getFunctionType()->params()) {
    char letter = mangledLetter(parameter);
    if (!letter)
      return {};
    mangled += letter;
  }
  return {mangled};
}

/// Names to look for in libdevice, best first: a few predicates have a 'd' for double precision.
std::vector<std::string> libdeviceNames(const WantedFunction &wanted) {
  if (wanted.isVerbatim)
    return {wanted.base};
  StringRef base = wanted.base == "abs" ? StringRef("fabs") : StringRef(wanted.base);
  std::string name = "__nv_" + base.str();
  if (wanted.isDouble)
    return {name, name + "d"};
  return {name + "f", name};
}

/// One library as linking sees it.
struct Library {
  StringRef title;
  std::string path;
  std::vector<std::string> (*names)(const WantedFunction &);
};

/// The module's undefined mathematics, in name order.
llvm::Expected<std::vector<WantedFunction>> collectWanted(llvm::Module &module) {
  std::map<std::string, WantedFunction> wanted;
  for (llvm::Function &function : module) {
    StringRef name = function.getName();
    if (!function.isDeclaration() || function.use_empty())
      continue;
    if (name.starts_with("__nv_")) {
      wanted[name.str()] = {&function, name.str(), /*isDouble=*/false, /*isVerbatim=*/true};
      continue;
    }
    if (!name.consume_front(mathFunctionPrefix))
      continue;
    bool isDouble = name.ends_with("_f64");
    if (!isDouble && !name.ends_with("_f32"))
      return llvm::createStringError(
          llvm::formatv(
              "malformed math function '{0}', expected a name that ends in '_f32' or '_f64'",
              function.getName())
              .str());
    wanted[name.str()] = {&function, name.drop_back(4).str(), isDouble};
  }
  std::vector<WantedFunction> list;
  for (auto &entry : wanted)
    list.push_back(entry.second);
  return list;
}

/// Drops what would keep a library function from being inlined into a kernel, and its debug info.
void prepareLibrary(llvm::Module &source, const llvm::Module &destination) {
  source.setDataLayout(destination.getDataLayout());
  source.setTargetTriple(destination.getTargetTriple());
  for (StringRef metadata :
       {"llvm.ident", "opencl.ocl.version", "nvvmir.version", "llvm.module.flags"})
    if (llvm::NamedMDNode *node = source.getNamedMetadata(metadata))
      node->eraseFromParent();
}

/// OpenCL lets a division be off by 2.5 units in the last place and a square root by 3, and libclc
/// says so on each one. LLVM's back end ignores that and makes them exact, which takes several
/// times longer, so the instructions that fit (div.full: 2 units; sqrt.approx: 1 unit) are chosen
/// here.
void useAllowedAccuracy(llvm::Function &function) {
  llvm::SmallVector<llvm::Instruction *> relaxed;
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : block)
      if (auto *operation = llvm::dyn_cast<llvm::FPMathOperator>(&instruction))
        if (instruction.getType()->isFloatTy() && operation->getFPAccuracy() >= 2.0f)
          relaxed.push_back(&instruction);
  for (llvm::Instruction *instruction : relaxed) {
    llvm::IRBuilder<> builder(instruction);
    llvm::Value *fast = nullptr;
    if (instruction->getOpcode() == llvm::Instruction::FDiv)
      fast = builder.CreateIntrinsic(llvm::Intrinsic::nvvm_div_full,
                                     {instruction->getOperand(0), instruction->getOperand(1)});
    else if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(instruction);
             call && call->getIntrinsicID() == llvm::Intrinsic::sqrt)
      fast = builder.CreateIntrinsic(llvm::Intrinsic::nvvm_sqrt_approx_f, {call->getArgOperand(0)});
    if (!fast)
      continue;
    instruction->replaceAllUsesWith(fast);
    instruction->eraseFromParent();
  }
}

/// Links what `bound` needs from `path`; `bound` maps a wanted function to the library's name of
/// it.
llvm::Error linkBound(llvm::Module &module, std::unique_ptr<llvm::Module> source,
                      const std::vector<std::pair<llvm::Function *, std::string>> &bound) {
  for (const auto &[function, name] : bound) {
    if (function->getName() == name)
      continue;
    // Two of our names may stand for one function of the library.
    if (llvm::Function *known = module.getFunction(name)) {
      function->replaceAllUsesWith(known);
      function->eraseFromParent();
    } else {
      function->setName(name);
    }
  }
  std::vector<std::string> added;
  bool failed = llvm::Linker::linkModules(module, std::move(source), llvm::Linker::LinkOnlyNeeded,
                                          [&](llvm::Module &, const llvm::StringSet<> &names) {
                                            for (const auto &entry : names)
                                              added.push_back(entry.getKey().str());
                                          });
  if (failed)
    return llvm::createStringError("linking the math library failed");
  for (const std::string &name : added) {
    llvm::GlobalValue *value = module.getNamedValue(name);
    if (!value || value->isDeclaration())
      continue;
    value->setLinkage(llvm::GlobalValue::InternalLinkage);
    value->setVisibility(llvm::GlobalValue::DefaultVisibility);
    if (auto *function = llvm::dyn_cast<llvm::Function>(value)) {
      llvm::stripDebugInfo(*function);
      for (StringRef attribute :
           {"target-cpu", "target-features", "frame-pointer", "stack-protector-buffer-size"})
        function->removeFnAttr(attribute);
      useAllowedAccuracy(*function);
    }
  }
  return llvm::Error::success();
}

llvm::Error missingFunction(const WantedFunction &wanted, const std::vector<Library> &libraries,
                            const MathLibraries &found) {
  if (libraries.empty())
    return llvm::createStringError(
        llvm::formatv("math function '{0}' needs a bitcode library and none was found; install "
                      "libclc (package "
                      "'libclc-22') or the CUDA toolkit, or name a file (searched: {1})",
                      wanted.name(), llvm::join(found.searched, ", "))
            .str());
  std::vector<std::string> asked;
  for (const Library &library : libraries)
    asked.push_back(library.path);
  StringRef hint =
      found.libdevice.empty() ? "; CUDA's libdevice has more functions and was not found" : "";
  return llvm::createStringError(llvm::formatv("math function '{0}' is not in {1}{2}",
                                               wanted.name(), llvm::join(asked, ", "), hint)
                                     .str());
}

} // namespace

MathLibraries findMathLibraries(const MathLibraryHints &hints) {
  MathLibraries found;
  std::vector<std::string> libclc, libdevice;
  if (!hints.libclc.empty()) {
    libclc = {hints.libclc};
  } else {
    if (!hints.resourceFolder.empty())
      libclc.push_back(joinPath(hints.resourceFolder, {libclcFile}));
    libclc.push_back(joinPath("/usr/lib/clc", {libclcFile}));
    libclc.push_back(joinPath("/usr/share/clc", {libclcFile}));
  }
  if (!hints.libdevice.empty()) {
    libdevice = {hints.libdevice};
  } else {
    if (!hints.resourceFolder.empty())
      libdevice.push_back(joinPath(hints.resourceFolder, {libdeviceFile}));
    if (!hints.cudaHome.empty())
      libdevice.push_back(joinPath(hints.cudaHome, {"nvvm", "libdevice", libdeviceFile}));
    libdevice.push_back(joinPath("/usr/local/cuda", {"nvvm", "libdevice", libdeviceFile}));
  }
  found.libclc = firstFile(libclc, found.searched);
  found.libdevice = firstFile(libdevice, found.searched);
  return found;
}

llvm::Expected<LinkedMath> linkMathLibraries(llvm::Module &module, const MathLibraries &found,
                                             MathLibraryPreference preference) {
  LinkedMath linked;
  llvm::Expected<std::vector<WantedFunction>> wanted = collectWanted(module);
  if (!wanted)
    return wanted.takeError();
  if (wanted->empty())
    return linked;
  for (const WantedFunction &function : *wanted)
    linked.functions.push_back(function.name());

  std::vector<Library> libraries = {{"libclc", found.libclc, libclcNames},
                                    {"libdevice", found.libdevice, libdeviceNames}};
  if (preference == MathLibraryPreference::libdevice)
    std::swap(libraries[0], libraries[1]);
  llvm::erase_if(libraries, [](const Library &library) { return library.path.empty(); });

  std::vector<WantedFunction> open = std::move(*wanted);
  for (const Library &library : libraries) {
    if (open.empty())
      break;
    llvm::Expected<llvm::MemoryBufferRef> buffer = mappedFile(library.path);
    if (!buffer)
      return buffer.takeError();
    llvm::Expected<std::unique_ptr<llvm::Module>> source =
        llvm::getLazyBitcodeModule(*buffer, module.getContext(), /*ShouldLazyLoadMetadata=*/true);
    if (!source)
      return llvm::createStringError(llvm::formatv("cannot read math library '{0}': {1}",
                                                   library.path, llvm::toString(source.takeError()))
                                         .str());
    prepareLibrary(**source, module);

    std::vector<std::pair<llvm::Function *, std::string>> bound;
    std::vector<WantedFunction> rest;
    for (const WantedFunction &function : open) {
      const llvm::Function *match = nullptr;
      for (const std::string &name : library.names(function)) {
        const llvm::Function *candidate = (*source)->getFunction(name);
        if (candidate && !candidate->isDeclaration() &&
            candidate->getFunctionType() == function.function->getFunctionType()) {
          match = candidate;
          break;
        }
      }
      if (match)
        bound.push_back({function.function, match->getName().str()});
      else
        rest.push_back(function);
    }
    if (!bound.empty()) {
      if (llvm::Error error = linkBound(module, std::move(*source), bound))
        return std::move(error);
      linked.files.push_back(library.path);
    }
    open = std::move(rest);
  }
  if (!open.empty())
    return missingFunction(open.front(), libraries, found);
  return linked;
}

} // namespace tilec
