// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that decodes: for every token RMS norm, QKV product, rotary embedding, attention over the
// cache of keys and values, SwiGLU. All launches are prepared once; for each token two integers
// change in place. The logits are compared with the host's at every step.

#include "Transformer.h"
#include "DeviceOption.h"

#include "tilec_kernels/transformer.h"

#include <algorithm>
#include <cmath>

namespace {

using Buffer = tilec::DeviceBuffer<float>;

constexpr int blockN = 32;

/// The weights and activations of one layer on the device.
struct DeviceLayer {
  Buffer attentionNorm, qkv, output, feedNorm, gateUp, down;
  Buffer keys, values;
};

class Decoder {
public:
  Decoder(const tilec::Device &on, const Sizes &extent, const Weights &weights);

  /// How setting up ended.
  const tilec::Status &status() const { return made; }
  /// The logits of every sequence after its next token.
  tilec::Status step(const std::vector<int32_t> &tokens, std::vector<float> &logits);

private:
  template <typename Signature> using Kernel = tilec::TypedKernel<Signature>;
  using Norm = Kernel<void(const float *, const float *, float *, int32_t, float)>;
  using Linear = Kernel<void(const float *, const float *, float *, int32_t, int32_t, int32_t)>;
  using RopeSignature = void(float *, float *, float *, int32_t, int32_t);
  using AttentionSignature = void(const float *, const float *, const float *, float *, int32_t,
                                  int32_t, float);
  using SwiGlu = Kernel<void(const float *, float *, int32_t)>;

  tilec::Options options(const char *kernel, tilec::Options::Bindings constants) const;
  template <typename Prepared> Prepared keep(const char *what, Prepared prepared);
  void addNorm(const Buffer &from, const Buffer &weight);
  void addLinear(const Linear &kernel, const Buffer &from, const Buffer &weight, const Buffer &to,
                 int inputs, int outputs);
  void addLayer(const DeviceLayer &layer);

