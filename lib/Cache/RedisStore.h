// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Redis server as a shared store, through hiredis.

#ifndef TILEC_LIB_CACHE_REDISSTORE_H
#define TILEC_LIB_CACHE_REDISSTORE_H

#include "tilec/Cache/SharedStore.h"

namespace tilec {

/// `address` is what comes behind "redis://" or, with `isUnix`, behind "redis+unix://".
llvm::Expected<std::unique_ptr<SharedStore>> makeRedisStore(llvm::StringRef address, bool isUnix);

} // namespace tilec

#endif // TILEC_LIB_CACHE_REDISSTORE_H
