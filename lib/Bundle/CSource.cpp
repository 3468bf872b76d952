// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CSource.h.

#include "tilec/Bundle/CSource.h"

#include "CExpression.h"
#include "CLoader.h"
#include "CParameters.h"

#include "tilecrt/TensorMapValues.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::StringRef;
using tilecrt::ArgumentKind;
using tilecrt::KernelArgument;
using tilecrt::Result;
using tilecrt::Status;
using tilecrt::TensorMapArgument;

namespace tilec {

namespace {

uint64_t checksumOf(StringRef bytes) {
  uint64_t hash = 14695981039346656037u;
  for (char byte : bytes)
    hash = (hash ^ uint8_t(byte)) * 1099511628211u;
  return hash;
}

class Writer {
public:
  explicit Writer(const Bundle &content) : bundle(content) {}

  Result<CSource> write();

private:
  Status readKernels();
  void writeTypes();
  Status writeKernel(const BundleKernel &kernel, const CParameters &parameters);
  void writeBytes(const std::string &name, StringRef bytes);
  void writeMaps(const BundleKernel &kernel);
  void writeImages(const BundleKernel &kernel);
  Status writeFunction(const BundleKernel &kernel, const CParameters &parameters,
                       const std::string &signature);
  Result<std::string> launchCase(const BundleKernel &kernel, const BundleImage &image,
                                 const CParameters &parameters);

