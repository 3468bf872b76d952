// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @warp_roles_c1(%p: i1) {
  scf.if %p {
    // expected-error @+1 {{expects to be at the top level of a function}}
    tilegpu.warp_roles load {
    } compute {
    }
  }
  return
}

// -----

func.func @warp_roles_c2_barrier() {
  tilegpu.warp_roles load {
    // expected-error @+1 {{is a barrier in the role that loads, where no other warp comes}}
    nvvm.barrier0
  } compute {
  }
  return
}

// -----

#a = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}, [128]>
func.func @warp_roles_c2_tensor() {
  tilegpu.warp_roles load {
    // expected-error @+1 {{is a tensor in the role that loads, whose warps hold none}}
    %0 = tile.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #a>
  } compute {
  }
  return
}

// -----

func.func @warp_roles_c2_warpgroup_barrier() {
  tilegpu.warp_roles load {
    // expected-error @+1 {{is a barrier in the role that loads, where no other warp comes}}
    tilegpu.warpgroup_barrier
  } compute {
  }
  return
}

// -----

!bars = !tilegpu.memdesc<[1], i64, #tilegpu.linear<{offset = []}, [1]>>

func.func @slot_release_c1(%i: i32, %a: i1, %bars: !bars) {
  // expected-error @+1 {{expects a cluster, of which CTAs have ended}}
  tilegpu.slot_release %bars[%i] without %a : !bars
  return
}
