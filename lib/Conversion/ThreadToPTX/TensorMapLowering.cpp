// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps that the program encodes. The module has room for the maps of all CTAs that can run
// at once: for those of each multiprocessor a word, of which a CTA sets one bit while it runs.
// Launches in several streams share it, and the host has nothing to do. PTX ISA: tensormap.replace,
// tensormap.cp_fenceproxy.

#include "ThreadLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tilec/Layout/TensorMapLayout.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec {

/// Words for multiprocessors; where there are more of those, several share one.
static constexpr int64_t kProcessors = 160;
static constexpr int64_t kMapBytes = kTensorMapBytes, kPieceBytes = 16;

/// The module's memory of this name, zero at first.
static Value memory(Operation *user, StringRef what, int64_t bytes, int64_t alignment,
                    RewriterBase &rewriter) {
  auto kernel = user->getParentOfType<LLVM::LLVMFuncOp>();
  auto module = kernel->getParentOfType<ModuleOp>();
  std::string name = (kernel.getName() + "." + what).str();
  llvm::replace(name, '.', '$');
  auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
  if (!global) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(rewriter.getI8Type(), uint64_t(bytes));
    global = LLVM::GlobalOp::create(
        rewriter, kernel.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::Internal, name,
        LLVM::ZeroAttr::get(rewriter.getContext()), uint64_t(alignment), /*addrSpace=*/1);
  }
  return LLVM::AddressOfOp::create(rewriter, user->getLoc(), global);
}

static Value owners(Operation *user, RewriterBase &rewriter) {
  return memory(user, "tensor_map_owners", 4 * kProcessors, 4, rewriter);
}

static LLVM::InlineAsmOp assemble(RewriterBase &rewriter, Location loc, TypeRange results,
                                  ValueRange operands, const Twine &text,
                                  const Twine &constraints) {
  return LLVM::InlineAsmOp::create(rewriter, loc, results, operands, text.str(), constraints.str(),
                                   /*has_side_effects=*/true, /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
                                   ArrayAttr());
}

static void lowerClaim(tilegpu::ThreadClaimMapsOp op, RewriterBase &rewriter) {
  uint32_t all = op.getCtas() == 32 ? ~0u : (1u << op.getCtas()) - 1;
  std::string ctas = std::to_string(op.getCtas());
  std::string text =
      "{ .reg .b32 processor, free, bit, before; .reg .b64 place; .reg .pred none; "
      "mov.u32 processor, %smid; rem.u32 processor, processor, " +
      std::to_string(kProcessors) +
      "; mad.wide.u32 place, processor, 4, $1; "
      "again: ld.relaxed.gpu.global.b32 free, [place]; not.b32 free, free; and.b32 free, free, " +
      std::to_string(all) +
      "; setp.eq.u32 none, free, 0; @none bra again; "
      "bfind.u32 free, free; mov.b32 bit, 1; shl.b32 bit, bit, free; "
      "atom.acquire.gpu.global.or.b32 before, [place], bit; and.b32 before, before, bit; "
      "setp.ne.u32 none, before, 0; @none bra again; "
      "mad.lo.u32 $0, processor, " +
      ctas + ", free; }";
  auto claim =
      assemble(rewriter, op.getLoc(), rewriter.getI32Type(), owners(op, rewriter), text, "=r,l");
  rewriter.replaceOp(op, claim.getRes());
}

static Value mapsOf(Operation *op, int64_t count, int64_t ctas, RewriterBase &rewriter) {
  return memory(op, "tensor_maps", kProcessors * ctas * count * kMapBytes, kMapBytes, rewriter);
}

static void lowerMaps(tilegpu::ThreadMapsOp op, RewriterBase &rewriter) {
  Value base = mapsOf(op, op.getCount(), op.getCtas(), rewriter);
  auto part = LLVM::LLVMArrayType::get(rewriter.getI8Type(), uint64_t(op.getCount()) * kMapBytes);
  rewriter.replaceOpWithNewOp<LLVM::GEPOp>(op, base.getType(), part, base,
                                           ArrayRef<LLVM::GEPArg>{op.getNumber()});
}

static void lowerRelease(tilegpu::ThreadReleaseMapsOp op, RewriterBase &rewriter) {
  Value base = mapsOf(op, op.getCount(), op.getCtas(), rewriter);
  std::string ctas = std::to_string(op.getCtas());
  std::string text =
      "{ .reg .b64 number; .reg .b32 processor, bit; .reg .b64 place; "
      "sub.u64 number, $0, $1; div.u64 number, number, " +
      std::to_string(int64_t(op.getCount()) * kMapBytes) +
      "; cvt.u32.u64 bit, number; div.u32 processor, bit, " + ctas + "; rem.u32 bit, bit, " + ctas +
      "; mad.wide.u32 place, processor, 4, $2; mov.b32 processor, 1; shl.b32 bit, processor, bit; "
      "not.b32 bit, bit; red.release.gpu.global.and.b32 [place], bit; }";
  assemble(rewriter, op.getLoc(), TypeRange(), {op.getMaps(), base, owners(op, rewriter)}, text,
           "l,l,l");
  rewriter.eraseOp(op);
}

