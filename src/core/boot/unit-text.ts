import type { MachineUser, UnitFacts, NewUnit, SystemFacts } from "./ports.ts";
import { SvcmError } from "../api/errors.ts";
import { KILL_TIMEOUT_MS } from "../pm2/settings.ts";
import type { SavedList } from "../pm2/port-daemons.ts";

interface UnitInput {
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
function unitName(
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
  const run = (verb: string): string => `${unitWord(program.node)} ${unitWord(program.svcm)} boot ${verb}`;
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
function unitWord(text: string): string {
  return quote(text).replaceAll("$", "$$$$");
}

function quote(text: string): string {
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', String.raw`\"`)
    .replaceAll("%", "%%");
  return /[\s"'\\;]/.test(text) ? `"${escaped}"` : escaped;
}

/** The parts of a systemd unit that decide what runs after a boot. @see systemd.service(5), systemd.exec(5) */
export interface ParsedUnit {
  readonly user: string | null;
  readonly environment: Readonly<Record<string, string>>;
  /** Variables come from a file, too, and may differ. */
  readonly hasEnvironmentFile: boolean;
  /** The words of each command that starts it. */
  readonly commands: readonly (readonly string[])[];
  readonly replaced: readonly string[];
  readonly madeLinger: boolean;
}

/** @param text with the drop-in files behind it, as systemd reads them */
export function parseUnit(text: string): ParsedUnit {
  const settings = readSettings(text);
  const lastOf = (name: string): string | undefined => settings.get(name)?.at(-1);
  const pairs = (settings.get("Service.Environment") ?? []).flatMap(splitWords).flatMap((pair): [string, string][] => {
    const at = pair.indexOf("=");
    return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)]] : [];
  });
  return {
    user: lastOf("Service.User") ?? null,
    environment: Object.fromEntries(pairs),
    hasEnvironmentFile: (settings.get("Service.EnvironmentFile") ?? []).length > 0,
    commands: (settings.get("Service.ExecStart") ?? []).map((command) => splitWords(command.replace(/^[-@:+!|]+/, ""))),
    replaced: (settings.get("Unit.X-Svcm-Replaced") ?? []).flatMap(splitWords),
    madeLinger: lastOf("Unit.X-Svcm-Linger") === "yes",
  };
}

