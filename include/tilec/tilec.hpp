// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++17 over tilec.h, in headers: handles that destroy themselves, strings and vectors. They throw
// nothing of their own; every outcome has a status and a message.

#ifndef TILEC_TILEC_HPP
#define TILEC_TILEC_HPP

#include "tilec/compiler.hpp"
#include "tilec/device.hpp"
#include "tilec/tuning.hpp"
#include "tilec/typed.hpp"

#endif // TILEC_TILEC_HPP
