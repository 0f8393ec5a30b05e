/** The code ENOSPC alone proves nothing: too many watched files have the same. */
export const DISK_FULL = /no space left on device/i;
