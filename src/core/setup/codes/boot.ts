import type { CodeDocs } from "../../findings/rule.ts";

export const bootCodes: CodeDocs = {
  BOOT_FAILED: {
    summary: "A unit could not be written, enabled or removed.",
    remedy: "Read the details. The command can be repeated: it continues where it stopped.",
  },
  BOOT_LIST_UNUSABLE: {
    summary: "PM2's saved list is missing or broken, and svcm has no copy of it, so nothing can be brought back.",
    remedy: "Start what is declared with `svcm apply`, which also saves the list.",
  },
  BOOT_NEEDS_ROOT: {
    summary: "The unit belongs to the system, and only root may change it.",
    remedy: "Run the command as root, and name the user: `sudo svcm boot enable --user deploy`.",
  },
  BOOT_SAVE_EMPTY: {
    summary: "PM2 runs no apps, so a save would remove every app from the saved list.",
    remedy: "Run `svcm boot restore` to bring them back, or `pm2 save --force` to empty the list.",
  },
  RENEW_REFUSED: {
    summary:
      "A renewal of PM2's daemon would fail or cut something off, so it was not begun; the details name each reason.",
    remedy: "Remove what the details name, then run `svcm daemon renew` again.",
  },
  RENEW_RETURNED: {
    summary: "An app did not run in the new daemon as before, so everything returned to the former one.",
    remedy: "Read the log of the named app. Often it cannot run with the new Node.js: rebuild its native modules.",
  },
  SYSTEMCTL_FAILED: {
    summary: "`systemctl`, `loginctl` or `systemd-notify` refused; the details have its words.",
    remedy:
      "Repeat that command by hand. If your user has no session of systemd, let root write the unit: `sudo svcm boot enable --user <name>`.",
  },
  SYSTEMD_ABSENT: {
    summary: "systemd does not run this machine, and svcm writes units of systemd only.",
    remedy: "Run `pm2 startup`, which knows other init systems. In a container, start `pm2-runtime`.",
  },
  USER_UNKNOWN: {
    summary: "The machine has no user with that name.",
    remedy: "Name a user of `/etc/passwd`.",
  },
};
