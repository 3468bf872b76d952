// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CInterface.c offers to the tests.

#ifndef TILEC_TEST_UNIT_API_CINTERFACE_H
#define TILEC_TEST_UNIT_API_CINTERFACE_H

#ifdef __cplusplus
extern "C" {
#endif

/// Multiplies `values` in place with a kernel on the simulator; returns a tilec_status.
int scaleFromC(float *values, int count, float factor);

#ifdef __cplusplus
}
#endif

#endif // TILEC_TEST_UNIT_API_CINTERFACE_H