  tilec::Device device;
  Sizes sizes;
  std::vector<float> embedding;
  std::vector<DeviceLayer> layers;
  Buffer finalNorm, logitsWeight, x, normed, qkv, attended, gateUp, inner, logits;
  Norm norm;
  Linear linear, linearAdding;
  Kernel<RopeSignature> rope;
  Kernel<AttentionSignature> attention;
  SwiGlu swiglu;
  tilec::Stream stream;
  /// The launches of a step in order, and those of them that change.
  std::vector<std::unique_ptr<tilec::PreparedLaunch>> fixed;
  std::vector<tilec::TypedPrepared<RopeSignature>> ropes;
  std::vector<tilec::TypedPrepared<AttentionSignature>> attentions;
  std::vector<const tilec::PreparedLaunch *> order;
  int position = 0;
  tilec::Status made;
};

Decoder::Decoder(const tilec::Device &on, const Sizes &extent, const Weights &weights)
    : device(on), sizes(extent), embedding(weights.embedding), finalNorm(device, weights.finalNorm),
      logitsWeight(device, weights.logits), x(device, size_t(sizes.batch) * sizes.width()),
      normed(device, x.size()), qkv(device, 3 * x.size()), attended(device, x.size()),
      gateUp(device, size_t(sizes.batch) * 2 * sizes.hidden),
      inner(device, size_t(sizes.batch) * sizes.hidden),
      logits(device, size_t(sizes.batch) * sizes.vocabulary),
      norm(device, tilec_kernels::transformer(), options("rms_norm", {{"BLOCK", "64"}})),
      linear(device, tilec_kernels::transformer(), options("linear", {{"ADD", "False"}})),
      linearAdding(device, tilec_kernels::transformer(), options("linear", {{"ADD", "True"}})),
      rope(device, tilec_kernels::transformer(), options("rope_and_cache", {})),
      attention(device, tilec_kernels::transformer(), options("attention", {{"BLOCK", "16"}})),
      swiglu(device, tilec_kernels::transformer(), options("swiglu", {{"BLOCK", "128"}})),
      stream(device) {
  for (const LayerWeights &own : weights.layers) {
    size_t cache = x.size() * size_t(sizes.positions);
    layers.push_back({Buffer(device, own.attentionNorm), Buffer(device, own.qkv),
                      Buffer(device, own.output), Buffer(device, own.feedNorm),
                      Buffer(device, own.gateUp), Buffer(device, own.down), Buffer(device, cache),
                      Buffer(device, cache)});
  }
  ropes.reserve(layers.size());
  attentions.reserve(layers.size());
  for (const DeviceLayer &layer : layers)
    addLayer(layer);
  addNorm(x, finalNorm);
  addLinear(linear, normed, logitsWeight, logits, sizes.width(), sizes.vocabulary);
}

tilec::Options Decoder::options(const char *kernel, tilec::Options::Bindings constants) const {
  tilec::Options result;
  result.kernel = kernel;
  result.constants = std::move(constants);
  if (result.kernel == "linear")
    result.constants.insert(
        result.constants.end(),
        {{"BATCH", "16"}, {"BLOCK_N", std::to_string(blockN)}, {"BLOCK_K", "32"}});
  if (result.kernel == "rope_and_cache" || result.kernel == "attention")
    result.constants.insert(result.constants.end(), {{"HEADS", std::to_string(sizes.heads)},
                                                     {"HEAD", std::to_string(sizes.head)}});
  return result;
}

/// Remembers the first launch that could not be prepared.
template <typename Prepared> Prepared Decoder::keep(const char *what, Prepared prepared) {
  if (made && !prepared)
    made = {prepared.status().code, std::string(what) + ": " + prepared.status().message};
  return prepared;
}

void Decoder::addNorm(const Buffer &from, const Buffer &weight) {
  auto prepared = keep("rms_norm", norm.prepare({{uint32_t(sizes.batch), 1, 1}}, from, weight,
                                                normed, sizes.width(), normEpsilon));
  fixed.push_back(std::make_unique<tilec::PreparedLaunch>(prepared.take()));
  order.push_back(fixed.back().get());
}

void Decoder::addLinear(const Linear &kernel, const Buffer &from, const Buffer &weight,
                        const Buffer &to, int inputs, int outputs) {
  uint32_t blocks = uint32_t((outputs + blockN - 1) / blockN);
  auto prepared = keep(
      "linear", kernel.prepare({{blocks, 1, 1}}, from, weight, to, sizes.batch, inputs, outputs));
  fixed.push_back(std::make_unique<tilec::PreparedLaunch>(prepared.take()));
  order.push_back(fixed.back().get());
}

void Decoder::addLayer(const DeviceLayer &layer) {
  int width = sizes.width();
  tilec::DeviceLaunch heads = {{uint32_t(sizes.heads), uint32_t(sizes.batch), 1}};
  addNorm(x, layer.attentionNorm);
  addLinear(linear, normed, layer.qkv, qkv, width, 3 * width);
  // Prepared with values that no kernel is specialised for: they change with every token.
  ropes.push_back(
      keep("rope", rope.prepare(heads, qkv, layer.keys, layer.values, 3, sizes.positions)));
  order.push_back(&ropes.back().launchHandle());
  attentions.push_back(
      keep("attention", attention.prepare(heads, qkv, layer.keys, layer.values, attended, 3,
                                          sizes.positions, 1 / std::sqrt(float(sizes.head)))));
  order.push_back(&attentions.back().launchHandle());
  addLinear(linearAdding, attended, layer.output, x, width, width);
  addNorm(x, layer.feedNorm);
  addLinear(linear, normed, layer.gateUp, gateUp, width, 2 * sizes.hidden);
  auto prepared =
      keep("swiglu", swiglu.prepare({{uint32_t(sizes.batch), 1, 1}}, gateUp, inner, sizes.hidden));
  fixed.push_back(std::make_unique<tilec::PreparedLaunch>(prepared.take()));
  order.push_back(fixed.back().get());
  addLinear(linearAdding, inner, layer.down, x, sizes.hidden, width);
}

tilec::Status Decoder::step(const std::vector<int32_t> &tokens, std::vector<float> &result) {
  std::vector<float> rows;
  for (int32_t token : tokens) {
    auto row = embedding.begin() + token * sizes.width();
    rows.insert(rows.end(), row, row + sizes.width());
  }
  tilec::Status status = x.upload(rows, stream.handle());
  for (size_t i = 0; i < layers.size() && status; ++i) {
    status = ropes[i].set<3>(position);
    if (status)
      status = attentions[i].set<4>(position + 1);
  }
  for (const tilec::PreparedLaunch *launch : order)
    if (status)
      status = launch->launch(stream.handle());
  ++position;
  return status ? logits.download(result, stream.handle()) : status;
}

} // namespace

int main(int argc, char **argv) {
  tilec::Device device = openDevice(argc, argv);
  if (!device)
    return 2;
  Sizes sizes;
  std::mt19937 random(1);
  Weights weights = makeWeights(sizes, random);
  Decoder decoder(device, sizes, weights);
  if (!succeeded("setting up", decoder.status()))
    return 1;
  ReferenceTransformer reference(sizes, weights);

  std::vector<int32_t> tokens = {1, 2, 3};
  double worst = 0;
  for (int step = 0; step < sizes.positions; ++step) {
    std::vector<float> logits;
    if (!succeeded("step", decoder.step(tokens, logits)))
      return 1;
    std::vector<double> expected = reference.step(tokens);
    for (size_t i = 0; i < expected.size(); ++i)
      worst = std::max(worst, std::fabs(expected[i] - logits[i]));
    for (size_t sequence = 0; sequence < tokens.size(); ++sequence) {
      auto first = logits.begin() + int(sequence) * sizes.vocabulary;
      tokens[sequence] = int32_t(std::max_element(first, first + sizes.vocabulary) - first);
    }
  }
  std::printf("%d tokens of %d sequences on %s: largest error of a logit %.2g; last tokens",
              sizes.positions, sizes.batch, device.info().name, worst);
  for (int32_t token : tokens)
    std::printf(" %d", token);
  std::printf("\n");
  return worst < 1e-4 ? 0 : 1;
}
