// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync, wgmma.mma_async and wgmma.wait_group as assembly. The accumulator's registers are
// operands that are read and written in place; a wait passes them through, so that nothing that
// uses them moves before it. Each statement has its accumulators as operands and results: the
// products of a group are one, for LLVM's time and memory go with their number.

#include "ThreadLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec {
namespace {

/// The constraint letter of a register of this type.
char registerKind(Type type) {
  if (type.isF64())
    return 'd';
  return type.isF32() ? 'f' : type.isInteger(64) ? 'l' : type.isInteger(1) ? 'b' : 'r';
}

/// One volatile assembly statement whose first updated.size() operands are updated in place.
SmallVector<Value> makeAssembly(RewriterBase &b, Location loc, const std::string &text,
                                ValueRange updated, ValueRange inputs) {
  std::string constraints;
  for (Value value : updated)
    constraints += std::string("=") + registerKind(value.getType()) + ",";
  for (Value value : inputs)
    constraints += std::string(1, registerKind(value.getType())) + ",";
  for (size_t i = 0; i < updated.size(); ++i)
    constraints += std::to_string(i) + ",";
  if (!constraints.empty())
    constraints.pop_back();
  SmallVector<Value> operands(inputs);
  llvm::append_range(operands, updated);
  SmallVector<Type> types(updated.getTypes());
  Type result;
  if (types.size() == 1)
    result = types.front();
  else if (!types.empty())
    result = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  auto assembly = LLVM::InlineAsmOp::create(
      b, loc, result ? TypeRange(result) : TypeRange(), operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> results;
  for (size_t i = 0; i < types.size(); ++i)
    results.push_back(types.size() == 1
                          ? assembly.getRes()
                          : LLVM::ExtractValueOp::create(b, loc, assembly.getRes(), i).getResult());
  return results;
}

std::string operandList(size_t first, size_t count) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + "}";
}

/// PTX's name of an element type.
StringRef typeName(Type type) {
  return llvm::TypeSwitch<Type, StringRef>(type)
      .Case([](Float16Type) { return "f16"; })
      .Case([](BFloat16Type) { return "bf16"; })
      .Case([](FloatTF32Type) { return "tf32"; })
      .Case([](Float32Type) { return "f32"; })
      .Case([](Float64Type) { return "f64"; })
      .Case([](Float8E4M3FNType) { return "e4m3"; })
      .Case([](Float8E5M2Type) { return "e5m2"; })
      .Default([](Type integer) {
        if (integer.isInteger(32))
          return "s32";
        return integer.isUnsignedInteger() ? "u8" : "s8";
      });
}

/// Of one statement: the descriptors of all are live in front of it.
constexpr size_t kMostProducts = 4;

/// Products one behind the other, as one statement.
class ProductGroup {
public:
  bool empty() const { return products.empty(); }
  /// False when the product has to come behind the statement.
  bool add(tilegpu::ThreadWgmmaOp product);
  /// Whether an operation between the products may come before the statement.
  bool mayPrecede(Operation *op) const;
  /// Replaces the products at the place of the last one.
  void lower(RewriterBase &b);

private:
  /// Whether an operation takes what a product of the group gives.
  bool isBehind(Operation *op) const;
  /// Where the accumulator begins among those of the group; none if the product takes something
  /// else that the group computes.
  std::optional<size_t> findAccumulators(tilegpu::ThreadWgmmaOp product) const;

  struct Member {
    tilegpu::ThreadWgmmaOp op;
    size_t firstRegister;
  };
  SmallVector<Member> products;
  /// The accumulators before the group, and what they are behind the products so far.
  SmallVector<Value> before, current;
};

bool ProductGroup::isBehind(Operation *op) const {
  return llvm::any_of(op->getOperands(), [&](Value v) {
    return llvm::any_of(products, [&](const Member &m) { return v.getDefiningOp() == m.op; });
  });
}

bool ProductGroup::mayPrecede(Operation *op) const {
  // Descriptors; operands in registers are better made one product after the other.
  auto isInteger = [](Type type) { return type.isInteger(); };
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperandTypes(), isInteger) &&
         llvm::all_of(op->getResultTypes(), isInteger) && !isBehind(op);
}

std::optional<size_t> ProductGroup::findAccumulators(tilegpu::ThreadWgmmaOp product) const {
  auto *place = llvm::find(current, product.getAcc().front());
  size_t first = place - current.begin();
  if (place != current.end() &&
      llvm::equal(product.getAcc(), ArrayRef(current).slice(first).take_front(
                                        std::min(product.getAcc().size(), current.size() - first))))
    return first;
  return isBehind(product) ? std::nullopt : std::optional<size_t>(current.size());
}

