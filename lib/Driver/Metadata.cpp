// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Metadata.h.

#include "Metadata.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "tilec/Layout/TensorMapLayout.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec {

static tilecrt::KernelArgument describeArgument(func::FuncOp func, unsigned i) {
  using tile::TileDialect;
  tilecrt::KernelArgument argument;
  Type type = func.getArgument(i).getType();
  if (auto name = func.getArgAttrOfType<StringAttr>(i, TileDialect::kNameAttr))
    argument.name = name.str();
  if (auto text = func.getArgAttrOfType<StringAttr>(i, TileDialect::kTypeTextAttr))
    argument.type = text.str();
  if (auto divisibility = func.getArgAttrOfType<IntegerAttr>(i, TileDialect::kDivisibilityAttr))
    argument.divisibility = divisibility.getInt();
  argument.sizeBytes = tile::bytesOf(type);
  argument.kind = isa<tile::PtrType>(type) ? tilecrt::ArgumentKind::pointer
                  : isa<FloatType>(type)   ? tilecrt::ArgumentKind::floating
                                           : tilecrt::ArgumentKind::integer;
  argument.isConst = llvm::StringRef(argument.type).starts_with("*k");
  return argument;
}

/// An expression list of a tensor map's attribute.
static std::vector<std::string> textsOf(DictionaryAttr map, StringRef name) {
  std::vector<std::string> texts;
  for (Attribute text : map.getAs<ArrayAttr>(name))
    texts.push_back(cast<StringAttr>(text).str());
  return texts;
}

/// Triton's name of a descriptor's element type.
static std::string elementName(Type type) {
  return llvm::TypeSwitch<Type, std::string>(type)
      .Case([](Float8E4M3FNType) { return "fp8e4nv"; })
      .Case([](Float8E5M2Type) { return "fp8e5"; })
      .Case([](BFloat16Type) { return "bf16"; })
      .Default([](Type other) {
        std::string bits = std::to_string(other.getIntOrFloatBitWidth());
        return (isa<FloatType>(other) ? "fp" : "i") + bits;
      });
}

static tilecrt::TensorMapArgument describeMap(tile::DescType type, DictionaryAttr attr) {
  tilecrt::TensorMapArgument map;
  map.base = uint32_t(attr.getAs<IntegerAttr>("base").getInt());
  map.elementType = elementName(type.getElementType());
  if (attr.get("unsigned"))
    map.elementType = "u" + std::to_string(tile::bitWidthOf(type.getElementType()));
  map.shape = textsOf(attr, "shape");
  map.strides = textsOf(attr, "strides");
  TensorMapTile form = tilegpu::boxesOf(type);
  map.box.assign(form.box.begin(), form.box.end());
  map.swizzleBytes = uint32_t(form.swizzleBytes);
  map.fillsNan = type.getPadsWithNan();
  map.isInferred = attr.get("inferred") != nullptr;
  return map;
}

void fillFromTile(ModuleOp module, tilecrt::KernelMetadata &metadata) {
  metadata.tilecVersion = TILEC_VERSION;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!func->hasAttr(tile::TileDialect::kKernelAttr))
      continue;
    metadata.name = func.getName().str();
    metadata.arguments.clear();
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (!func.getArgAttr(i, tile::TileDialect::kTensorMapAttr))
        metadata.arguments.push_back(describeArgument(func, i));
  }
  fillTensorMaps(module, metadata);
}

void fillTensorMaps(ModuleOp module, tilecrt::KernelMetadata &metadata) {
  metadata.tensorMaps.clear();
  for (auto func : module.getOps<func::FuncOp>())
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (auto map = func.getArgAttrOfType<DictionaryAttr>(i, tile::TileDialect::kTensorMapAttr))
        metadata.tensorMaps.push_back(
            describeMap(cast<tile::DescType>(func.getArgument(i).getType()), map));
}