/** An empty value takes back the earlier ones. */
function readSettings(text: string): Map<string, string[]> {
  const settings = new Map<string, string[]>();
  let section = "";
  for (const line of text.replaceAll(/\\\r?\n/g, " ").split(/\r?\n/)) {
    section = /^\s*\[(.*)\]\s*$/.exec(line)?.[1] ?? section;
    const [, name, value = ""] = /^\s*([A-Za-z-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined) continue;
    const key = `${section}.${name}`;
    settings.set(key, value === "" ? [] : [...(settings.get(key) ?? []), value]);
  }
  return settings;
}

const WORD = /(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\\.|[^\s"'\\])+/g;
const QUOTED = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|\\(.)/g;

function splitWords(text: string): string[] {
  return (text.match(WORD) ?? []).map((word) =>
    word.replaceAll(QUOTED, (_all, double?: string, single?: string, escaped?: string) =>
      (double ?? single ?? escaped ?? "").replaceAll(/\\(.)/g, "$1"),
    ),
  );
}

/** `undefined` for a specifier that svcm does not know. */
export function expandSpecifiers(
  text: string,
  known: { readonly folder: string; readonly user: string; readonly instance: string },
): string | undefined {
  const values: Readonly<Record<string, string>> = { "%": "%", h: known.folder, u: known.user, i: known.instance };
  let isKnown = true;
  const expanded = text.replaceAll(/%(.)/g, (_all, letter: string) => {
    const value = values[letter === "I" ? "i" : letter];
    isKnown &&= value !== undefined;
    return value ?? "";
  });
  return isKnown ? expanded : undefined;
}

export interface StartCommand {
  readonly starts: "svcm" | "saved list" | "other";
  /** Null if the first line of the program chooses it from the PATH. */
  readonly node: string | null;
  readonly program: string | null;
}

const RUNTIME = /(?:^|\/)(?:node|nodejs|bun)$/;

/** `undefined` for a command that has nothing to do with PM2. */
export function findStart(commands: ParsedUnit["commands"]): StartCommand | undefined {
  for (const words of commands) {
    const start = readStart(words);
    if (start !== undefined) return start;
  }
  return undefined;
}

function readStart(words: readonly string[]): StartCommand | undefined {
  const [first = "", ...rest] = words;
  const hasRuntime = RUNTIME.test(first);
  const [program, ...args] = hasRuntime ? rest.filter((word) => !word.startsWith("--")) : words;
  const node = hasRuntime ? first : null;
  if (program === undefined) return undefined;
  if (args[0] === "boot" && args[1] === "restore") return { starts: "svcm", node, program };
  const starts = args[0] === "resurrect" ? "saved list" : "other";
  if (/(?:^|\/)pm2$/.test(program)) return { starts, node, program };
  return words.some((word) => MENTIONS_PM2.test(word)) ? { starts: "other", node: null, program: null } : undefined;
}

/** Of a shell command, or `pm2-runtime`. */
const MENTIONS_PM2 = /(?:^|[/\s])pm2(?:-runtime)?(?:\s|$)/;

interface UnitRequest {
  readonly system: SystemFacts;
  readonly user: MachineUser;
  readonly home: string;
  readonly saved: Pick<SavedList, "processes">;
  readonly program: UnitInput["program"];
  readonly digest: (bytes: Uint8Array) => string;
}

/** An app may be declared with a longer time after the unit was written. */
const MIN_STOP_MS = 45_000;

/** A user without the rights of the system gets a separate unit, which needs lingering. */
export function planUnit({ system, user, home, saved, program, digest }: UnitRequest): NewUnit {
  const scope = system.current.uid === 0 ? "system" : "user";
  const name = unitName({ scope, user, home }, digest);
  const former = system.units.find((unit) => unit.name === name && unit.scope === scope);
  const foreign = system.units.filter((unit) => unit.isOfHome && unit.isEnabled && unit.name !== name);
  const replaced = [...new Set([...(former?.replaced ?? []), ...foreign.map((unit) => unit.name)])];
  const linger = scope === "user" && (former?.madeLinger === true || !isLingering(system.units, former));
  const killMs = saved.processes.map(({ declaration }) => Number(declaration.settings.killTimeout ?? KILL_TIMEOUT_MS));
  const stopMs = Math.max(MIN_STOP_MS, ...killMs);
  return {
    name,
    scope,
    user,
    replaced,
    linger,
    text: unitText({ scope, user, home, program, stopMs, replaced, linger }),
  };
}

function isLingering(units: readonly UnitFacts[], former: UnitFacts | undefined): boolean {
  return former?.isLingering === true || units.some((unit) => unit.isLingering === true);
}

/** @throws {SvcmError} BOOT_FAILED with BOOT_NEEDS_ROOT */
export function requireRights(
  { current }: SystemFacts,
  user: MachineUser,
  replaced: readonly string[],
  scopes: readonly UnitFacts[],
): void {
  if (current.uid === 0) return;
  const ofSystem = replaced.find((name) => scopes.some((unit) => unit.name === name && unit.scope === "system"));
  const reason =
    user.uid === current.uid
      ? ofSystem === undefined
        ? undefined
        : `${ofSystem} of the system starts the same PM2, and only root may disable it`
      : `the unit of another user, ${user.name}, belongs to the system`;
  if (reason !== undefined)
    throw new SvcmError("BOOT_FAILED", {
      code: "BOOT_NEEDS_ROOT",
      details: `${reason[0]?.toUpperCase()}${reason.slice(1)}.`,
      hint: `Run it as root: sudo svcm boot enable --user ${user.name}`,
    });
}

/** @throws {SvcmError} BOOT_FAILED with SYSTEMD_ABSENT */
export function requireSystemd({ isBooted }: SystemFacts): void {
  if (isBooted) return;
  throw new SvcmError("BOOT_FAILED", {
    code: "SYSTEMD_ABSENT",
    details: "systemd does not run this machine, and svcm writes units of systemd only.",
    hint: "For another init system, PM2 prints the command: pm2 startup. In a container, start pm2-runtime.",
  });
}
