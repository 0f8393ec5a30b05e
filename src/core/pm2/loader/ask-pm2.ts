/** PM2's own validation up to the call to its daemon, without the parts that write, install or download. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { LoadedApp } from "../loaded.ts";
import { fieldNames, firstValue } from "../normalise.ts";
import { expectedType } from "../pm2-fields.ts";
import { errorMessage } from "../../words/thrown.ts";

type Conf = Record<string, unknown>;

interface Pm2Common {
  verifyConfs(apps: readonly object[]): Error | Conf[];
  resolveAppAttributes(options: { readonly cwd: string }, app: object): object;
  clone(app: object): Conf;
}

/** PM2 reports one fault at a time. */
const MAX_ROUNDS = 8;
/** PM2 would install packages for these. */
const INSTALLING = new Set(["trace", "deep_monitoring", "deepMonitoring"]);
/** PM2 creates the folders of these. */
const LOG_FIELDS = ["out_file", "error_file", "log_file", "pid_file"];
const CRON_FIELDS: readonly string[] = fieldNames.cron;
const USER_FIELDS = ["uid", "user", "gid"];
const INTERPRETER_FIELDS: readonly string[] = fieldNames.interpreter;

/** Why PM2 refuses the app, in its words. Faults of types that svcm knows have their own finding. */
export function askPm2({ fields, places }: LoadedApp, pm2: string): string[] {
  const common = createRequire(__filename)(join(pm2, "lib/Common.js")) as Pm2Common;
  const refusals: string[] = [];
  let rest: Conf = Object.fromEntries(Object.entries(fields).filter((entry) => !isKnown(...entry)));
  // Under its other names, PM2 does not look at a pattern before its daemon uses it.
  const pattern = firstValue(fields, fieldNames.cron);
  if (pattern !== undefined) rest = { ...omit(rest, CRON_FIELDS), cron_restart: pattern };
  if (!places.hasScript) rest = { ...rest, script: process.execPath };
  const missingNode = findMissingNode(firstValue(fields, fieldNames.interpreter));
  if (missingNode !== undefined) {
    refusals.push(missingNode);
    rest = omit(rest, INTERPRETER_FIELDS);
  }
  while (refusals.length < MAX_ROUNDS) {
    const reason = refusalOf(common, rest, places.hasScript);
    if (reason === undefined) break;
    refusals.push(reason);
    const guilty = guiltyFields(reason);
    const next = omit(rest, guilty);
    if (Object.keys(next).length === Object.keys(rest).length) break;
    rest = next;
  }
  return refusals;
}

/** It has its own finding. */
function isKnown(field: string, value: LoadedApp["fields"][string]): boolean {
  return INSTALLING.has(field) || expectedType(field, value) !== undefined;
}

function refusalOf(common: Pm2Common, app: Conf, hasScript: boolean): string | undefined {
  try {
    const verified = common.verifyConfs([common.clone(app)]);
    if (verified instanceof Error) return plainText(verified.message);
    const [conf = {}] = verified;
    // An own finding names the missing script.
    if (!hasScript || conf["script"] === "serve") return undefined;
    common.resolveAppAttributes({ cwd: process.cwd() }, omit(conf, LOG_FIELDS));
    return undefined;
  } catch (error) {
    return plainText(errorMessage(error));
  }
}

function guiltyFields(reason: string): readonly string[] {
  if (reason.startsWith("Cron pattern")) return CRON_FIELDS;
  if (/interpreter|TypeScript/i.test(reason)) return INTERPRETER_FIELDS;
  if (/^(?:User|Group) |\bUID\b|--uid/.test(reason)) return USER_FIELDS;
  return [...reason.matchAll(/"(\w+)"/g)].map(([, field = ""]) => field);
}

/** PM2 would download that version of Node.js. */
function findMissingNode(interpreter: unknown): string | undefined {
  const [, version] = /node@(.*)$/.exec(String(interpreter)) ?? [];
  if (version === undefined) return undefined;
  const { NVM_DIR: folder } = process.env;
  if (folder === undefined) return `Interpreter node@${version} needs nvm, and NVM_DIR is not set`;
  if (existsSync(join(folder, "versions/node", `v${version}`, "bin/node"))) return undefined;
  return `Interpreter node@${version} is not installed by nvm, so PM2 would download it at the start`;
}

function omit(app: Conf, fields: readonly string[]): Conf {
  return Object.fromEntries(Object.entries(app).filter(([field]) => !fields.includes(field)));
}

function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/^(?:\[PM2\]\S*\s+)+/, "")
    .trim();
}
