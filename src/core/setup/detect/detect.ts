import { isPm2Name } from "../../pm2/pm2-names.ts";
import { compareText } from "../../api/issue.ts";
import { classify, type Verdict } from "./classify.ts";
import { parseAssignments, detectEnvFiles, type DetectedEnvFile } from "./env-files.ts";
import type { DetectionNote, Pm2File, RunningApp } from "./pm2-file.ts";
import { detectPm2Files } from "./pm2-files.ts";
import type { UndecidedFile } from "../../project/project.ts";
import { baseName } from "../../words/path.ts";
import { folderOf, type Survey } from "./survey.ts";

/** No file was run, and no value is included. */
export interface Detection {
  readonly looked: number;
  readonly isCut: boolean;
  readonly frameworks: readonly string[];
  readonly pm2: readonly Pm2File[];
  /** Left out of the proposal until a user decides. */
  readonly undecided: readonly UndecidedFile[];
  readonly env: readonly DetectedEnvFile[];
  readonly keys: readonly DetectedKey[];
  readonly notUnderstood: readonly DetectionNote[];
}

export interface DetectedKey extends Verdict {
  readonly key: string;
  readonly isOnlyRead: boolean;
}

const FRAMEWORKS: Readonly<Record<string, string>> = {
  "@nestjs/core": "NestJS",
  next: "Next.js",
  nuxt: "Nuxt",
  express: "Express",
  fastify: "Fastify",
  koa: "Koa",
  "discord.js": "discord.js",
};

const KEY = /^[A-Za-z_][\w.-]{0,199}$/;
/** The system or PM2 sets these for every process. */
const SYSTEM_VARIABLE =
  /^(?:PATH|HOME|USER|LOGNAME|PWD|SHELL|EDITOR|VISUAL|LANG|LC_\w+|TERM|TMPDIR|HOSTNAME|XDG_\w+|(?:LOCAL)?APPDATA|PROGRAMFILES|USERPROFILE|pm_\w+|PM2_\w+|NODE_APP_INSTANCE|npm_\w+|INIT_CWD|CI|DOTENV_PUBLIC_KEY\w*)$/;
/** A value that a PM2 file sets for its app, such as the address to listen on, belongs to the app. */
const DECLARABLE = /^(?:HOSTNAME|LANG|LC_\w+|TERM|TMPDIR|EDITOR|SHELL)$/;
/** svcm's own settings are not keys of the backend. */
const OWN_VARIABLE = /^SVC_SERVICE_MANAGEMENT_\w+$/;

export function detect(survey: Survey, running: readonly RunningApp[] = []): Detection {
  const packages = [...survey.files.keys()].filter((path) => baseName(path) === "package.json").map(folderOf);
  const { pm2, undecided, notUnderstood } = detectPm2Files(survey, packages, running);
  const known = new Set(pm2.flatMap(({ environments }) => Object.keys(environments)));
  const { env, notes } = detectEnvFiles(survey, packages, known);
  return {
    looked: survey.files.size,
    isCut: survey.isCut,
    frameworks: detectFrameworks(survey),
    pm2,
    undecided,
    env: env.toSorted((a, b) => compareText(a.path, b.path)),
    keys: detectKeys(survey, env),
    notUnderstood: [...notUnderstood, ...notes, ...[...(survey.outside ?? [])].map(outsideNote)],
  };
}

function outsideNote([path, target]: readonly [string, string]): DetectionNote {
  const what = `it leads to ${target}, outside of the repository. To use it, name it below env, and ${folderOf(target)} in folders`;
  return { path, line: 1, what };
}

function detectKeys({ files }: Survey, env: readonly DetectedEnvFile[]): DetectedKey[] {
  const valuesByKey = new Map<string, string[]>();
  const addValue = (key: string, value: string, isDeclared = false): void => {
    if (
      !KEY.test(key) ||
      OWN_VARIABLE.test(key) ||
      (SYSTEM_VARIABLE.test(key) && !(isDeclared && DECLARABLE.test(key)))
    )
      return;
    valuesByKey.set(key, [...(valuesByKey.get(key) ?? []), value]);
  };
  const assigned = env.flatMap(({ path, isEncrypted }) =>
    parseAssignments(files.get(path) ?? "").map(([key, value]) => [key, isEncrypted ? "" : value] as const),
  );
  for (const [key, value] of assigned) addValue(key, value);
  for (const [path, text = ""] of files) {
    if (isPm2Name(baseName(path))) for (const [key, value] of ecosystemVariables(text)) addValue(key, value, true);
  }
  const readByCode = new Set(
    [...files].flatMap(([path, text = ""]) => (/\.[cm]?[jt]sx?$/.test(path) ? readKeys(text) : [])),
  );
  for (const key of readByCode) if (!valuesByKey.has(key)) addValue(key, "");
  const assignedKeys = new Set(assigned.map(([key]) => key));
  return [...valuesByKey]
    .map(([key, values]) => ({
      key,
      ...classify(key, values),
      isOnlyRead: readByCode.has(key) && !assignedKeys.has(key) && values.every((value) => value === ""),
    }))
    .toSorted((a, b) => Number(a.isOnlyRead) - Number(b.isOnlyRead));
}

/** `process.env.X`, `process.env["X"]` and `const { X } = process.env`. */
function readKeys(text: string): string[] {
  const members = [...text.matchAll(/\bprocess\.env(?:\.([A-Za-z_]\w*)|\[["'`]([A-Za-z_][\w.-]*)["'`]\])/g)].map(
    ([, a, b]) => a ?? b ?? "",
  );
  const destructured = [...text.matchAll(/\{([^{}]{1,2000})\}\s*=\s*process\.env\b/g)].flatMap(([, list = ""]) =>
    list.split(",").map((part) => part.trim().split(/[\s:=]/)[0] ?? ""),
  );
  return [...members, ...destructured].filter((key) => KEY.test(key));
}

function ecosystemVariables(text: string): (readonly [string, string])[] {
  const own = [...text.matchAll(/\benv(?:_\w+)?["']?\s*:\s*\{([^{}]*)\}/g)].map(([, block = ""]) => block);
  const spread = [...own.join("\n").matchAll(/\.\.\.([A-Za-z_$][\w$]*)/g)].map(([, name = ""]) => name);
  const shared = [...new Set(spread)].flatMap((name) =>
    [...text.matchAll(new RegExp(String.raw`\b${name.replaceAll("$", String.raw`\$`)}\s*=\s*\{([^{}]*)\}`, "g"))].map(
      ([, block = ""]) => block,
    ),
  );
  const blocks = [...own, ...shared];
  const yaml = [...text.matchAll(/^(\s*)env(?:_\w+)?[ \t]*:\s*\n((?:\1\s+[A-Za-z_][\w.-]*[ \t]*:.*\n?)+)/gm)].map(
    ([, , block = ""]) => block,
  );
  return [...blocks, ...yaml].flatMap((block) =>
    [
      ...block.matchAll(
        /(?:^|[,\n{])\s*["']?([A-Za-z_][\w.-]*)["']?\s*:\s*(?:"([^"\n]*)"|'([^'\n]*)'|([\d.]+|true|false))?/g,
      ),
    ].map(([, key = "", a, b, c]) => [key, a ?? b ?? c ?? ""] as const),
  );
}

function detectFrameworks({ files }: Survey): string[] {
  const manifests = [...files].flatMap(([path, text]) =>
    baseName(path) === "package.json" && text !== undefined ? [text] : [],
  );
  const found = Object.entries(FRAMEWORKS).filter(([name]) => manifests.some((text) => text.includes(`"${name}":`)));
  return found.map(([, label]) => label);
}
