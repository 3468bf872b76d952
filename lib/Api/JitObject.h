// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that specialises itself: its source, and the code for each kind of values that it was
// called with. Variants are only ever added, and stand in lists that are read without a lock.

#ifndef TILEC_LIB_API_JITOBJECT_H
#define TILEC_LIB_API_JITOBJECT_H

#include "CallKind.h"
#include "DeviceObjects.h"
#include "OptionsReader.h"

#include <atomic>
#include <map>
#include <mutex>

namespace tilec::api {

/// The code for one kind of values.
struct JitVariant {
  KindKey key;
  /// In the order of compilation.
  uint32_t number = 0;
  std::shared_ptr<KernelObject> kernel;
  /// Null when there is no device.
  std::shared_ptr<FunctionObject> function;
  std::vector<ArgumentSource> sources;
  JitVariant *next = nullptr;
};

class JitObject {
public:
  JitObject() = default;
  JitObject(const JitObject &) = delete;
  JitObject &operator=(const JitObject &) = delete;
  ~JitObject();

  /// Reads options and the kernel's parameters. A failure was kept when it is not TILEC_OK.
  tilec_status open(std::shared_ptr<DeviceObject> on, const tilec_jit_options &given);

  /// The code for a call's values, which is compiled when there is none. A failure was kept when it
  /// is not TILEC_OK.
  tilec_status find(const tilec_call &call, const JitVariant *&variant);
  /// `variant` is null when there is no code for the call.
  tilec_status launch(const tilec_call &call, const JitVariant *&variant);
  /// What the compiler is asked for.
  tilec_status makeOptions(const tilec_call &call, CompileOptions &options) const;
  size_t numVariants() const { return count.load(std::memory_order_relaxed); }

private:
  tilec_status findParameters(const tilec_jit_options &given);
  tilec_status makeKey(const tilec_call &call, KindKey &key) const;
  const JitVariant *search(const KindKey &key, size_t bucket) const;
  /// Compiles and loads; tells the program in any case.
  tilec_status compile(const tilec_call &call, std::unique_ptr<JitVariant> &variant);
  tilec_status load(const tilec_call &call, JitVariant &variant) const;

  std::shared_ptr<DeviceObject> device;
  std::string name, text;
  OptionsReader base;
  std::vector<JitParameter> parameters;
  void (*compiled)(void *context, const tilec_jit_event *event) = nullptr;
  void *context = nullptr;
  /// One thread compiles at a time.
  std::mutex mutex;
  /// What the compiler said of calls that it refuses: it is not asked again.
  std::map<KindKey, std::string> refusals;
  static constexpr size_t numBuckets = 32;
  std::atomic<JitVariant *> buckets[numBuckets] = {};
  std::atomic<size_t> count{0};
};

using Jits = SlotTable<tilec_jit, JitObject, 5>;

} // namespace tilec::api

#endif // TILEC_LIB_API_JITOBJECT_H
