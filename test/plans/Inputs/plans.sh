# Prints the plans that a kernel of the examples is compiled by: its loops' schedules, its registers, and the barriers and fences
# of its shared memory.
#
#   sh plans.sh WARPS FILE ARGUMENTS OF 'tilec compile'...
set -eu
warps=$1
shift
tilec compile "$@" --target sm_90a --emit tile -o tile.mlir
before() { echo "--tilec-tilegpu=num-warps=$warps stop-before=$1"; }
echo "== schedule"
tile-opt tile.mlir "$(before tilegpu-pipeline-loops)" --test-print-schedule -o /dev/null
echo "== registers"
tile-opt tile.mlir "$(before tilegpu-plan-registers)" \
  --tilegpu-plan-registers=steps=occupancy,hoist,sink,rematerialise --test-print-register-plan -o /dev/null
echo "== synchronisation"
tile-opt tile.mlir "$(before tilegpu-insert-synchronisation)" --test-print-synchronisation -o /dev/null