bool ProductGroup::add(tilegpu::ThreadWgmmaOp product) {
  if (products.size() == kMostProducts)
    return false;
  std::optional<size_t> first = findAccumulators(product);
  if (!first)
    return false;
  if (*first == current.size()) {
    llvm::append_range(before, product.getAcc());
    llvm::append_range(current, product.getResults());
  } else {
    // What is added to is nobody else's.
    if (!llvm::all_of(product.getAcc(), [](Value v) { return v.hasOneUse(); }))
      return false;
    llvm::copy(product.getResults(), current.begin() + *first);
  }
  products.push_back({product, *first});
  return true;
}

/// The text of a product whose accumulators begin at operand `acc`, and whose other operands, which
/// are added to `inputs`, at `offset`.
std::string textOf(tilegpu::ThreadWgmmaOp op, size_t acc, size_t offset,
                   SmallVectorImpl<Value> &inputs) {
  auto take = [&](Value value) {
    inputs.push_back(value);
    return "$" + std::to_string(offset + inputs.size() - 1);
  };
  std::string text = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(op.getN()) + "k" +
                     std::to_string(op.k()) + "." + typeName(op.getTypeD()).str() + "." +
                     typeName(op.getTypeA()).str() + "." + typeName(op.getTypeB()).str();
  text += op.getSaturate() ? ".satfinite " : " ";
  text += operandList(acc, op.getAcc().size()) + ", ";
  if (op.getDescA()) {
    text += take(op.getDescA());
  } else {
    text += operandList(offset + inputs.size(), op.getA().size());
    llvm::append_range(inputs, op.getA());
  }
  text += ", " + take(op.getDescB());
  text += op.getAccumulate() ? ", " + take(op.getAccumulate()) : ", 1";
  bool isInteger = op.getTypeD().isInteger(32);
  if (!isInteger) {
    text += op.getNegateA() ? ", -1" : ", 1";
    text += op.getNegateB() ? ", -1" : ", 1";
  }
  if (op.getTypeA().isF16() || op.getTypeA().isBF16()) {
    if (op.getDescA())
      text += op.getMMajor() ? ", 1" : ", 0";
    text += op.getNMajor() ? ", 1" : ", 0";
  }
  return text + ";";
}

void ProductGroup::lower(RewriterBase &b) {
  SmallVector<Value> inputs;
  std::string text;
  for (const Member &product : products) {
    text += text.empty() ? "" : "\n\t";
    text += textOf(product.op, product.firstRegister, before.size(), inputs);
  }
  b.setInsertionPoint(products.back().op);
  SmallVector<Value> results = makeAssembly(b, products.front().op->getLoc(), text, before, inputs);
  for (auto [old, made] : llvm::zip(current, results))
    b.replaceAllUsesWith(old, made);
  for (const Member &product : llvm::reverse(products))
    b.eraseOp(product.op);
  products.clear();
  before.clear();
  current.clear();
}

void lowerWarpProduct(RewriterBase &b, tilegpu::ThreadMmaOp op) {
  std::string d = typeName(op.getTypeD()).str();
  std::string text = "mma.sync.aligned.m" + std::to_string(op.m()) + "n8k" +
                     std::to_string(op.k()) + ".row.col" +
                     (op.getSaturate() ? ".satfinite." : ".") + d + "." +
                     typeName(op.getTypeA()).str() + "." + typeName(op.getTypeB()).str() + "." + d;
  size_t count = op.getC().size(), countA = op.getA().size();
  text += " " + operandList(0, count) + ", " + operandList(count, countA) + ", " +
          operandList(count + countA, op.getB().size()) + ", " + operandList(0, count) + ";";
  SmallVector<Value> inputs(op.getA());
  llvm::append_range(inputs, op.getB());
  b.replaceOp(op, makeAssembly(b, op.getLoc(), text, op.getC(), inputs));
}

} // namespace

void lowerWgmma(ModuleOp module, RewriterBase &rewriter) {
  module.walk([&](Block *block) {
    ProductGroup group;
    auto finish = [&] {
      if (!group.empty())
        group.lower(rewriter);
    };
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      if (auto product = dyn_cast<tilegpu::ThreadWgmmaOp>(op)) {
        if (!group.add(product)) {
          finish();
          group.add(product);
        }
        continue;
      }
      if (!group.mayPrecede(&op))
        finish();
      rewriter.setInsertionPoint(&op);
      if (auto product = dyn_cast<tilegpu::ThreadMmaOp>(op)) {
        lowerWarpProduct(rewriter, product);
      } else if (auto wait = dyn_cast<tilegpu::ThreadWgmmaWaitOp>(op)) {
        std::string text =
            "wgmma.wait_group.sync.aligned " + std::to_string(wait.getPending()) + ";";
        rewriter.replaceOp(wait, makeAssembly(rewriter, wait.getLoc(), text, wait.getValues(), {}));
      }
    }
    finish();
  });
}

} // namespace tilec
