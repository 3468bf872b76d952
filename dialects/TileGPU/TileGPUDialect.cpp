// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the tilegpu dialect, its layout attribute's text form, and its shared-memory
// type.

#include "dialects/TileGPU/TileGPUOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

#include "dialects/TileGPU/TileGPUDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/TileGPU/TileGPUAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/TileGPU/TileGPUTypes.cpp.inc"

void TileGPUDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/TileGPU/TileGPUAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/TileGPU/TileGPUTypes.cpp.inc"
      >();
  registerTileGPUDialectOperations(this);
}

//===--------------------------------------------------------------------------------------------===//
// LinearAttr: `<{register = [[0, 1], ...], lane = [...], ...}, [64, 32]>`
//===--------------------------------------------------------------------------------------------===//

static ParseResult parseBasis(AsmParser &parser, LinearLayout::Basis &basis) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    int32_t value = 0;
    if (parser.parseInteger(value))
      return failure();
    basis.push_back(value);
    return success();
  });
}

static ParseResult parseInDim(AsmParser &parser, std::vector<LinearLayout::InDimBases> &ins) {
  LinearLayout::InDimBases dim;
  if (parser.parseKeywordOrString(&dim.name) || parser.parseEqual())
    return failure();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        dim.bases.emplace_back();
        return parseBasis(parser, dim.bases.back());
      }))
    return failure();
  ins.push_back(std::move(dim));
  return success();
}

Attribute LinearAttr::parse(AsmParser &parser, Type) {
  std::vector<LinearLayout::InDimBases> ins;
  LinearLayout::Basis shape;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces,
                                     [&] { return parseInDim(parser, ins); }) ||
      parser.parseComma() || parseBasis(parser, shape) || parser.parseGreater())
    return {};
  std::vector<LinearLayout::OutDim> outs;
  for (auto [i, size] : llvm::enumerate(shape))
    outs.emplace_back(dimName(i), size);
  llvm::Expected<LinearLayout> layout = LinearLayout::create(std::move(ins), std::move(outs));
  if (!layout) {
    parser.emitError(loc, "invalid layout: ") << llvm::toString(layout.takeError());
    return {};
  }
  return LinearAttr::get(parser.getContext(), *layout);
}

void LinearAttr::print(AsmPrinter &printer) const {
  const LinearLayout &layout = getLayout();
  printer << "<{";
  llvm::interleaveComma(layout.getInDimNames(), printer, [&](const std::string &in) {
    printer << in << " = [";
    for (int32_t i = 0; i < layout.getInDimSizeLog2(in); ++i) {
      printer << (i ? ", [" : "[");
      llvm::interleaveComma(layout.getBasis(in, i), printer);
      printer << "]";
    }
    printer << "]";
  });
  printer << "}, [";
  llvm::interleaveComma(layout.getOutShape(), printer);
  printer << "]>";
}

//===--------------------------------------------------------------------------------------------===//
// MemDescType
//===--------------------------------------------------------------------------------------------===//

LogicalResult MemDescType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape, Type elementType, LinearAttr layout,
                                  int64_t buffers, int64_t bytes) {
  if (buffers < 1)
    return emitError() << "expected at least one buffer, got " << buffers;
  if (layout && llvm::ArrayRef<int64_t>(layout.getLayout().getOutShape()) != shape)
    return emitError() << "expected a layout of the buffer's shape";
  if (bytes < 0)
    return emitError() << "expected a number of bytes, got " << bytes;
  return success();
}

int64_t MemDescType::getSizeInBytes() const { return getBufferBytes() * getBuffers(); }

MemDescType MemDescType::getOneBuffer() const { return withBuffers(1); }

MemDescType MemDescType::withBuffers(int64_t number) const {
  return MemDescType::get(getContext(), getShape(), getElementType(), getLayout(), number,
                          getBytes());
}

