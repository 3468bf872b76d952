// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where in the source and in a tile something was printed or asserted.

#ifndef TILEC_RUN_PLACES_H
#define TILEC_RUN_PLACES_H

#include "tilecrt/sim/Simulator.h"

namespace tilec {

/// The place of a site; an empty one when it is not known.
tilecrt::sim::Site placeOf(int32_t site, const std::vector<tilecrt::sim::Site> &sites);

/// The coordinates of the element of a tile that a line is about, "pid (0, 0, 0) idx (1, 2) ...";
/// none for a scalar.
std::vector<int32_t> printedElement(const std::string &line);

/// The element that a failed assertion is about: its thread has printed it before. None for other
/// findings.
std::vector<int32_t> assertedElement(const tilecrt::sim::Finding &finding,
                                     const std::vector<tilecrt::sim::PrintedLine> &printed,
                                     const std::vector<tilecrt::sim::Site> &sites);

/// "\n  element (1, 2)"; nothing without coordinates.
std::string elementText(const std::vector<int32_t> &coordinates);

} // namespace tilec

#endif // TILEC_RUN_PLACES_H
