import type { MachineUser, UnitFacts } from "./port-units.ts";

export interface UnitInput {
  readonly scope: UnitFacts["scope"];
  readonly user: MachineUser;
  readonly home: string;
  readonly program: { readonly node: string; readonly svcm: string };
  /** The longest time that an app may take to stop. */
  readonly stopMs: number;
  readonly replaced: readonly string[];
  readonly linger: boolean;
}

/** One PM2 home of a user has the plain name; a digest distinguishes the others. */
export function unitName(
  { scope, user, home }: Pick<UnitInput, "scope" | "user" | "home">,
  digest: (bytes: Uint8Array) => string,
): string {
  const owner = scope === "system" ? `-${user.name}` : "";
  const isDefault = home === `${user.folder}/.pm2`;
  const other = isDefault
    ? ""
    : `-${digest(new TextEncoder().encode(home))
        .replaceAll(/[^A-Za-z0-9]/g, "")
        .slice(0, 8)}`;
  return `svcm-pm2${owner}${other}.service`;
}

/** A restore that is slower than this is ended by systemd, with the apps. */
const START_SECONDS = 900;
const STOP_SLACK_SECONDS = 15;
/** A daemon outside of the unit already runs: another try would find it again. */
export const OUTSIDE_EXIT_CODE = 75;

export function unitText(input: UnitInput): string {
  const { scope, user, home, program, stopMs, replaced, linger } = input;
  const isSystem = scope === "system";
  const folder = program.node.replace(/\/[^/]*$/, "");
  const path = [...new Set([folder, "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"])];
  const run = (verb: string): string => `${word(program.node)} ${word(program.svcm)} boot ${verb}`;
  const lines = [
    "# Written by svcm boot enable; svcm boot disable removes it.",
    "[Unit]",
    `Description=PM2 of ${user.name}, started by svcm`,
    "Documentation=man:systemd.service(5)",
    ...(isSystem ? ["Wants=network-online.target", "After=network-online.target"] : []),
    "StartLimitIntervalSec=300",
    "StartLimitBurst=5",
    ...(replaced.length > 0 ? REPLACED.map((key) => `${key}=${replaced.join(" ")}`) : []),
    ...(linger ? ["X-Svcm-Linger=yes"] : []),
    "",
    "[Service]",
    "Type=notify",
    "NotifyAccess=all",
    ...(isSystem ? [`User=${user.name}`] : []),
    `Environment=${setting("PM2_HOME", home)}`,
    `Environment=${setting("HOME", user.folder)}`,
    `Environment=${setting("PATH", path.join(":"))}`,
    "WorkingDirectory=/",
    `ExecStart=${run("restore")}`,
    `ExecStop=${run("drain")}`,
    "KillMode=mixed",
    `TimeoutStartSec=${START_SECONDS}`,
    `TimeoutStopSec=${Math.ceil(stopMs / 1000) + STOP_SLACK_SECONDS}`,
    "Restart=on-failure",
    "RestartSec=1",
    `RestartPreventExitStatus=${OUTSIDE_EXIT_CODE}`,
    "LimitNOFILE=65536",
    "",
    "[Install]",
    `WantedBy=${isSystem ? "multi-user.target" : "default.target"}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** A second daemon of the same home would fail, so the start of one of them stops the other before it. */
const REPLACED = ["X-Svcm-Replaced", "Conflicts", "After"];

function setting(name: string, value: string): string {
  return quote(`${name}=${value}`);
}

/** In a command, systemd also replaces variables. */
function word(text: string): string {
  return quote(text).replaceAll("$", "$$$$");
}

function quote(text: string): string {
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', String.raw`\"`)
    .replaceAll("%", "%%");
  return /[\s"'\\;]/.test(text) ? `"${escaped}"` : escaped;
}
