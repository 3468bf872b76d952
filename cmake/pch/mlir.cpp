// The object that owns the MLIR precompiled header.