MemDescType MemDescType::withBytes(int64_t number) const {
  return MemDescType::get(getContext(), getShape(), getElementType(), getLayout(), getBuffers(),
                          number);
}

int64_t MemDescType::getBufferBytes() const {
  if (getBytes() != 0)
    return getBytes();
  unsigned bits = std::max(8u, tile::bitWidthOf(getElementType()));
  return getLayout().getLayout().getInDimSize(kOffset) * int64_t(bits / 8);
}

//===--------------------------------------------------------------------------------------------===//
// Vocabulary
//===--------------------------------------------------------------------------------------------===//

const LinearLayout &tilegpu::layoutOf(RankedTensorType type) {
  return cast<LinearAttr>(type.getEncoding()).getLayout();
}

RankedTensorType tilegpu::withLayout(RankedTensorType type, const LinearLayout &layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               LinearAttr::get(type.getContext(), layout));
}

bool tilegpu::hasLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<LinearAttr>(tensor.getEncoding());
}

/// A number that the module of `op` says, or else `fallback`.
static int moduleNumber(Operation *op, StringRef name, int fallback) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto attr = module ? module->getAttrOfType<IntegerAttr>(name) : IntegerAttr();
  return attr ? int(attr.getInt()) : fallback;
}

int tilegpu::numWarpsOf(Operation *op) {
  return moduleNumber(op, TileGPUDialect::kNumWarpsAttr, 4);
}

std::optional<RankedTensorType> tilegpu::sliceOf(RankedTensorType type, unsigned axis,
                                                 int64_t elements) {
  if (!llvm::isPowerOf2_64(uint64_t(elements)) || elements >= type.getDimSize(axis))
    return std::nullopt;
  std::optional<LinearLayout> layout = extractSliceLayout(layoutOf(type), axis, int32_t(elements));
  if (!layout)
    return std::nullopt;
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = elements;
  return withLayout(RankedTensorType::get(shape, type.getElementType()), *layout);
}

TensorMapTile tilegpu::boxesOf(tile::DescType desc) {
  return *tensorMapTile(desc.getBlockShape(), int32_t(tile::bitWidthOf(desc.getElementType())),
                        desc.getUsed(), desc.getBoxRows());
}

MemDescType tilegpu::copyBufferType(RankedTensorType type) {
  auto form = tensorMapTile(type.getShape(), int32_t(tile::bitWidthOf(type.getElementType())));
  return form ? MemDescType::get(type.getContext(), type.getShape(), type.getElementType(),
                                 LinearAttr::get(type.getContext(), form->memory))
              : MemDescType();
}

void tilegpu::setTensorMapType(BlockArgument map, tile::DescType type) {
  map.setType(type);
  auto func = cast<FunctionOpInterface>(map.getOwner()->getParentOp());
  func.setType(func.cloneTypeWith(map.getOwner()->getArgumentTypes(), func.getResultTypes()));
}

int tilegpu::numCtasOf(Operation *op) { return moduleNumber(op, TileGPUDialect::kNumCtasAttr, 1); }

int tilegpu::splitKOf(Operation *op) { return moduleNumber(op, tile::TileDialect::kSplitKAttr, 1); }

int tilegpu::computeGroupsOf(Operation *op) {
  return moduleNumber(op, TileGPUDialect::kComputeGroupsAttr, 1);
}

int64_t tilegpu::groupBytesOf(Operation *op) {
  return moduleNumber(op, TileGPUDialect::kGroupBytesAttr, 0);
}

bool tilegpu::isOfComputeGroup(LocalAllocOp alloc) {
  auto roles = alloc->getParentOfType<WarpRolesOp>();
  return roles && computeGroupsOf(roles) > 1 &&
         roles.getCompute().isAncestor(alloc->getParentRegion());
}

int tilegpu::launchedThreadsOf(Operation *op) {
  return 32 * (computingWarpsOf(op) + moduleNumber(op, TileGPUDialect::kLoadWarpsAttr, 0));
}