/// The number of an element type in a tensor map (PTX ISA, tensormap.replace: elemtype).
static int elementNumber(Type type) {
  unsigned bits = tile::bitWidthOf(type);
  if (bits == 8)
    return 0;
  if (type.isF16())
    return 6;
  if (type.isBF16())
    return 10;
  if (type.isF32())
    return 7;
  if (type.isF64())
    return 9;
  return bits == 16 ? 1 : bits == 32 ? 3 : 5;
}

namespace {
/// The text of an encoding with its operands.
class Encoding {
public:
  Encoding(tilegpu::ThreadEncodeMapOp encode, RewriterBase &opRewriter)
      : op(encode), rewriter(opRewriter), desc(cast<tile::DescType>(op.getDesc())) {}

  void run() {
    Location loc = op.getLoc();
    Type i64 = rewriter.getI64Type(), i32 = rewriter.getI32Type();
    std::string place = add(op.getPlace(), "l");
    // A 32-bit address does whatever width the data layout gives to shared pointers.
    scratch = add(LLVM::PtrToIntOp::create(rewriter, loc, i32, op.getScratch()), "r");
    std::string lane = add(op.getLane(), "r");

    // A tensor without elements has one, a zero that is nowhere else.
    Value zero = LLVM::ConstantOp::create(rewriter, loc, i32, 0);
    Value one = LLVM::ConstantOp::create(rewriter, loc, i32, 1);
    Value isEmpty;
    for (Value size : op.getShape()) {
      Value none = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::sle, size, zero);
      isEmpty = isEmpty ? LLVM::OrOp::create(rewriter, loc, isEmpty, none).getResult() : none;
    }
    Value nothing = memory(op, "tensor_map_nothing", kPieceBytes, kPieceBytes, rewriter);
    Value base = LLVM::SelectOp::create(rewriter, loc, isEmpty, nothing, op.getBase());

    text = "{ .reg .pred first; .reg .b32 word; .reg .b64 map; setp.eq.u32 first, " + lane +
           ", 0; mad.lo.u32 word, " + lane + ", 4, " + scratch +
           "; st.shared.b32 [word], 0; cvt.u64.u32 map, " + scratch +
           "; bar.warp.sync 0xffffffff; ";
    TensorMapTile form = tilegpu::boxesOf(desc);
    size_t rank = form.box.size();
    replace("global_address", "b64", "", add(base, "l"));
    // One less is what is kept.
    replace("rank", "b32", "", std::to_string(rank - 1));
    int64_t bytes = int64_t(tile::bytesOf(desc.getElementType()));
    Value scale = LLVM::ConstantOp::create(rewriter, loc, i64, bytes);
    for (size_t i = 0; i < rank; ++i) {
      // The fastest dimension comes first.
      size_t dim = rank - 1 - i;
      std::string ordinal = std::to_string(i) + ", ";
      Value size = LLVM::SelectOp::create(rewriter, loc, isEmpty, one, op.getShape()[dim]);
      replace("box_dim", "b32", ordinal, constant(form.box[dim]));
      replace("global_dim", "b32", ordinal, add(size, "r"));
      replace("element_stride", "b32", ordinal, constant(1));
      if (i > 0) {
        Value stride = LLVM::MulOp::create(rewriter, loc, op.getStrides()[dim], scale);
        replace("global_stride", "b64", std::to_string(i - 1) + ", ", add(stride, "l"));
      }
    }
    replace("elemtype", "b32", "", std::to_string(elementNumber(desc.getElementType())));
    replace("interleave_layout", "b32", "", "0");
    replace("swizzle_mode", "b32", "", std::to_string(form.swizzleNumber()));
    replace("fill_mode", "b32", "", "0");
    text += "bar.warp.sync 0xffffffff; tensormap.cp_fenceproxy.global.shared::cta.tensormap::"
            "generic.release.gpu.sync.aligned [" +
            place + "], [map], 128; }";
    assemble(rewriter, loc, TypeRange(), operands, text, constraints);
    rewriter.eraseOp(op);
  }

private:
  std::string add(Value value, StringRef constraint) {
    constraints += (constraints.empty() ? "" : ",") + constraint.str();
    operands.push_back(value);
    return "$" + std::to_string(operands.size() - 1);
  }
  std::string constant(int64_t value) {
    return add(LLVM::ConstantOp::create(rewriter, op.getLoc(), rewriter.getI32Type(), value), "r");
  }
  void replace(StringRef field, StringRef type, const std::string &ordinal,
               const std::string &value) {
    text += "@first tensormap.replace.tile." + field.str() + ".shared::cta.b1024." + type.str() +
            " [map], " + ordinal + value + "; ";
  }

  tilegpu::ThreadEncodeMapOp op;
  RewriterBase &rewriter;
  tile::DescType desc;
  std::string scratch, text, constraints;
  SmallVector<Value> operands;
};
} // namespace

void lowerTensorMaps(ModuleOp module, RewriterBase &rewriter) {
  module.walk([&](Operation *op) {
    rewriter.setInsertionPoint(op);
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](tilegpu::ThreadClaimMapsOp claim) { lowerClaim(claim, rewriter); })
        .Case([&](tilegpu::ThreadMapsOp maps) { lowerMaps(maps, rewriter); })
        .Case([&](tilegpu::ThreadReleaseMapsOp release) { lowerRelease(release, rewriter); })
        .Case([&](tilegpu::ThreadEncodeMapOp encode) { Encoding(encode, rewriter).run(); });
  });
}

} // namespace tilec
