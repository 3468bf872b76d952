// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the autotuner found, over the C interface.

#include "Objects.h"

using namespace tilec;
using namespace tilec::api;

static_assert(int(Candidate::State::Waiting) == TILEC_CANDIDATE_WAITING &&
              int(Candidate::State::Pruned) == TILEC_CANDIDATE_PRUNED &&
              int(Candidate::State::Failed) == TILEC_CANDIDATE_FAILED &&
              int(Candidate::State::Same) == TILEC_CANDIDATE_SAME &&
              int(Candidate::State::Measured) == TILEC_CANDIDATE_MEASURED);

void tilec_tuning_destroy(tilec_tuning *tuning) { Tunings::get().erase(tuning); }

tilec_status tilec_tuning_get_info(const tilec_tuning *tuning, tilec_tuning_info *info) {
  return onHandle<Tunings>(tuning, [&](const TuningObject &object) {
    const TuningOutcome &outcome = object.outcome;
    tilec_tuning_info result = {};
    result.kernel = outcome.kernel.c_str();
    result.device = outcome.device.c_str();
    result.unit = outcome.unit.c_str();
    result.seconds = outcome.seconds;
    result.num_candidates = outcome.candidates.size();
    result.num_measured = outcome.count(Candidate::State::Measured);
    result.from_database = object.fromDatabase;
    if (const Candidate *best = outcome.best()) {
      result.best = &object.configs.front().raw;
      result.best_cost = best->cost;
    }
    return writeStruct(result, info, "info");
  });
}

tilec_status tilec_tuning_get_candidate(const tilec_tuning *tuning, size_t index,
                                        tilec_candidate *candidate) {
  return onHandle<Tunings>(tuning, [&](const TuningObject &object) {
    if (index >= object.order.size())
      return failIndex("candidate", index, object.order.size());
    const Candidate &found = *object.order[index];
    tilec_candidate result = {};
    result.config = &object.configs[index].raw;
    result.state = tilec_candidate_state(found.state);
    result.reason = found.reason.c_str();
    result.cost = found.cost;
    result.bound = found.bound.value_or(0);
    std::copy(found.grid.begin(), found.grid.end(), result.grid);
    result.registers = found.metadata.registers;
    result.spill_bytes = found.metadata.spillBytes;
    result.shared_bytes = found.metadata.dynamicSharedBytes + found.metadata.staticSharedBytes;
    return writeStruct(result, candidate, "candidate");
  });
}

tilec_status tilec_tuning_get_kernel(const tilec_tuning *tuning, tilec_kernel **kernel) {
  if (kernel)
    *kernel = nullptr;
  return onHandle<Tunings>(tuning, [&](const TuningObject &object) {
    if (!kernel)
      return invalid("kernel is null");
    if (!object.kernel)
      return invalid("no configuration was found, so that there is no kernel");
    *kernel = Kernels::get().insert(object.kernel);
    return TILEC_OK;
  });
}

const char *tilec_tuning_text(const tilec_tuning *tuning) {
  return factOf<Tunings>(tuning, [](TuningObject &object) { return object.text.c_str(); });
}

const char *tilec_tuning_json(const tilec_tuning *tuning) {
  return factOf<Tunings>(tuning, [](TuningObject &object) { return object.json.c_str(); });
}
