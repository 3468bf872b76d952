// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel with code for each kind of values that it was called with. Where the code comes from is
// the derived classes' business: SourceJit compiles, BundleJit looks it up. Variants are only ever
// added, and stand in lists that are read without a lock.

#ifndef TILEC_LIB_API_JITOBJECT_H
#define TILEC_LIB_API_JITOBJECT_H

#include "CallKind.h"
#include "DeviceObjects.h"

#include "tilecrt/data/GridExpr.h"

#include <atomic>
#include <map>
#include <mutex>

namespace tilec::api {

/// What a bundle says about the launches of a kernel.
struct BundledLaunch {
  /// What the code was compiled with; null where no bundle has it.
  const CodeOptions *options = nullptr;
  /// One to three sizes; empty where each call gives them.
  std::vector<tilecrt::Expression> grid;
  /// Values of the names that are no arguments.
  std::vector<std::pair<std::string, int64_t>> integers;
  /// As in LaunchRequest.
  std::array<uint32_t, 3> cluster = {0, 0, 0};
  uint32_t flags = 0;
};

/// The code for one kind of values.
struct JitVariant {
  KindKey key;
  /// In the order of compilation.
  uint32_t number = 0;
  std::shared_ptr<KernelObject> kernel;
  /// Null when there is no device.
  std::shared_ptr<RunFunction> function;
  std::vector<ArgumentSource> sources;
  BundledLaunch bundled;
  /// Persistent code is faster for grids of more programs than run at once.
  bool gainsFromTurns = false;
  JitVariant *next = nullptr;
};

/// What the timeline of a launch shows.
struct TimelineRequest {
  uint64_t marks = 0, firstCta = 0, lastCta = 0;

  bool operator==(const TimelineRequest &other) const {
    return marks == other.marks && firstCta == other.firstCta && lastCta == other.lastCta;
  }
};

/// Code that writes timelines, the last one for each code of a kernel.
class TimelineCodes {
public:
  /// Compiles and loads it where there is none.
  tilec_status find(RunDevice &device, const JitVariant &variant, const TimelineRequest &request,
                    const ToolSearch &tools, std::shared_ptr<RunFunction> &function);

private:
  struct Code {
    TimelineRequest request;
    std::shared_ptr<RunFunction> function;
  };
  /// One thread compiles at a time.
  std::mutex mutex;
  /// By the numbers of variants.
  std::map<uint32_t, Code> codes;
};

/// A failure: the kernel is to be compiled again, and has nothing to compile.
tilec_status failUnknownSource(const std::string &kernel);

/// A call after its checks; nothing after a failure was kept.
std::optional<tilec_call> readCall(const tilec_call *given);

/// The grid of a launch with code, whose arguments the request has: the call's, or the bundle's, of
/// which sizes may be 0.
tilec_status readGrid(const tilec_call &call, const JitVariant &variant, LaunchRequest &request);

class SourceJit;

class JitObject : public std::enable_shared_from_this<JitObject> {
public:
  explicit JitObject(std::shared_ptr<RunDevice> on) : device(std::move(on)) {}
  JitObject(const JitObject &) = delete;
  JitObject &operator=(const JitObject &) = delete;
  virtual ~JitObject();

  /// The code for a call's values, which is made when there is none: without tensor copies where
  /// the values have no tensor maps that were inferred, without clusters where the grid is not one
  /// of whole clusters, persistent where that pays for the grid. A failure was kept when it is not
  /// TILEC_OK.
  tilec_status find(const tilec_call &call, const JitVariant *&variant);
  /// `variant` is null when there is no code for the call.
  tilec_status launch(const tilec_call &call, const JitVariant *&variant);
  /// Calls `use` with the code and the launch that a call asks for, unless there is nothing to
  /// launch. A call that `use` refuses may have it called again, with other code.
  tilec_status withLaunch(
      const tilec_call &call, const JitVariant *&variant,
      llvm::function_ref<tilec_status(const JitVariant &code, const LaunchRequest &launch)> use);
  tilec_status prepare(const tilec_call &call, PreparedObject &prepared);
  /// What the code for such values is compiled with.
  virtual tilec_status describe(const tilec_call &call, CodeOptions &options) = 0;
  /// Null when the kernel does not come from its source.
  virtual SourceJit *asSource() { return nullptr; }
  size_t numVariants() const { return count.load(std::memory_order_relaxed); }
  llvm::ArrayRef<JitParameter> getParameters() const { return parameters; }
  const std::shared_ptr<RunDevice> &getDevice() const { return device; }