  const Bundle &bundle;
  /// Of the kernels, in their order.
  std::vector<CParameters> parametersOf;
  std::string header, source;
};

constexpr llvm::StringLiteral statusNames[] = {"OK",
                                               "NO_DRIVER",
                                               "OLD_DRIVER",
                                               "NO_DEVICE",
                                               "UNSUPPORTED_DEVICE",
                                               "INVALID_ARGUMENT",
                                               "OUT_OF_MEMORY",
                                               "DRIVER_ERROR",
                                               "CORRUPT"};

std::string mapsName(const BundleKernel &kernel, size_t image) {
  return "bundle_maps_" + kernel.name + "_" + std::to_string(image);
}

} // namespace

void Writer::writeBytes(const std::string &name, StringRef bytes) {
  source += "static const unsigned char " + name + "[] __attribute__((aligned(16))) = {";
  for (size_t i = 0; i < bytes.size(); ++i) {
    source += i % 24 == 0 ? "\n  " : "";
    source += std::to_string(unsigned(uint8_t(bytes[i]))) + ",";
  }
  // PTX ends in a NUL.
  source += "0\n};\n";
}

void Writer::writeMaps(const BundleKernel &kernel) {
  for (size_t i = 0; i < kernel.images.size(); ++i) {
    const tilecrt::KernelMetadata &metadata = kernel.images[i].metadata;
    if (metadata.tensorMaps.empty())
      continue;
    source += "static const bundle_map " + mapsName(kernel, i) + "[] = {\n";
    for (const TensorMapArgument &map : metadata.tensorMaps) {
      std::string box;
      for (size_t dim = map.box.size(); dim-- > 0;)
        box += (box.empty() ? "" : ", ") + std::to_string(map.box[dim]);
      std::optional<tilecrt::TensorMapElement> type = tilecrt::tensorMapElement(map.elementType);
      source += llvm::formatv("  {{\"{0}\", {1}, {2}, {3}, {{{4}}, {5}, {6}},\n",
                              metadata.arguments[map.base].name, int(type->type), type->bytes,
                              map.box.size(), box, int(tilecrt::tensorMapSwizzle(map.swizzleBytes)),
                              int(map.fillsNan))
                    .str();
    }
    source += "};\n";
  }
}

void Writer::writeImages(const BundleKernel &kernel) {
  std::string table;
  writeMaps(kernel);
  for (size_t i = 0; i < kernel.images.size(); ++i) {
    const BundleImage &image = kernel.images[i];
    const tilecrt::KernelMetadata &metadata = image.metadata;
    std::string data = "bundle_code_" + kernel.name + "_" + std::to_string(i);
    writeBytes(data, image.bytes);
    char suffix = image.target.back();
    std::string only = suffix == 'a' || suffix == 'f' ? "'" + std::string(1, suffix) + "'" : "0";
    std::array<unsigned, 3> cluster = kernel.cluster;
    if (cluster == std::array<unsigned, 3>{1, 1, 1})
      cluster = {metadata.clusterX, metadata.clusterY, metadata.clusterZ};
    bool hasMaps = !metadata.tensorMaps.empty();
    table +=
        llvm::formatv(
            "  {{\"{0}\", {1}, {2}, {3}, {4}, (const char *){5}, {6}, sizeof {5} - 1, "
            "UINT64_C({7}),\n   \"{8}\", {9}, {10}, {{{11}, {12}, {13}}, {14}, {15}, "
            "{16}, {17}, {18}, {19}, {20}},\n",
            image.target, image.computeCapability, only, int(image.isPtx), image.driverVersion,
            data, image.bytes.size(), checksumOf(image.bytes), metadata.name,
            metadata.threadsPerCta, metadata.dynamicSharedBytes, cluster[0], cluster[1], cluster[2],
            metadata.splitK, int(kernel.isCooperative),
            // Older devices cannot start a launch early.
            int(kernel.isProgrammatic && image.computeCapability >= 90), int(metadata.isPersistent),
            hasMaps ? mapsName(kernel, i) : "NULL", metadata.tensorMaps.size(), i)
            .str();
  }
  source +=
      "static const bundle_image bundle_images_" + kernel.name + "[] = {\n" + table + "};\n\n";
}

/// What depends on the image: the grid and the tensors of maps.
Result<std::string> Writer::launchCase(const BundleKernel &kernel, const BundleImage &image,
                                       const CParameters &parameters) {
  std::string text;
  if (!kernel.grid.empty()) {
    Result<std::vector<std::string>> grid =
        gridInC(kernel.grid, [&](std::string_view name) -> std::optional<std::string> {
          for (const auto &[constant, value] : image.integers)
            if (constant == name)
              return "INT64_C(" + std::to_string(value) + ")";
          auto known = parameters.integers.find(std::string(name));
          return known == parameters.integers.end() ? std::nullopt
                                                    : std::optional<std::string>(known->second);
        });
    if (!grid.ok())
      return grid.status();
    for (size_t axis = 0; axis < grid->size(); ++axis)
      text += "    bundle_grid[" + std::to_string(axis) + "] = " + (*grid)[axis] + ";\n";
  }
  for (size_t i = 0; i < image.metadata.tensorMaps.size(); ++i) {
    const TensorMapArgument &map = image.metadata.tensorMaps[i];
    std::string tensor = "    bundle_tensors[" + std::to_string(i) + "].";
    text += tensor + "data = " + parameters.places[map.base] + ";\n";
    for (auto [field, expressions] :
         {std::pair("sizes", &map.shape), std::pair("strides", &map.strides)})
      for (size_t dim = 0; dim < expressions->size(); ++dim) {
        Result<std::string> value = postfixInC((*expressions)[dim], parameters.places);
        if (!value.ok())
          return value.status();
        text += tensor + field + "[" + std::to_string(dim) + "] = " + *value + ";\n";
      }
  }
  return text;
}

Status Writer::writeFunction(const BundleKernel &kernel, const CParameters &parameters,
                             const std::string &signature) {
  const std::string &name = bundle.name;
  const std::vector<KernelArgument> &arguments = kernel.images.front().metadata.arguments;
  size_t maps = 0;
  for (const BundleImage &image : kernel.images)
    maps = std::max(maps, image.metadata.tensorMaps.size());
  bool isPersistent = llvm::any_of(
      kernel.images, [](const BundleImage &image) { return image.metadata.isPersistent; });
  bool hasCases = maps != 0 || !kernel.grid.empty();
  source += signature + " {\n  bundle_loaded bundle_at;\n  " + name + "_status bundle_status;\n";
  source += "  int bundle_wrong = 0;\n";
  source += kernel.grid.empty() ? "  int64_t bundle_grid[3];\n"
                                : "  int64_t bundle_grid[3] = {1, 1, 1};\n";
  std::string places;
  for (const std::string &place : parameters.places)
    places += (places.empty() ? "" : ", ") + ("(void *)&" + place);
  for (size_t i = 0; i < maps; ++i)
    places += (places.empty() ? "" : ", ") + ("bundle_encoded[" + std::to_string(i) + "]");
  // For the numbers of programs.
  for (int axis = 0; isPersistent && axis < 3; ++axis)
    places += places.empty() ? "NULL" : ", NULL";
  if (maps != 0)
    source +=
        llvm::formatv("  bundle_tensor bundle_tensors[{0}];\n"
                      "  unsigned char bundle_encoded[{0}][128] __attribute__((aligned(64)));\n"
                      "  unsigned bundle_map_number = 0;\n",
                      maps)
            .str();
  source +=
      "  void *bundle_arguments[] = {" + (places.empty() ? std::string("0") : places) + "};\n";
  if (maps != 0)
    source += "  memset(bundle_tensors, 0, sizeof bundle_tensors);\n";
  for (size_t i = 0; i < arguments.size(); ++i)
    if (const KernelArgument &argument = arguments[i]; argument.divisibility > 1)
      source +=
          llvm::formatv("  if ({0}{1} % {2} != 0)\n    return bundle_fail({3}_INVALID_ARGUMENT, "
                        "\"{4}: '{1}' is not a multiple of {2}\");\n",
                        argument.kind == ArgumentKind::pointer ? "(uintptr_t)" : "",
                        parameters.places[i], argument.divisibility, name, kernel.name)
              .str();
  source +=
      llvm::formatv("  bundle_status = bundle_find(bundle_images_{0}, sizeof bundle_images_{0} / "
                    "sizeof *bundle_images_{0}, &bundle_at);\n  if (bundle_status != {1}_OK)\n"
                    "    return bundle_status;\n",
                    kernel.name, name)
          .str();
  if (kernel.grid.empty())
    for (const char *axis : {"0] = grid.x", "1] = grid.y", "2] = grid.z"})
      source += "  bundle_grid[" + std::string(axis) + ";\n";
  if (hasCases) {
    source += "  switch (bundle_at.image->variant) {\n";
    for (size_t i = 0; i < kernel.images.size(); ++i) {
      Result<std::string> text = launchCase(kernel, kernel.images[i], parameters);
      if (!text.ok())
        return text.status();
      source += "  case " + std::to_string(i) + ":\n" + *text + "    break;\n";
    }
    source += "  }\n";
  }
  source += llvm::formatv(
                "  bundle_status = bundle_check_grid(&bundle_at, bundle_grid, bundle_wrong);\n"
                "  if (bundle_status != {0}_OK || bundle_grid[0] == 0 || bundle_grid[1] == 0 || "
                "bundle_grid[2] == 0)\n    return bundle_status;\n",
                name)
                .str();
  if (maps != 0)
    source +=
        llvm::formatv("  for (bundle_map_number = 0; bundle_map_number < "
                      "bundle_at.image->map_count; ++bundle_map_number) {{\n"
                      "    bundle_status = bundle_make_map(&bundle_at, bundle_map_number, "
                      "&bundle_tensors[bundle_map_number],\n                                    "
                      "bundle_encoded[bundle_map_number]);\n"
                      "    if (bundle_status != {0}_OK)\n      return bundle_status;\n  }\n",
                      name)
            .str();
  source += "  return bundle_launch(&bundle_at, bundle_grid, stream, bundle_arguments, " +
            std::to_string(parameters.places.size()) + ");\n}\n\n";
  return Status();
}

Status Writer::writeKernel(const BundleKernel &kernel, const CParameters &parameters) {
  std::string list = kernel.grid.empty() ? bundle.name + "_grid grid, " : "";
  for (const CParameter &parameter : parameters.list)
    list += parameter.declaration + ", ";
  std::string signature =
      bundle.name + "_status " + bundle.name + "_" + kernel.name + "(" + list + "void *stream)";
  header += "/* " + kernel.images.front().metadata.name;
  if (!kernel.grid.empty())
    header += " on " + kernel.grid + " programs";
  for (const BundleImage &image : kernel.images)
    header += "\n   " + image.target + (image.isPtx ? ", PTX: " : ": ") + image.config;
  header += " */\n" + signature + ";\n\n";
  writeImages(kernel);
  return writeFunction(kernel, parameters, signature);
}

Status Writer::readKernels() {
  // What the header calls itself.
  static constexpr llvm::StringLiteral taken[] = {
      "status", "error", "grid", "to_fp16", "to_bf16", "fp16", "bf16", "fp8e4nv", "fp8e5"};
  for (const BundleKernel &kernel : bundle.kernels) {
    std::string where = "kernel '" + kernel.name + "'";
    StringRef name = kernel.name;
    if (llvm::is_contained(taken, name) || llvm::is_contained(statusNames, name) ||
        name.starts_with("tensor"))
      return tilecrt::invalidArgument("the name is taken by the header").withContext(where);
    if (kernel.images.empty())
      return tilecrt::invalidArgument("there is no code").withContext(where);
    for (const BundleImage &image : kernel.images)
      for (const TensorMapArgument &map : image.metadata.tensorMaps)
        if (map.base >= image.metadata.arguments.size() || map.shape.empty() ||
            map.shape.size() > 5 || map.strides.size() + 1 != map.shape.size() ||
            !tilecrt::tensorMapElement(map.elementType))
          return tilecrt::internalError("a tensor map that makes no sense").withContext(where);
    Result<CParameters> parameters =
        makeCParameters(bundle.name, kernel.images.front().metadata.arguments);
    if (!parameters.ok())
      return parameters.status().withContext(where);
    parametersOf.push_back(std::move(*parameters));
  }
  return Status();
}

/// Types and functions of the header that some kernel needs.
void Writer::writeTypes() {
  const std::string &name = bundle.name;
  if (llvm::any_of(bundle.kernels, [](const BundleKernel &kernel) { return kernel.grid.empty(); }))
    header += "/* Programs in x, y, z. */\ntypedef struct " + name +
              "_grid {\n  uint32_t x, y, z;\n} " + name + "_grid;\n\n";
  std::map<std::string, std::string> tensors, floats;
  for (const CParameters &parameters : parametersOf)
    for (const CParameter &parameter : parameters.list) {
      std::string rank = std::to_string(parameter.rank);
      if (parameter.element.empty())
        continue;
      if (parameter.rank == 0) {
        std::string type = name + "_" + parameter.element;
        floats[parameter.element] = "typedef struct " + type + " {\n  " +
                                    cTypeOf(parameter.element) + " bits;\n} " + type + ";\n\n";
        continue;
      }
      std::string type = name + "_tensor" + rank + "_" + parameter.element;
      tensors[type] =
          "typedef struct " + type + " {\n  " + cTypeOf(parameter.element) +
          " *data;\n  int32_t shape[" + rank + "];\n" +
          (parameter.rank > 1 ? "  int64_t strides[" + std::to_string(parameter.rank - 1) + "];\n"
                              : "") +
          "} " + type + ";\n\n";
    }
  if (!tensors.empty())
    header +=
        "/* A tensor on the device, for a kernel that takes a descriptor: its sizes, and its "
        "strides but the last, which is 1,\n   in elements. Address and strides are multiples "
        "of 16 bytes. */\n";
  for (const auto &tensor : tensors)
    header += tensor.second;
  if (!floats.empty())
    header += "/* A short float by value: its bits. */\n";
  for (const auto &type : floats)
    header += type.second;
  auto addConversion = [&](const char *type, const char *body) {
    if (floats.count(type))
      header += "/* Rounded to the nearest, ties to even. */\nstatic inline " + name + "_" + type +
                " " + name + "_to_" + type + "(float value) {\n  " + name + "_" + type +
                " result;\n  uint32_t bits;\n  memcpy(&bits, &value, sizeof bits);\n" + body +
                "  return result;\n}\n\n";
  };
  addConversion("fp16", R"(  {
    const uint32_t magnitude = bits & 0x7fffffffu, exponent = magnitude >> 23;
    uint32_t half;
    if (magnitude > 0x7f800000u) {
      half = 0x7e00u | (magnitude >> 13 & 0x1ffu);
    } else if (magnitude >= 0x477ff000u) {
      half = 0x7c00u;
    } else if (exponent >= 113) {
      half = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
    } else if (exponent < 102) {
      half = 0;
    } else {
      const uint32_t digits = (magnitude & 0x7fffffu) | 0x800000u, shift = 126 - exponent;
      half = digits >> shift;
      half += (digits & ((1u << shift) - 1u)) + (half & 1u) > 1u << (shift - 1);
    }
    result.bits = (uint16_t)((bits >> 16 & 0x8000u) | half);
  }
)");
  addConversion("bf16", R"(  if ((bits & 0x7fffffffu) > 0x7f800000u)
    bits = (bits & 0xffff0000u) | 0x400000u;
  else
    bits += 0x7fffu + (bits >> 16 & 1u);
  result.bits = (uint16_t)(bits >> 16);
)");
}

