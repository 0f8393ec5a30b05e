#!/bin/sh
# The first process of the machine: prepares its disk and becomes systemd.
set -eu
T=$1 SHARED=$2 BOOT=$3
R="$T/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$T/up,workdir=$T/work" "$R"
mount -t proc proc "$R/proc"
# A new id of each boot, as a kernel gives it.
cat /proc/sys/kernel/random/uuid > "$T/boot-id"
mount --bind "$R/proc/sys" "$R/proc/sys"
mount --bind "$T/boot-id" "$R/proc/sys/kernel/random/boot_id"
mount -t sysfs -o ro sysfs "$R/sys"
mkdir -p "$R/sys/fs/cgroup"
mount -t cgroup2 none "$R/sys/fs/cgroup"
mount -t tmpfs tmpfs "$R/dev"
for name in null zero full random urandom tty; do
  : > "$R/dev/$name"
  mount --bind "/dev/$name" "$R/dev/$name"
done
mkdir "$R/dev/pts" "$R/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$R/dev/pts"
ln -s pts/ptmx "$R/dev/ptmx"
ln -s /proc/self/fd "$R/dev/fd"
mount -t tmpfs tmpfs "$R/dev/shm"
mount -t tmpfs tmpfs "$R/run"
mount -t tmpfs tmpfs "$R/tmp"
mkdir -p "$R$SHARED"
mount --bind "$SHARED" "$R$SHARED"
if [ "$BOOT" = 1 ]; then
  rm -rf "$R"/etc/systemd/system/* "$R"/etc/systemd/user/* "$R"/etc/init.d/* "$R"/etc/rc?.d/* "$R"/var/lib/systemd/linger/*
  : > "$R/etc/fstab"
  for unit in systemd-udevd systemd-udev-trigger systemd-modules-load systemd-sysctl systemd-timesyncd \
    systemd-random-seed systemd-binfmt systemd-hwdb-update systemd-firstboot systemd-update-utmp console-getty; do
    ln -s /dev/null "$R/etc/systemd/system/$unit.service"
  done
  ln -s /dev/null "$R/etc/systemd/system/getty.target"
  for timer in "$R"/usr/lib/systemd/system/*.timer "$R"/lib/systemd/system/*.timer; do
    ln -sf /dev/null "$R/etc/systemd/system/$(basename "$timer")"
  done
fi
ip link set lo up
hostname svcm-test
mkdir -p "$R/old"
cd "$R"
pivot_root . old
umount -l /old
exec env -i container=svcm-test PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  /usr/lib/systemd/systemd --log-target=journal --show-status=no
