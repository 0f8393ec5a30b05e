#!/bin/sh
# The first process of a container: prepares a disk as a slim image of Node.js has it, then runs the steps of a Dockerfile.
# Arguments: an empty folder, the program of Node.js, the folder that COPY reads, the steps, and the control group's name.
set -eu
T=$1 NODE=$2 CONTEXT=$3 STEPS=$4 GROUP=$5
mount -t tmpfs tmpfs "$T"
mkdir "$T/up" "$T/work" "$T/root"
R="$T/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$T/up,workdir=$T/work" "$R"
mount -t proc proc "$R/proc"
mount --rbind "/sys" "$R/sys"
# As a container engine does: its own group is where the group of the machine is.
for controller in memory cpu cpuacct .; do
  own="$R/sys/fs/cgroup/$controller/$GROUP"
  [ ! -d "$own" ] || mount --bind "$own" "$R/sys/fs/cgroup/$controller"
done
mount --rbind /dev "$R/dev"
mount -t tmpfs tmpfs "$R/run"
mkdir "$R/context"
mount --bind -o ro "$CONTEXT" "$R/context"
cp "$NODE" "$R/usr/bin/node"
cp "$STEPS" "$R/steps"
# A slim image has none of these.
for program in ps pgrep pkill git curl wget ip ss python3 gcc make systemctl; do
  rm -f "$R/usr/bin/$program" "$R/usr/sbin/$program" "$R/usr/local/bin/$program"
done
rm -rf "$R/usr/lib/systemd" "$R/etc/systemd"
hostname shop
mkdir "$R/old"
cd "$R"
pivot_root . old
umount -l /old
rmdir /old
useradd --create-home node
exec sh -eu /steps
