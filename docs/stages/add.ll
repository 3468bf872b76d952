; ModuleID = 'tilec'
source_filename = "tilec"
target datalayout = "e-p3:32:32-p4:32:32-p5:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: convergent
define ptx_kernel void @add(ptr addrspace(1) align 16 %0, ptr addrspace(1) align 16 %1, ptr addrspace(1) align 16 %2, i32 %3) #0 !dbg !3 {
  %5 = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !6
  %6 = call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !7
  %7 = shl i32 %6, 10, !dbg !7
  %8 = shl nuw nsw i32 %5, 2, !dbg !8
  %9 = or disjoint i32 %8, 512, !dbg !8
  %10 = or disjoint i32 %7, %8, !dbg !7
  %11 = or disjoint i32 %7, %9, !dbg !7
  %12 = icmp slt i32 %10, %3, !dbg !9
  %13 = icmp slt i32 %11, %3, !dbg !9
  %14 = sext i32 %10 to i64, !dbg !10
  %15 = getelementptr i32, ptr addrspace(1) %2, i64 %14, !dbg !10
  %16 = sext i32 %11 to i64, !dbg !10
  %17 = getelementptr i32, ptr addrspace(1) %2, i64 %16, !dbg !10
  %18 = getelementptr i32, ptr addrspace(1) %0, i64 %14, !dbg !11
  %19 = getelementptr i32, ptr addrspace(1) %0, i64 %16, !dbg !11
  %20 = call { i32, i32, i32, i32 } asm sideeffect "@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,b,0,1,2,3"(ptr addrspace(1) %18, i1 %12, i32 0, i32 0, i32 0, i32 0) #2, !dbg !12
  %21 = extractvalue { i32, i32, i32, i32 } %20, 0, !dbg !12
  %22 = extractvalue { i32, i32, i32, i32 } %20, 1, !dbg !12
  %23 = extractvalue { i32, i32, i32, i32 } %20, 2, !dbg !12
  %24 = extractvalue { i32, i32, i32, i32 } %20, 3, !dbg !12
  %25 = bitcast i32 %21 to float, !dbg !12
  %26 = bitcast i32 %22 to float, !dbg !12
  %27 = bitcast i32 %23 to float, !dbg !12
  %28 = bitcast i32 %24 to float, !dbg !12
  %29 = call { i32, i32, i32, i32 } asm sideeffect "@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,b,0,1,2,3"(ptr addrspace(1) %19, i1 %13, i32 0, i32 0, i32 0, i32 0) #2, !dbg !12
  %30 = extractvalue { i32, i32, i32, i32 } %29, 0, !dbg !12
  %31 = extractvalue { i32, i32, i32, i32 } %29, 1, !dbg !12
  %32 = extractvalue { i32, i32, i32, i32 } %29, 2, !dbg !12
  %33 = extractvalue { i32, i32, i32, i32 } %29, 3, !dbg !12
  %34 = bitcast i32 %30 to float, !dbg !12
  %35 = bitcast i32 %31 to float, !dbg !12
  %36 = bitcast i32 %32 to float, !dbg !12
  %37 = bitcast i32 %33 to float, !dbg !12
  %38 = getelementptr i32, ptr addrspace(1) %1, i64 %14, !dbg !13
  %39 = getelementptr i32, ptr addrspace(1) %1, i64 %16, !dbg !13
  %40 = call { i32, i32, i32, i32 } asm sideeffect "@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,b,0,1,2,3"(ptr addrspace(1) %38, i1 %12, i32 0, i32 0, i32 0, i32 0) #2, !dbg !14
  %41 = extractvalue { i32, i32, i32, i32 } %40, 0, !dbg !14
  %42 = extractvalue { i32, i32, i32, i32 } %40, 1, !dbg !14
  %43 = extractvalue { i32, i32, i32, i32 } %40, 2, !dbg !14
  %44 = extractvalue { i32, i32, i32, i32 } %40, 3, !dbg !14
  %45 = bitcast i32 %41 to float, !dbg !14
  %46 = bitcast i32 %42 to float, !dbg !14
  %47 = bitcast i32 %43 to float, !dbg !14
  %48 = bitcast i32 %44 to float, !dbg !14
  %49 = call { i32, i32, i32, i32 } asm sideeffect "@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,b,0,1,2,3"(ptr addrspace(1) %39, i1 %13, i32 0, i32 0, i32 0, i32 0) #2, !dbg !14
  %50 = extractvalue { i32, i32, i32, i32 } %49, 0, !dbg !14
  %51 = extractvalue { i32, i32, i32, i32 } %49, 1, !dbg !14
  %52 = extractvalue { i32, i32, i32, i32 } %49, 2, !dbg !14
  %53 = extractvalue { i32, i32, i32, i32 } %49, 3, !dbg !14
  %54 = bitcast i32 %50 to float, !dbg !14
  %55 = bitcast i32 %51 to float, !dbg !14
  %56 = bitcast i32 %52 to float, !dbg !14
  %57 = bitcast i32 %53 to float, !dbg !14
  %58 = fadd float %25, %45, !dbg !12
  %59 = fadd float %26, %46, !dbg !12
  %60 = fadd float %27, %47, !dbg !12
  %61 = fadd float %28, %48, !dbg !12
  %62 = fadd float %34, %54, !dbg !12
  %63 = fadd float %35, %55, !dbg !12
  %64 = fadd float %36, %56, !dbg !12
  %65 = fadd float %37, %57, !dbg !12
  %66 = bitcast float %58 to i32, !dbg !15
  %67 = bitcast float %59 to i32, !dbg !15
  %68 = bitcast float %60 to i32, !dbg !15
  %69 = bitcast float %61 to i32, !dbg !15
  call void asm sideeffect "@$5 st.global.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,b"(ptr addrspace(1) %15, i32 %66, i32 %67, i32 %68, i32 %69, i1 %12) #2, !dbg !15
  %70 = bitcast float %62 to i32, !dbg !15
  %71 = bitcast float %63 to i32, !dbg !15
  %72 = bitcast float %64 to i32, !dbg !15
  %73 = bitcast float %65 to i32, !dbg !15
  call void asm sideeffect "@$5 st.global.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,b"(ptr addrspace(1) %17, i32 %70, i32 %71, i32 %72, i32 %73, i1 %13) #2, !dbg !15
  ret void, !dbg !16
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

attributes #0 = { convergent "nvvm.reqntid"="128,1,1" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}

!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "tilec", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly)
!1 = !DIFile(filename: "add.tile", directory: "docs/stages")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "add", linkageName: "add", scope: !1, file: !1, line: 2, type: !4, scopeLine: 2, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!4 = !DISubroutineType(types: !5)
!5 = !{}
!6 = !DILocation(line: 2, column: 5, scope: !3)
!7 = !DILocation(line: 3, column: 9, scope: !3)
!8 = !DILocation(line: 3, column: 36, scope: !3)
!9 = !DILocation(line: 4, column: 9, scope: !3)
!10 = !DILocation(line: 5, column: 14, scope: !3)
!11 = !DILocation(line: 5, column: 29, scope: !3)
!12 = !DILocation(line: 5, column: 21, scope: !3)
!13 = !DILocation(line: 5, column: 54, scope: !3)
!14 = !DILocation(line: 5, column: 46, scope: !3)
!15 = !DILocation(line: 5, column: 5, scope: !3)
!16 = !DILocation(line: 5, column: 77, scope: !3)
