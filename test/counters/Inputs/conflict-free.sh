# Runs shipped tile shapes on the simulator, specialised as a launch would be, and fails where an access to shared memory takes
# more wavefronts than its bytes need.
#
#   sh conflict-free.sh EXAMPLES product TYPE BLOCK_M BLOCK_N BLOCK_K WARPS
#   sh conflict-free.sh EXAMPLES attention FILE KERNEL BLOCK_M BLOCK_N WARPS WIDTH [MORE ARGUMENTS]
#   sh conflict-free.sh EXAMPLES weights BLOCK_M BLOCK_N BLOCK_K WARPS
set -eu
examples=$1 what=$2
shift 2

check() {
  awk -v what="$*" '
    $2 == "shared" && $6 == "wavefronts" { ++seen; if ($7 != $8) { print what ": " $0; bad = 1 } }
    END { if (!seen) print what ": no access"; exit bad || !seen }'
}

product() {
  type=$1 m=$2 n=$3 k=$4 warps=$5 depth=$(($4 * 3))
  case $type in
    i8) out=i32 sum=tl.int32 ;;
    f8*) out=bf16 sum=tl.float32 ;;
    *) out=$type sum=tl.float32 ;;
  esac
  for a in n t; do
    for b in n t; do
      [ $a = n ] && left="--arg a_ptr=ones:$type[${m}x$depth] --arg stride_am=$depth --arg stride_ak=1" ||
        left="--arg a_ptr=ones:$type[${depth}x$m] --arg stride_am=1 --arg stride_ak=$m"
      [ $b = n ] && right="--arg b_ptr=ones:$type[${depth}x$n] --arg stride_bk=$n --arg stride_bn=1" ||
        right="--arg b_ptr=ones:$type[${n}x$depth] --arg stride_bk=1 --arg stride_bn=$depth"
      tilec run "$examples/40-matmul.tile" --kernel matmul --device sim --counters --grid 1 --num-warps $warps \
        $left $right --arg "c_ptr=empty:$out[${m}x$n]" --arg M=$m --arg N=$n --arg K=$depth --arg stride_cm=$n \
        --arg stride_cn=1 --const BLOCK_M=$m --const BLOCK_N=$n --const BLOCK_K=$k --const GROUP_M=8 --const ACC=$sum \
        --const ACTIVATION=None | check "$type $m $n $k $a$b"
    done
  done
}

attention() {
  file=$1 kernel=$2 m=$3 n=$4 warps=$5 width=$6
  shift 6
  length=$((2 * m))
  for causal in True False; do
    tilec run "$examples/$file" --kernel "$kernel" --device sim --counters --grid "cdiv(seq_len, BLOCK_M), 1" \
      --num-warps $warps --num-stages 2 --arg "q_ptr=randn:bf16[1x${length}x$width]" \
      --arg "k_ptr=randn:bf16[1x${length}x$width]" --arg "v_ptr=randn:bf16[1x${length}x$width]" \
      --arg "out_ptr=empty:bf16[1x${length}x$width]" --arg "lse_ptr=empty:f32[1x$length]" --arg seq_len=$length \
      --arg scale=0.1 "$@" --const HEAD_DIM=$width --const BLOCK_M=$m --const BLOCK_N=$n --const CAUSAL=$causal |
      check "$kernel $m $n $width $causal"
  done
}

weights() {
  m=$1 n=$2 k=$3 warps=$4 depth=$(($3 * 3))
  tilec run "$examples/50-w8a16-matmul.tile" --device sim --counters --grid "1, 2" --num-warps $warps \
    --arg "a_ptr=randn:bf16[${m}x$depth]" --arg "w_ptr=randint(-128,128):i8[${n}x$depth]" \
    --arg "scale_ptr=rand:f32[$n]" --arg "c_ptr=empty:bf16[${m}x$n]" --arg "parts_ptr=empty:f32[2x${m}x$n]" \
    --arg "arrivals_ptr=zeros:i32[8]" --arg M=$m --arg N=$n --arg K=$depth --arg stride_wn=$depth \
    --arg stride_wk=1 --const BLOCK_M=$m --const BLOCK_N=$n --const BLOCK_K=$k --const GROUP_M=8 --const SPLIT_K=2 |
    check "w8a16 $m $n $k"
}

"$what" "$@"
