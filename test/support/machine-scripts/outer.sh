#!/bin/sh
# A machine with systemd as its first process, in namespaces of its own. Its disk is an overlay over this machine's.
# Arguments: a folder, a folder of this machine that the other one sees, and init.sh.
set -eu
T=$1 SHARED=$2 INIT=$3
mount -t tmpfs tmpfs "$T"
mkdir "$T/up" "$T/work" "$T/root" "$T/cg"
mount -t cgroup2 none "$T/cg"
GROUP="$T/cg/svcm-test-$$"
mkdir "$GROUP"
trap 'find "$GROUP" -depth -type d -exec rmdir {} + 2>/dev/null' EXIT
boot=0
while :; do
  boot=$((boot + 1))
  code=0
  # The process joins its group first, or systemd would manage the root group of this machine.
  sh -c 'echo $$ > "$1/cgroup.procs"; shift; exec unshare --pid --fork --kill-child=SIGKILL --mount --uts --ipc --cgroup --net "$@"' \
    sh "$GROUP" sh "$INIT" "$T" "$SHARED" "$boot" || code=$?
  # The kernel says by the end of the first process which of the two systemd asked for: 129 is a reboot.
  [ "$code" = 129 ] || exit "$code"
done
