// RUN: tile-opt %s --convert-tile-to-tilegpu="num-warps=3" -verify-diagnostics

// expected-error @below {{expected 'num-warps' to be a power of two from 1 to 32, got 3}}
module {
}
