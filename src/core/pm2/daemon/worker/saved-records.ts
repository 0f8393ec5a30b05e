/** The records hold every environment value, so only their owner may read the files. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { SavedRun } from "../../port-processes.ts";
import { homeFailure, LinkFailure } from "../failure.ts";
import { dumpPath, replaceList, writeCopy, writePrivate } from "../saved-files.ts";
import { isModule } from "./connection.ts";
import type { Pm2Process } from "./pm2-api.ts";

/** @throws {LinkFailure} PM2_HOME_UNUSABLE */
export function writeRecords(path: string, records: readonly Pm2Process[]): void {
  const saved = records.map(({ pm_id, name, pm2_env }) => ({ pm_id, name, pm2_env }));
  withPath(path, () => writePrivate(path, "wx", JSON.stringify(saved)));
}

/** @throws {LinkFailure} RELEASE_DAMAGED, PM2_HOME_UNUSABLE */
export function readRecord({ recordsFile: path, envFileCopies }: SavedRun, pmId: number): Pm2Process {
  const records = withPath(path, () => JSON.parse(readFileSync(path, "utf8")) as Pm2Process[]);
  const found = records.find(({ pm_id }) => pm_id === pmId);
  if (found === undefined) throw new LinkFailure("RELEASE_DAMAGED", `${path} has no process with the number ${pmId}.`);
  return envFileCopies === undefined ? found : { ...found, pm2_env: withCopies(found.pm2_env, envFileCopies) };
}

/** Node.js resolves an env file from the working directory. */
function withCopies(record: Pm2Process["pm2_env"], copies: ReadonlyMap<string, string>): Pm2Process["pm2_env"] {
  const { node_args: options, pm_cwd: cwd } = record;
  if (!Array.isArray(options)) return record;
  const findCopy = (file: string): string => copies.get(resolve(String(cwd), file)) ?? file;
  const isValue = (index: number): boolean =>
    index > 0 && /^--env-file(?:-if-exists)?$/.test(String(options[index - 1]));
  const node_args = options.map((option: unknown, index) => {
    const [, name, file] = /^(--env-file(?:-if-exists)?)=(.*)$/s.exec(String(option)) ?? [];
    if (name !== undefined && file !== undefined) return `${name}=${findCopy(file)}`;
    return isValue(index) ? findCopy(String(option)) : option;
  });
  return { ...record, node_args };
}

/** As `pm2 save` does, without modules, with a copy for a boot at which PM2's own list is broken. @throws {LinkFailure} PM2_HOME_UNUSABLE */
export function writeDump(home: string, records: readonly Pm2Process[]): void {
  const apps = records
    .filter((one) => !isModule(one))
    .map(({ pm2_env }) => {
      const { instances: _count, pm_id: _id, prev_restart_delay: _delay, ...record } = pm2_env;
      return record;
    });
  withPath(dumpPath(home), () => {
    const text = JSON.stringify(apps);
    replaceList(home, text);
    writeCopy(home, { savedAtMs: Date.now(), text, draining: null });
  });
}

/** The state of one run, and fields that a restart cannot change. */
const RUN_FIELDS = new Set(
  `axm_actions axm_dynamic axm_monitor axm_options created_at exec_mode exit_code instances km_link node_version
   NODE_APP_INSTANCE pid pm_id pm_pid_path pm_uptime prev_restart_delay restart_time status unique_id unstable_restarts
   version versioning vizion_running watch`.split(/\s+/),
);

export function savedConf({ pm2_env: record }: Pm2Process, { pm2_env: current }: Pm2Process): object {
  const before = Object.entries(record).filter(([field]) => !RUN_FIELDS.has(field));
  const added = Object.keys(current).filter((field) => !RUN_FIELDS.has(field) && !Object.hasOwn(record, field));
  return Object.fromEntries([...added.map((field) => [field, "null"]), ...before]);
}

const RUN_FIELDS_OF_A_NEW_PROCESS = new Set(["exec_mode", "watch", "pm_pid_path", "NODE_APP_INSTANCE"]);

/** @param isResting PM2 only takes the record and its schedule, and starts nothing */
export function savedApp({ name, pm2_env }: Pm2Process, isResting = isAtRest(pm2_env)): object {
  const record = Object.entries(pm2_env).filter(
    ([field]) => !RUN_FIELDS.has(field) || RUN_FIELDS_OF_A_NEW_PROCESS.has(field),
  );
  return { ...Object.fromEntries(record), name, ...(isResting ? restingFields(pm2_env) : {}) };
}

/** A job counts as one that did not run, because only its schedule may start it. */
function isAtRest({ status, autorestart, cron_restart: schedule }: Pm2Process["pm2_env"]): boolean {
  const isJob = (autorestart === false || autorestart === "false") && typeof schedule === "string";
  return isJob || status === "stopped" || status === "errored";
}

/** With this status, PM2 takes the record as it is and starts nothing. */
function restingFields(record: Pm2Process["pm2_env"]): object {
  const kept = ["pm_uptime", "exit_code", "created_at", "restart_time", "unstable_restarts"];
  const last = kept.flatMap((field) => (field in record ? [[field, record[field]]] : []));
  return { restart_time: 0, unstable_restarts: 0, ...Object.fromEntries(last), status: "stopped" };
}

function withPath<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw homeFailure(`${path} cannot be used`, error);
  }
}

/** A job belongs to its schedule and a task to a user, also if the list was saved while they ran. */
export function isStoppedOrFinite({ pm2_env: { status, autorestart } }: Pm2Process): boolean {
  return status === "stopped" || autorestart === false || autorestart === "false";
}
