// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BundleSource.h.

#include "BundleSource.h"

#include "tilecrt/data/GridExpr.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using llvm::StringRef;
using tilecrt::ArgumentKind;
using tilecrt::KernelArgument;
using tilecrt::Result;
using tilecrt::Status;

namespace tilec::tool {

namespace {

/// The C type of a value of Triton's type; empty when there is none.
std::string cTypeOf(StringRef type) {
  return llvm::StringSwitch<std::string>(type)
      .Case("fp32", "float")
      .Case("fp64", "double")
      .Cases({"i1", "u1", "u8", "fp8e4nv", "fp8e5"}, "uint8_t")
      .Case("i8", "int8_t")
      .Cases({"fp16", "bf16", "u16"}, "uint16_t")
      .Case("i16", "int16_t")
      .Case("i32", "int32_t")
      .Case("u32", "uint32_t")
      .Case("i64", "int64_t")
      .Case("u64", "uint64_t")
      .Default("");
}

Result<std::string> declare(const KernelArgument &argument) {
  StringRef type = StringRef(argument.type).split(':').first;
  bool isPointer = type.consume_front("*");
  if (isPointer)
    type.consume_front("k");
  bool isShortFloat =
      !isPointer && argument.kind == ArgumentKind::floating && argument.sizeBytes < 4;
  std::string name = isPointer && cTypeOf(type).empty() ? "void" : cTypeOf(type);
  if (name.empty() || isShortFloat)
    return tilecrt::invalidArgument("argument '" + argument.name + "' of type '" + argument.type +
                                    "' cannot be passed from C");
  if (!isCIdentifier(argument.name) || argument.name == "stream" || argument.name == "grid")
    return tilecrt::invalidArgument("argument '" + argument.name +
                                    "' cannot be the name of a C parameter");
  if (!isPointer)
    return name + " " + argument.name;
  return (argument.isConst ? "const " : "") + name + " *" + argument.name;
}

/// The grid's expressions in C: names of arguments in 64 bits, constants as numbers.
Result<std::string> gridInC(const BundleKernel &kernel, const BundleImage &image) {
  std::map<std::string, std::string> names;
  for (const KernelArgument &argument : image.metadata.arguments)
    if (argument.kind == ArgumentKind::integer)
      names[argument.name] = "((int64_t)" + argument.name + ")";
  for (const auto &[name, value] : image.constants)
    names[name] = "INT64_C(" + std::to_string(value) + ")";
  // The evaluator knows what is an expression; of the values only constants matter.
  Result<std::vector<int64_t>> checked =
      tilecrt::evaluateGrid(kernel.grid, [&](std::string_view name) -> std::optional<int64_t> {
        for (const auto &[constant, value] : image.constants)
          if (constant == name)
            return value;
        return names.count(std::string(name)) ? std::optional<int64_t>(1) : std::nullopt;
      });
  if (!checked.ok())
    return checked.status();
  std::string text;
  unsigned axis = 0;
  int depth = 0;
  StringRef rest = kernel.grid;
  text = "    grid[0] = ";
  while (!rest.empty()) {
    StringRef word = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (!word.empty()) {
      rest = rest.drop_front(word.size());
      auto known = names.find(word.str());
      if ((word == "triton" || word == "tl") && rest.consume_front("."))
        continue;
      text += known != names.end() ? known->second : word.str();
      continue;
    }
    char c = rest.front();
    rest = rest.drop_front();
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == '/')
      rest.consume_front("/");
    if (c == ',' && depth == 0)
      text += ";\n    grid[" + std::to_string(++axis) + "] = ";
    else
      text += c;
  }
  return text + ";\n";
}

uint64_t checksumOf(StringRef bytes) {
  uint64_t hash = 14695981039346656037u;
  for (char byte : bytes)
    hash = (hash ^ uint8_t(byte)) * 1099511628211u;
  return hash;
}

class Writer {
public:
  explicit Writer(const Bundle &content) : bundle(content) {}

  Result<BundleFiles> write();

private:
  Status writeKernel(const BundleKernel &kernel);
  void writeBytes(const std::string &name, StringRef bytes);
  void writeImages(const BundleKernel &kernel);
  Status writeFunction(const BundleKernel &kernel, const std::string &signature);

