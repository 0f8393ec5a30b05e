#!/usr/bin/env bash
# The step of action.yml. The exit code is that of `svcm check`: 0 good, 1 findings, 2 a wrong input, 3 could not check.
set -euo pipefail

stop() {
  echo "::error::$1"
  exit 2
}

if [ -x node_modules/.bin/svcm ]; then
  svcm=(node_modules/.bin/svcm)
elif [ -n "${SVCM_VERSION:-}" ]; then
  [[ "$SVCM_VERSION" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || stop "version: \"$SVCM_VERSION\" is not a version. Accepted: a full one, such as 0.1.0."
  svcm=(npx --yes "svcm@$SVCM_VERSION")
else
  stop "svcm is not installed in $PWD. Run npm ci before this step, or give the action a version to fetch."
fi

arguments=(check --no-input)
case "${SVCM_STRICT:-false}" in
  true) arguments+=(--strict) ;;
  false) ;;
  *) stop "strict: \"$SVCM_STRICT\" is not accepted. Accepted: true, false." ;;
esac
while IFS= read -r path; do
  [ -z "$path" ] || arguments+=("./$path")
done <<<"${SVCM_PATHS:-}"

# Exit code 1 means findings, which the last command reports as annotations. Any other code ends the step.
report() {
  "${svcm[@]}" "${arguments[@]}" "$@" || { local code=$?; [ "$code" -eq 1 ] || exit "$code"; }
}
if [ -n "${SVCM_SARIF:-}" ]; then report --format sarif >"$SVCM_SARIF"; fi
summary=$(report)
printf '```text\n%s\n```\n' "$summary" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
exec "${svcm[@]}" "${arguments[@]}" --format github