Result<CSource> Writer::write() {
  if (Status status = readKernels(); !status.ok())
    return status;
  const std::string &name = bundle.name;
  std::string guard = "TILEC_BUNDLE_" + StringRef(name).upper() + "_H";
  header =
      "/* Made by tilec " TILEC_VERSION
      ". Kernels as functions: each checks its arguments, finds or "
      "loads the code for\n   the device of the current CUDA context (the first device's own, when "
      "there is none), and launches it on `stream`\n   (a CUstream or cudaStream_t; NULL: the "
      "default one). All may be called from any thread. The CUDA driver is opened\n   at the first "
      "call; link with -ldl -lpthread. */\n";
  bool convertsFloats = llvm::any_of(parametersOf, [](const CParameters &parameters) {
    return llvm::any_of(parameters.list, [](const CParameter &parameter) {
      return parameter.rank == 0 && (parameter.element == "fp16" || parameter.element == "bf16");
    });
  });
  header += "#ifndef " + guard + "\n#define " + guard + "\n\n#include <stdint.h>\n" +
            (convertsFloats ? "#include <string.h>\n" : "") +
            "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  header += "typedef enum " + name + "_status {\n";
  for (StringRef status : statusNames)
    header += "  " + name + "_" + status.str() + ",\n";
  header.erase(header.size() - 2);
  header += "\n} " + name +
            "_status;\n\n/* Why the last call of this thread that failed did; empty when "
            "none did. */\nconst char *" +
            name + "_error(void);\n\n";
  writeTypes();
  source =
      "/* Made by tilec " TILEC_VERSION "; see " + name + ".h. */\n#include \"" + name + ".h\"\n";
  bool hasMaps = llvm::any_of(bundle.kernels, [](const BundleKernel &kernel) {
    return llvm::any_of(
        kernel.images, [](const BundleImage &image) { return !image.metadata.tensorMaps.empty(); });
  });
  std::string loader = std::string(bundleLoaderText) + bundleMathText;
  loader += hasMaps ? bundleMapsText : "";
  for (size_t at = loader.find("@NAME@"); at != std::string::npos; at = loader.find("@NAME@", at))
    loader.replace(at, 6, name);
  source += loader + "\n";
  for (const auto &[kernel, parameters] : llvm::zip(bundle.kernels, parametersOf))
    if (Status status = writeKernel(kernel, parameters); !status.ok())
      return status.withContext("kernel '" + kernel.name + "'");
  header += "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return CSource{std::move(header), std::move(source)};
}

Result<CSource> writeCSource(const Bundle &bundle) {
  Bundle forGpus = bundle; // NOLINT(performance-unnecessary-copy-initialization): changed below
  for (BundleKernel &kernel : forGpus.kernels) {
    llvm::erase_if(kernel.images, [](const BundleImage &image) { return image.host.has_value(); });
    if (kernel.images.empty())
      return tilecrt::invalidArgument("kernel '" + kernel.name +
                                      "' has no code for a GPU, and C source holds no other");
  }
  return Writer(forGpus).write();
}

} // namespace tilec
