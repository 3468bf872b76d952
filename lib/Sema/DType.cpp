// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table holds what there is to say about each scalar kind; everything else reads it.

#include "tilec/Sema/DType.h"

#include "llvm/ADT/STLExtras.h"

#include <vector>

using llvm::StringRef;

namespace tilec {
namespace {

struct KindInfo {
  ScalarKind kind;
  unsigned width;
  /// As messages spell it.
  const char *text;
  /// The name in the language, and in signatures.
  const char *languageName;
  const char *signatureName;
};

// In the order of ScalarKind.
constexpr KindInfo kindTable[] = {
    {ScalarKind::Void, 0, "void", "void", "void"},
    {ScalarKind::Int1, 1, "int1", "int1", "u1"},
    {ScalarKind::Int8, 8, "int8", "int8", "i8"},
    {ScalarKind::Int16, 16, "int16", "int16", "i16"},
    {ScalarKind::Int32, 32, "int32", "int32", "i32"},
    {ScalarKind::Int64, 64, "int64", "int64", "i64"},
    {ScalarKind::UInt8, 8, "uint8", "uint8", "u8"},
    {ScalarKind::UInt16, 16, "uint16", "uint16", "u16"},
    {ScalarKind::UInt32, 32, "uint32", "uint32", "u32"},
    {ScalarKind::UInt64, 64, "uint64", "uint64", "u64"},
    {ScalarKind::FP8E4NV, 8, "fp8e4nv", "float8e4nv", "fp8e4nv"},
    {ScalarKind::FP8E5, 8, "fp8e5", "float8e5", "fp8e5"},
    {ScalarKind::FP8E4B8, 8, "fp8e4b8", "float8e4b8", "fp8e4b8"},
    {ScalarKind::FP8E5B16, 8, "fp8e5b16", "float8e5b16", "fp8e5b16"},
    {ScalarKind::FP8E4B15, 8, "fp8e4b15", "float8e4b15", "fp8e4b15"},
    {ScalarKind::FP16, 16, "fp16", "float16", "fp16"},
    {ScalarKind::BF16, 16, "bf16", "bfloat16", "bf16"},
    {ScalarKind::FP32, 32, "fp32", "float32", "fp32"},
    {ScalarKind::FP64, 64, "fp64", "float64", "fp64"},
};

const KindInfo &getInfo(ScalarKind kind) { return kindTable[static_cast<unsigned>(kind)]; }

} // namespace

unsigned DType::getBitWidth() const { return pointer ? 64 : getInfo(kind).width; }

std::string DType::str() const {
  std::string text = getInfo(kind).text;
  if (!pointer)
    return text;
  return (constant ? "const pointer<" : "pointer<") + text + ">";
}

std::string DType::getSignatureText() const {
  std::string prefix = pointer ? (constant ? "*k" : "*") : "";
  return prefix + getInfo(kind).signatureName;
}

DType getIntType(unsigned width, bool isSigned) {
  switch (width) {
  case 8:
    return isSigned ? ScalarKind::Int8 : ScalarKind::UInt8;
  case 16:
    return isSigned ? ScalarKind::Int16 : ScalarKind::UInt16;
  case 64:
    return isSigned ? ScalarKind::Int64 : ScalarKind::UInt64;
  default:
    return isSigned ? ScalarKind::Int32 : ScalarKind::UInt32;
  }
}

std::optional<DType> findLanguageType(StringRef name) {
  for (const KindInfo &info : kindTable)
    if (name == info.languageName)
      return DType(info.kind);
  return std::nullopt;
}

llvm::ArrayRef<StringRef> getLanguageTypeNames() {
  static const std::vector<StringRef> names = [] {
    std::vector<StringRef> list;
    for (const KindInfo &info : kindTable)
      list.push_back(info.languageName);
    return list;
  }();
  return names;
}

std::optional<DType> parseSignatureType(StringRef text) {
  bool pointer = text.consume_front("*");
  auto findKind = [](StringRef word) -> std::optional<ScalarKind> {
    if (word == "i1")
      return ScalarKind::Int1;
    for (const KindInfo &info : kindTable)
      if (info.kind != ScalarKind::Void &&
          (word == info.signatureName || word == info.languageName))
        return info.kind;
    return std::nullopt;
  };
  if (std::optional<ScalarKind> kind = findKind(text))
    return pointer ? DType::pointerTo(*kind) : DType(*kind);
  if (pointer && text.consume_front("k"))
    if (std::optional<ScalarKind> kind = findKind(text))
      return DType::pointerTo(*kind, /*isConst=*/true);
  return std::nullopt;
}

llvm::ArrayRef<StringRef> getSignatureTypeNames() {
  static const std::vector<StringRef> names = [] {
    // The usual ones first: of equally near names the first is suggested.
    std::vector<StringRef> list = {"fp32", "fp16", "bf16", "i32", "i64"};
    for (const KindInfo &info : llvm::drop_begin(kindTable))
      if (!llvm::is_contained(list, info.signatureName))
        list.push_back(info.signatureName);
    return list;
  }();
  return names;
}

} // namespace tilec
