// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From MLIR locations to lines of the source.

#include "SiteTable.h"

#include "tilec/Conversion/NVVMToSim/Passes.h"

using namespace mlir;
using namespace tilec;

/// The place that a location stands for; null when there is none. `caller` gets the nearest caller
/// of an inlined operation.
static FileLineColRange sourcePlace(Location loc, FileLineColRange &caller) {
  if (auto place = dyn_cast<FileLineColRange>(loc))
    return place;
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    FileLineColRange ignored;
    FileLineColRange place = sourcePlace(call.getCallee(), caller);
    FileLineColRange outer = sourcePlace(call.getCaller(), ignored);
    if (!place)
      return outer;
    if (!caller)
      caller = outer;
    return place;
  }
  if (auto name = dyn_cast<NameLoc>(loc))
    return sourcePlace(name.getChildLoc(), caller);
  if (auto opaque = dyn_cast<OpaqueLoc>(loc))
    return sourcePlace(opaque.getFallbackLocation(), caller);
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (FileLineColRange place = sourcePlace(part, caller))
        return place;
  return {};
}

int32_t SiteTable::add(Location loc, const Twine &what) {
  Site site;
  site.what = what.str();
  FileLineColRange caller;
  if (FileLineColRange place = sourcePlace(loc, caller)) {
    site.file = place.getFilename().str();
    site.line = place.getStartLine();
    site.column = place.getStartColumn();
  }
  if (caller)
    site.what +=
        ", called from " + caller.getFilename().str() + ":" + std::to_string(caller.getStartLine());
  sites.push_back(std::move(site));
  return static_cast<int32_t>(sites.size() - 1);
}

void SiteTable::attach(ModuleOp module) const {
  Builder builder(module.getContext());
  SmallVector<Attribute> entries;
  for (const Site &site : sites)
    entries.push_back(builder.getDictionaryAttr({
        builder.getNamedAttr("file", builder.getStringAttr(site.file)),
        builder.getNamedAttr("line", builder.getI32IntegerAttr(site.line)),
        builder.getNamedAttr("column", builder.getI32IntegerAttr(site.column)),
        builder.getNamedAttr("what", builder.getStringAttr(site.what)),
    }));
  module->setAttr(simSitesAttr, builder.getArrayAttr(entries));
}
