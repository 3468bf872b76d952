// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From MLIR locations to lines of the source.

#include "SiteTable.h"

#include "tilec/Conversion/NVVMToSim/Passes.h"

using namespace mlir;
using namespace tilec;

/// Adds the place that a location stands for and, of an inlined operation, its callers; nothing
/// when there is none.
static void collectFrames(Location loc, SmallVectorImpl<FileLineColRange> &frames) {
  if (auto place = dyn_cast<FileLineColRange>(loc)) {
    frames.push_back(place);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    collectFrames(call.getCallee(), frames);
    collectFrames(call.getCaller(), frames);
  } else if (auto name = dyn_cast<NameLoc>(loc)) {
    collectFrames(name.getChildLoc(), frames);
  } else if (auto opaque = dyn_cast<OpaqueLoc>(loc)) {
    collectFrames(opaque.getFallbackLocation(), frames);
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    size_t before = frames.size();
    for (Location part : fused.getLocations())
      if (frames.size() == before)
        collectFrames(part, frames);
  }
}

int32_t SiteTable::add(Location loc, const Twine &what) {
  Site site;
  site.what = what.str();
  collectFrames(loc, site.frames);
  if (site.frames.size() > 1)
    site.what += ", called from " + site.frames[1].getFilename().str() + ":" +
                 std::to_string(site.frames[1].getStartLine());
  sites.push_back(std::move(site));
  return static_cast<int32_t>(sites.size() - 1);
}

int32_t SiteTable::addOnce(Location loc, StringRef what, bool isUniform) {
  auto [known, isNew] =
      sharedSites.try_emplace({loc.getAsOpaquePointer(), what.str(), isUniform}, 0);
  if (isNew) {
    known->second = add(loc, what);
    sites.back().isUniform = isUniform;
  }
  return known->second;
}

int32_t SiteTable::instructionsAt(Location loc) {
  auto [known, isNew] = instructionSites.try_emplace(loc, 0);
  if (isNew)
    known->second = add(loc, "instructions");
  return known->second;
}

void SiteTable::attach(ModuleOp module) const {
  Builder builder(module.getContext());
  auto placeOf = [&](ArrayRef<FileLineColRange> frames) {
    NamedAttrList fields;
    fields.set("file", builder.getStringAttr(frames.empty() ? StringRef()
                                                            : frames[0].getFilename().getValue()));
    fields.set("line",
               builder.getI32IntegerAttr(frames.empty() ? 0 : int32_t(frames[0].getStartLine())));
    fields.set("column",
               builder.getI32IntegerAttr(frames.empty() ? 0 : int32_t(frames[0].getStartColumn())));
    return fields;
  };
  SmallVector<Attribute> entries;
  for (const Site &site : sites) {
    NamedAttrList fields = placeOf(site.frames);
    fields.set("what", builder.getStringAttr(site.what));
    SmallVector<Attribute> callers;
    for (FileLineColRange caller : ArrayRef(site.frames).drop_front(!site.frames.empty()))
      callers.push_back(placeOf(caller).getDictionary(module.getContext()));
    if (site.isUniform)
      fields.set("uniform", builder.getUnitAttr());
    if (!callers.empty())
      fields.set("callers", builder.getArrayAttr(callers));
    SmallVector<int32_t> block;
    for (const SiteInstructions &part : site.block)
      block.append({part.site, part.instructionClass, part.amount});
    if (!block.empty())
      fields.set("block", builder.getDenseI32ArrayAttr(block));
    entries.push_back(fields.getDictionary(module.getContext()));
  }
  module->setAttr(simSitesAttr, builder.getArrayAttr(entries));
}
