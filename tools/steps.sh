# Sourced by .ci/run and tools/nightly: named steps, and a final table of their times with the
# number of tests in all steps.
#
#   step NAME            begins a step and ends the previous one
#   build PRESET         configures and builds a preset; further arguments go to the build
#   count_ctest ...      runs ctest with these arguments and counts its tests
#   new_results          sets `results` to a file for the --output-junit of another ctest to count
#   fix_addresses ...    runs a function so that count_ctest works with the thread sanitizer
#   end_step [RESULT]    ends the step, with a word for the table
#   end_steps CODE       prints the table and the line; CODE is the exit code so far
step_results=$(mktemp -d)
step_table=$step_results/table
step_name='' step_runs=0
ctest_under=()
: >"$step_table"

# Sets `cpu` to the CPU seconds of all children that have ended. `times` must not run in a subshell.
cpu_seconds() {
  times >"$step_results/times"
  awk 'NR == 2 { gsub("s", ""); for (i = 1; i <= 2; i++) { split($i, t, "m"); sum += 60 * t[1] + t[2] } print sum }' \
    "$step_results/times" >"$step_results/cpu"
  read -r cpu <"$step_results/cpu"
}

end_step() {
  [ -n "$step_name" ] || return 0
  cpu_seconds
  printf '%s\t%s\t%s\t%s\t%s\n' "$step_name" $((SECONDS - step_begin)) "$step_cpu" "$cpu" "${1:-}" >>"$step_table"
  step_name=
}

step() {
  end_step
  step_name=$* step_begin=$SECONDS
  cpu_seconds
  step_cpu=$cpu
  echo
  echo "==== $step_name ($(date -u +%H:%M:%S))"
}

build() {
  cmake --preset "$1" --log-level=WARNING &&
    cmake --build --preset "$1" -j "$(nproc)" "${@:2}"
}

new_results() {
  step_runs=$((step_runs + 1))
  results=$step_results/$step_runs.xml
}

# Runs one test more than there are processors, because some wait for a clock or a screen.
count_ctest() {
  new_results
  "${ctest_under[@]}" ctest -j "$(($(nproc) + 1))" --output-junit "$results" "$@"
}

# g++ 12's thread sanitizer fails if addresses are more random than it supports (newer kernels).
fix_addresses() {
  local ctest_under=()
  if setarch -R true 2>/dev/null; then ctest_under=(setarch -R); fi
  "$@"
}

end_steps() {
  end_step "$([ "$1" = 0 ] || echo FAILED)"
  echo
  awk -F '\t' '
    function line(name, wall, cpu, result) { printf "%-52s %6.0f s %6.0f s  %s\n", name, wall, cpu, result }
    BEGIN { printf "%-52s %8s %8s\n", "step", "wall", "CPU" }
    { line($1, $2, $4 - $3, $5); wall += $2; cpu += $4 - $3 }
    END { line("all", wall, cpu, "") }' "$step_table"
  echo
  python3 - "$1" "$step_results" <<'PYTHON'
import pathlib
import sys
import xml.etree.ElementTree

passed = failed = skipped = 0
for path in pathlib.Path(sys.argv[2]).glob("*.xml"):
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        message = case.find("skipped")
        if case.get("status") == "run":
            passed += 1
        elif case.get("status") == "notrun" and message is not None and "SKIP_" in message.get("message", ""):
            skipped += 1
        elif case.get("status") != "disabled":
            failed += 1
if sys.argv[1] != "0":
    failed = max(failed, 1)  # a step may have failed before its tests
print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
sys.exit(failed != 0)
PYTHON
  local code=$?
  rm -rf "$step_results"
  return "$code"
}
