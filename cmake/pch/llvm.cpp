// The object that owns the LLVM precompiled header.