  const Bundle &bundle;
  std::string header, source;
};

} // namespace

bool isCIdentifier(const std::string &text) {
  static constexpr llvm::StringLiteral keywords[] = {
      "alignas", "and",     "asm",      "auto",     "bool",    "break",    "case",     "catch",
      "char",    "class",   "const",    "continue", "default", "delete",   "do",       "double",
      "else",    "enum",    "explicit", "export",   "extern",  "false",    "float",    "for",
      "friend",  "goto",    "if",       "inline",   "int",     "long",     "mutable",  "namespace",
      "new",     "not",     "operator", "or",       "private", "public",   "register", "restrict",
      "return",  "short",   "signed",   "sizeof",   "static",  "struct",   "switch",   "template",
      "this",    "throw",   "true",     "try",      "typedef", "typename", "union",    "unsigned",
      "using",   "virtual", "void",     "volatile", "while",   "xor"};
  if (text.empty() || llvm::isDigit(text[0]) || llvm::is_contained(keywords, text))
    return false;
  return llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

void Writer::writeBytes(const std::string &name, StringRef bytes) {
  source += "static const unsigned char " + name + "[] __attribute__((aligned(16))) = {";
  for (size_t i = 0; i < bytes.size(); ++i) {
    source += i % 24 == 0 ? "\n  " : "";
    source += std::to_string(unsigned(uint8_t(bytes[i]))) + ",";
  }
  // PTX ends in a NUL.
  source += "0\n};\n";
}

void Writer::writeImages(const BundleKernel &kernel) {
  std::string table;
  for (size_t i = 0; i < kernel.images.size(); ++i) {
    const BundleImage &image = kernel.images[i];
    std::string data = "bundle_code_" + kernel.name + "_" + std::to_string(i);
    writeBytes(data, image.bytes);
    table +=
        llvm::formatv("  {{\"{0}\", {1}, {2}, {3}, (const char *){4}, {5}, UINT64_C({6}), "
                      "\"{7}\", {8}, {9}, {10}},\n",
                      image.target, image.computeCapability, int(image.isExact), int(image.isPtx),
                      data, image.bytes.size(), checksumOf(image.bytes), image.metadata.name,
                      image.metadata.threadsPerCta, image.metadata.dynamicSharedBytes, i)
            .str();
  }
  source +=
      "static const bundle_image bundle_images_" + kernel.name + "[] = {\n" + table + "};\n\n";
}

Status Writer::writeFunction(const BundleKernel &kernel, const std::string &signature) {
  const std::string &name = bundle.name;
  source += signature + " {\n  bundle_loaded loaded;\n  " + name + "_status status;\n";
  source += kernel.grid.empty() ? "  int64_t programs[3];\n" : "  int64_t grid[3] = {1, 1, 1};\n";
  std::string places;
  for (const KernelArgument &argument : kernel.images.front().metadata.arguments) {
    places += (places.empty() ? "" : ", ") + std::string("(void *)&") + argument.name;
    if (argument.divisibility > 1)
      source +=
          llvm::formatv("  if ({0}{1} % {2} != 0)\n    return bundle_fail({3}_INVALID_ARGUMENT, "
                        "\"{4}: '{1}' is not a multiple of {2}\");\n",
                        argument.kind == ArgumentKind::pointer ? "(uintptr_t)" : "", argument.name,
                        argument.divisibility, name, kernel.name)
              .str();
  }
  source +=
      llvm::formatv("  status = bundle_find(bundle_images_{0}, sizeof bundle_images_{0} / "
                    "sizeof *bundle_images_{0}, &loaded);\n  if (status != {1}_OK)\n    return "
                    "status;\n",
                    kernel.name, name)
          .str();
  if (kernel.grid.empty()) {
    source += "  programs[0] = grid.x;\n  programs[1] = grid.y;\n  programs[2] = grid.z;\n";
  } else {
    source += "  switch (loaded.image->variant) {\n";
    for (size_t i = 0; i < kernel.images.size(); ++i) {
      Result<std::string> grid = gridInC(kernel, kernel.images[i]);
      if (!grid.ok())
        return grid.status();
      source += "  case " + std::to_string(i) + ":\n" + *grid + "    break;\n";
    }
    source += "  }\n";
  }
  source += "  {\n    void *arguments[] = {" + (places.empty() ? std::string("0") : places) +
            "};\n    return bundle_launch(&loaded, " + (kernel.grid.empty() ? "programs" : "grid") +
            ", stream, arguments);\n  }\n}\n\n";
  return Status();
}

Status Writer::writeKernel(const BundleKernel &kernel) {
  if (kernel.images.empty())
    return tilecrt::invalidArgument("there is no code");
  std::string parameters = kernel.grid.empty() ? bundle.name + "_grid grid, " : "";
  for (const BundleImage &image : kernel.images)
    if (!image.metadata.tensorMaps.empty())
      return tilecrt::invalidArgument("it takes tensor maps for '" + image.target +
                                      "', which bundles cannot make");
  for (const KernelArgument &argument : kernel.images.front().metadata.arguments) {
    Result<std::string> text = declare(argument);
    if (!text.ok())
      return text.status();
    parameters += *text + ", ";
  }
  std::string signature = bundle.name + "_status " + bundle.name + "_" + kernel.name + "(" +
                          parameters + "void *stream)";
  header += "/* " + kernel.images.front().metadata.name;
  if (!kernel.grid.empty())
    header += " on " + kernel.grid + " programs";
  for (const BundleImage &image : kernel.images)
    header += "\n   " + image.target + (image.isPtx ? ", PTX: " : ": ") + image.config;
  header += " */\n" + signature + ";\n\n";
  writeImages(kernel);
  return writeFunction(kernel, signature);
}

Result<BundleFiles> Writer::write() {
  const std::string &name = bundle.name;
  std::string guard = "TILEC_BUNDLE_" + StringRef(name).upper() + "_H";
  header =
      "/* Made by tilec " TILEC_VERSION
      ". Kernels as functions: each checks its arguments, finds or "
      "loads the code for\n   the device of the current CUDA context (the first device's own, when "
      "there is none), and launches it on `stream`\n   (a CUstream or cudaStream_t; NULL: the "
      "default one). All may be called from any thread. The CUDA driver is opened\n   at the first "
      "call; link with -ldl -lpthread. */\n";
  header += "#ifndef " + guard + "\n#define " + guard +
            "\n\n#include <stdint.h>\n\n"
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  header += "typedef enum " + name + "_status {\n";
  for (const char *status : {"OK", "NO_DRIVER", "OLD_DRIVER", "NO_DEVICE", "UNSUPPORTED_DEVICE",
                             "INVALID_ARGUMENT", "OUT_OF_MEMORY", "DRIVER_ERROR", "CORRUPT"})
    header += "  " + name + "_" + status + ",\n";
  header.erase(header.size() - 2);
  header += "\n} " + name +
            "_status;\n\n/* Why the last call of this thread that failed did; empty when "
            "none did. */\nconst char *" +
            name + "_error(void);\n\n";
  if (llvm::any_of(bundle.kernels, [](const BundleKernel &kernel) { return kernel.grid.empty(); }))
    header += "/* Programs in x, y, z. */\ntypedef struct " + name +
              "_grid {\n  uint32_t x, y, z;\n} " + name + "_grid;\n\n";
  source =
      "/* Made by tilec " TILEC_VERSION "; see " + name + ".h. */\n#include \"" + name + ".h\"\n";
  std::string loader = bundleLoaderText;
  for (size_t at = loader.find("@NAME@"); at != std::string::npos; at = loader.find("@NAME@", at))
    loader.replace(at, 6, name);
  source += loader;
  for (const BundleKernel &kernel : bundle.kernels)
    if (Status status = writeKernel(kernel); !status.ok())
      return status.withContext("kernel '" + kernel.name + "'");
  header += "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return BundleFiles{std::move(header), std::move(source)};
}

Result<BundleFiles> writeBundle(const Bundle &bundle) { return Writer(bundle).write(); }

} // namespace tilec::tool