/// Whether an argument of the module's kernel has an attribute.
static bool hasArgumentWith(ModuleOp module, StringRef attribute) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [&](func::FuncOp func) {
    return llvm::any_of(llvm::seq(func.getNumArguments()),
                        [&](unsigned i) { return func.getArgAttr(i, attribute) != nullptr; });
  });
}

bool isPersistent(ModuleOp module) {
  return hasArgumentWith(module, tile::TileDialect::kProgramsAttr);
}

bool hasProgramCounter(ModuleOp module) {
  return hasArgumentWith(module, tile::TileDialect::kProgramCounterAttr);
}

bool gainsFromTurns(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp func) {
    return func->hasAttr(tilegpu::TileGPUDialect::kGainsFromTurnsAttr);
  });
}

/// The places of a kernel's events, by number.
static std::vector<tilecrt::TimelineEvent> eventsOf(ModuleOp module) {
  std::vector<tilecrt::TimelineEvent> events;
  module.walk<WalkOrder::PreOrder>([&](tilegpu::TimelineMarkOp mark) {
    if (mark.getEnd())
      return;
    tilecrt::TimelineEvent event;
    event.id = mark.getEvent();
    event.kind = mark.getKind().str();
    event.groups = mark.getGroups().value_or(0);
    if (auto place = mark.getLoc()->findInstanceOf<FileLineColLoc>()) {
      event.file = place.getFilename().str();
      event.line = place.getLine();
      event.column = place.getColumn();
    }
    events.push_back(std::move(event));
  });
  return events;
}

void fillTimeline(ModuleOp module, tilecrt::KernelMetadata &metadata) {
  metadata.timeline = {};
  llvm::erase_if(metadata.arguments,
                 [](const auto &argument) { return argument.name == tilecrt::timelineArgument; });
  module.walk([&](tilegpu::TimelineOpenOp open) {
    auto func = open->getParentOfType<func::FuncOp>();
    tilecrt::KernelTimeline &timeline = metadata.timeline;
    timeline.capacity = open.getCapacity();
    timeline.firstCta = open.getFirstCta();
    timeline.lastCta = open.getLastCta();
    timeline.events = eventsOf(module);
    uint32_t computing = uint32_t(tilegpu::computingWarpsOf(open));
    uint32_t all = uint32_t(tilegpu::launchedThreadsOf(open) / 32);
    if (all == computing)
      timeline.roles = {{"", all}};
    else
      timeline.roles = {{"compute", computing}, {"load", all - computing}};
    auto buffer = cast<BlockArgument>(open.getBuffer());
    metadata.arguments.push_back(describeArgument(func, buffer.getArgNumber()));
  });
}

static std::string operationText(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](tilegpu::LdGlobalOp) { return "global load"; })
      .Case([](tilegpu::StGlobalOp) { return "global store"; })
      .Case([](tilegpu::LdSharedOp) { return "shared load"; })
      .Case([](tilegpu::StSharedOp) { return "shared store"; })
      .Case<tilegpu::AtomicRMWGlobalOp, tilegpu::AtomicCasGlobalOp>(
          [](Operation *) { return "global atomic"; })
      .Case<NVVM::Barrier0Op, tilegpu::NamedBarrierOp>([](Operation *) { return "barrier"; })
      .Default([](Operation *) { return ""; });
}

void fillFromLLVM(ModuleOp module, tilecrt::KernelMetadata &metadata) {
  if (auto bytes = module->getAttrOfType<IntegerAttr>(tilegpu::TileGPUDialect::kSharedBytesAttr))
    metadata.dynamicSharedBytes = bytes.getInt();
  uint32_t site = 0;
  module.walk([&](Operation *op) {
    std::string text = operationText(op);
    if (text.empty())
      return;
    if (auto file = op->getLoc()->findInstanceOf<FileLineColLoc>())
      metadata.lineMap.push_back(
          {site, file.getFilename().str(), file.getLine(), file.getColumn(), text});
    ++site;
  });
}

} // namespace tilec
