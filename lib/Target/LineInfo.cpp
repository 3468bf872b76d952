// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug scopes for line numbers. LLVM IR wants every line inside a subprogram; MLIR locations are
// bare places:
//
//   loc("k.tile":7:3)                               in function k: the scope is k's subprogram
//   loc("k.tile":9:3 in another file)               a lexical block of that file in k's subprogram
//   loc(callsite("lib.tile":3:1 at "k.tile":7:3))   a subprogram of its own for the callee, inlined
//   at the caller
//
// Only directives are emitted ('.loc', '.file'), no DWARF sections: that is what ptxas -lineinfo
// reads.

#include "DeviceModule.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace mlir;

namespace tilec {
namespace {

/// The first place in a location, and the name around it if there is one.
struct Place {
  FileLineColLoc place;
  StringAttr name;
};

Place innermostPlace(Location loc) {
  if (auto place = dyn_cast<FileLineColLoc>(loc))
    return {place, {}};
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return innermostPlace(call.getCallee());
  if (auto named = dyn_cast<NameLoc>(loc)) {
    Place inner = innermostPlace(named.getChildLoc());
    return {inner.place, inner.name ? inner.name : named.getName()};
  }
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (Place inner = innermostPlace(part); inner.place)
        return inner;
  return {};
}

class LineInfoBuilder {
public:
  explicit LineInfoBuilder(ModuleOp m) : module(m), context(m.getContext()) {}

  void run() {
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal() &&
          !function->getLoc()->findInstanceOf<FusedLocWith<LLVM::DISubprogramAttr>>())
        annotate(function);
  }

private:
  void annotate(LLVM::LLVMFuncOp function);
  LLVM::DIFileAttr fileOf(StringRef path);
  LLVM::DISubprogramAttr makeSubprogram(StringAttr name, FileLineColLoc place);
  /// `loc` as lines of `scope`; unknown where nothing in it names a place.
  Location scoped(Location loc, LLVM::DISubprogramAttr scope);
  Location scopedPlace(FileLineColLoc place, LLVM::DISubprogramAttr scope);

  ModuleOp module;
  MLIRContext *context;
  LLVM::DICompileUnitAttr unit;
  /// Subprograms of inlined callees by file and name.
  std::map<std::pair<std::string, std::string>, LLVM::DISubprogramAttr> callees;
};

LLVM::DIFileAttr LineInfoBuilder::fileOf(StringRef path) {
  // PTX has no way to write these in the name of a file.
  std::string plain = path.str();
  auto isForbidden = [](unsigned char c) { return c == '"' || c == '\\' || c < ' '; };
  std::replace_if(plain.begin(), plain.end(), isForbidden, '_');
  path = plain;
  return LLVM::DIFileAttr::get(context, llvm::sys::path::filename(path),
                               llvm::sys::path::parent_path(path));
}

LLVM::DISubprogramAttr LineInfoBuilder::makeSubprogram(StringAttr name, FileLineColLoc place) {
  LLVM::DIFileAttr file = fileOf(place ? place.getFilename().getValue() : StringRef("unknown"));
  unsigned line = place ? place.getLine() : 1;
  if (!unit)
    unit = LLVM::DICompileUnitAttr::get(DistinctAttr::create(UnitAttr::get(context)),
                                        llvm::dwarf::DW_LANG_C, file,
                                        StringAttr::get(context, "tilec"), /*isOptimized=*/true,
                                        LLVM::DIEmissionKind::DebugDirectivesOnly);
  auto type = LLVM::DISubroutineTypeAttr::get(context, ArrayRef<LLVM::DITypeAttr>());
  return LLVM::DISubprogramAttr::get(
      context, DistinctAttr::create(UnitAttr::get(context)), unit, file, name, name, file, line,
      line, LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized, type,
      /*retainedNodes=*/{}, /*annotations=*/{});
}

Location LineInfoBuilder::scopedPlace(FileLineColLoc place, LLVM::DISubprogramAttr scope) {
  LLVM::DIFileAttr file = fileOf(place.getFilename());
  if (file == scope.getFile())
    return FusedLoc::get(context, {place}, scope);
  return FusedLoc::get(
      context, {place},
      LLVM::DILexicalBlockFileAttr::get(context, scope, file, /*discriminator=*/0));
}

Location LineInfoBuilder::scoped(Location loc, LLVM::DISubprogramAttr scope) {
  auto call = dyn_cast<CallSiteLoc>(loc);
  if (!call) {
    Place place = innermostPlace(loc);
    return place.place ? scopedPlace(place.place, scope) : Location(UnknownLoc::get(context));
  }
  Location caller = scoped(call.getCaller(), scope);
  Place inner = innermostPlace(call.getCallee());
  if (!inner.place || isa<UnknownLoc>(caller))
    return caller;
  StringAttr name = inner.name ? inner.name : StringAttr::get(context, "inlined");
  LLVM::DISubprogramAttr &callee = callees[{inner.place.getFilename().str(), name.str()}];
  if (!callee)
    callee = makeSubprogram(name, inner.place);
  // The callee may itself be a chain of call sites.
  return CallSiteLoc::get(scoped(call.getCallee(), callee), caller);
}

void LineInfoBuilder::annotate(LLVM::LLVMFuncOp function) {
  Place place = innermostPlace(function.getLoc());
  LLVM::DISubprogramAttr subprogram = makeSubprogram(function.getNameAttr(), place.place);
  DenseMap<Location, Location> known;
  function.getBody().walk([&](Operation *op) {
    Location loc = op->getLoc();
    auto found = known.find(loc);
    if (found == known.end())
      found = known.insert({loc, scoped(loc, subprogram)}).first;
    Location mapped = found->second;
    // A call without a line is not valid beside functions that have them.
    if (isa<UnknownLoc>(mapped) && isa<LLVM::CallOp>(op))
      mapped = FusedLoc::get(context, {FileLineColLoc::get(subprogram.getFile().getName(), 0, 0)},
                             subprogram);
    op->setLoc(mapped);
  });
  function->setLoc(FusedLoc::get(context, {function.getLoc()}, subprogram));
}

} // namespace

void attachLineInfo(ModuleOp module) { LineInfoBuilder(module).run(); }

} // namespace tilec