  TimelineCodes timelineCodes;

protected:
  /// Fills in all but the key and the number.
  virtual tilec_status make(const tilec_call &call, JitVariant &variant) = 0;
  /// The kind of a call's values.
  tilec_status makeKey(const tilec_call &call, KindKey &key) const;
  /// Programs of a cluster, and CTAs of a program, for calls that do not say; 0: what the code that
  /// fits has.
  int32_t defaultCtas = 0, defaultSplitK = 0;
  /// Whether code is persistent by cost, where calls do not say.
  bool decidesTurns = false;
  /// Whether the CTAs of the call's launch are to run several programs where that pays: it has more
  /// than run at once, and does not say.
  bool wantsTurns(const tilec_call &call) const;
  /// Adds code for a call's values that was made elsewhere; nobody has the object yet.
  tilec_status adopt(const tilec_call &call, std::unique_ptr<JitVariant> variant);

  const std::shared_ptr<RunDevice> device;
  std::vector<JitParameter> parameters;

private:
  /// The code for the kinds of a call's values, whatever these are, and for its grid.
  tilec_status findKind(const tilec_call &call, const JitVariant *&variant);
  /// The code for a key of the call, which is made when there is none.
  tilec_status findOrMake(const tilec_call &call, const KindKey &key, const JitVariant *&variant);
  /// Replaces code that is persistent, or is not, where the other pays for the call's grid; changes
  /// the call and its key to those that have it.
  tilec_status fitTurns(tilec_call &call, KindKey &key, const JitVariant *&variant);
  /// Replaces code whose clusters the launch cannot have, if there is other code.
  tilec_status withoutClusters(const tilec_call &call, KindKey &key, const JitVariant *&variant);
  /// Replaces code whose inferred tensor maps the values do not have, if there is other code.
  tilec_status fitMaps(const tilec_call &call, const JitVariant *&variant);
  const JitVariant *search(const KindKey &key, size_t bucket) const;
  const JitVariant *add(std::unique_ptr<JitVariant> variant);
  /// Calls `use` with the launch that a call asks for.
  template <typename Use>
  tilec_status withRequest(const tilec_call &call, const JitVariant *&variant, Use use);
  template <typename Use>
  tilec_status withRequest(const tilec_call &call, const JitVariant &variant, Use use);

  /// One thread makes code at a time.
  std::mutex mutex;
  /// Why there is no code for calls that are input errors: nobody tries again.
  std::map<KindKey, std::string> refusals;
  static constexpr size_t numBuckets = 32;
  std::atomic<JitVariant *> buckets[numBuckets] = {};
  std::atomic<size_t> count{0};
};

/// What may be set of a launch that was prepared with a call's values.
class PreparedValues {
public:
  PreparedValues(std::shared_ptr<JitObject> jit, const JitVariant &code,
                 llvm::ArrayRef<tilec_call_value> given);

  /// All arguments that the value is, or none.
  tilec_status set(RunPrepared &launch, size_t index, const tilec_call_value &value) const;

private:
  /// Keeps the code.
  std::shared_ptr<JitObject> owner;
  const JitVariant &variant;
  /// As the code has them: specialised only where the value is part of the code.
  std::vector<JitParameter> parameters;
  std::vector<KindKey> kinds;
  /// Those that are part of the code are looked at.
  std::vector<tilec_call_value> values;
  bool hasTuples = false;
};

using Jits = SlotTable<tilec_jit, JitObject, 5>;

} // namespace tilec::api

#endif // TILEC_LIB_API_JITOBJECT_H
