//===- Interfaces of the tilegpu dialect -------------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUINTERFACES_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUINTERFACES_TD

include "mlir/IR/OpBase.td"

def TileGPU_AsyncOpInterface : OpInterface<"AsyncOpInterface"> {
  let description = [{
    An operation that starts accesses of shared memory, which stay in flight until an operation with
    `AsyncWaitOpInterface` for the same `AsyncKind` retires them.
  }];
  let cppNamespace = "::tilec::tilegpu";
  let methods = [
    InterfaceMethod<"What is started; waits for this kind retire it.", "AsyncKind", "getAsyncKind">,
    InterfaceMethod<[{
      Whether the buffer of an operand is accessed through the async proxy, and otherwise through the generic one
      (PTX ISA, "Proxies").
    }], "bool", "usesAsyncProxy", (ins "::mlir::OpOperand &":$operand), "", "return true;">,
    InterfaceMethod<[{
      Whether an operand's buffer is accessed by the time that the operation is done, rather than in flight.
    }], "bool", "isSynchronous", (ins "::mlir::OpOperand &":$operand), "", "return false;">,
    InterfaceMethod<"Groups that the operation closes.", "int64_t", "getNumAsyncGroups", (ins), "", "return 1;">,
  ];
}

def TileGPU_AsyncWaitOpInterface : OpInterface<"AsyncWaitOpInterface"> {
  let description = [{ An operation that waits until accesses in flight have retired. }];
  let cppNamespace = "::tilec::tilegpu";
  let methods = [
    InterfaceMethod<"What is waited for.", "AsyncKind", "getAsyncKind">,
    InterfaceMethod<[{
      Groups that may stay in flight. Without one, those whose barrier object, in `getBarrierObject`, has been waited for
      have retired.
    }], "std::optional<int64_t>", "getMaxGroupsInFlight">,
    InterfaceMethod<"The ring of barrier objects, and the slot in it.", "std::pair<::mlir::Value, ::mlir::Value>",
      "getBarrierObject", (ins), "", "return {};">,
  ];
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUINTERFACES_TD
