/** The places of a repository that hold commands: scripts, workflows, Makefiles, containers, a PM2 file's own `deploy`. */
import { isPm2Name } from "../../pm2/pm2-names.ts";
import { baseName } from "../../words/text.ts";
import { isRecord, parseRecord } from "../../words/record.ts";
import { environmentInName, environmentOf } from "../../words/environment-names.ts";
import { joinCommands } from "./container-lines.ts";
import { folderOf, mayCallPm2 } from "./survey.ts";

export interface Command {
  readonly text: string;
  readonly cwd: string | undefined;
  /** The environment that the caller is for, such as the workflow `staging.yml` or the script `start:prod`. */
  readonly context: string | undefined;
  /** A text that asks a user to run it, such as `echo "Start it with: pm2 start …"`. */
  readonly isTold?: boolean;
}

export type CallerKind = "deploy" | "script" | "container" | "readme";

export function commandsIn(path: string, text: string): Command[] {
  const name = baseName(path);
  if (/disabled/i.test(path)) return [];
  if (name === "package.json") return scriptsIn(path, text);
  if (name === "project.json") return targetsIn(text);
  if (isPm2Name(name)) return deployCommands(text);
  return mayCallPm2(path) ? linesWithPm2(path, text) : [];
}

export function kindOf(path: string): CallerKind {
  const name = baseName(path);
  if (/^readme/i.test(name)) return "readme";
  if (/^(?:Dockerfile|Containerfile|(?:docker-)?compose)/i.test(name)) return "container";
  return /^(?:package|project)\.json$/.test(name) || /^Procfile/i.test(name) ? "script" : "deploy";
}

function scriptsIn(path: string, text: string): Command[] {
  try {
    const manifest: unknown = JSON.parse(text);
    const scripts = isRecord(manifest) && isRecord(manifest["scripts"]) ? manifest["scripts"] : {};
    return Object.entries(scripts).flatMap(([name, command]) =>
      typeof command === "string"
        ? [{ text: command, cwd: folderOf(path), context: environmentInName(name.replaceAll(/([A-Z])/g, "-$1")) }]
        : [],
    );
  } catch {
    return [];
  }
}

/** Of Nx, which runs them in the root unless they name a folder. */
function targetsIn(text: string): Command[] {
  const { targets } = parseRecord(text) ?? {};
  return Object.entries(isRecord(targets) ? targets : {}).flatMap(([name, target]) => {
    const { command: short, options } = isRecord(target) ? target : {};
    const { command, commands, cwd } = isRecord(options) ? options : {};
    const texts = [short, command, ...(Array.isArray(commands) ? commands : [])].filter(
      (one) => typeof one === "string",
    );
    const context = environmentInName(name);
    return texts.map((one) => ({ text: one, cwd: typeof cwd === "string" ? cwd : undefined, context }));
  });
}

/** PM2 runs these on the server, in the folder of the checkout. */
function deployCommands(text: string): Command[] {
  const start = text.search(/\bdeploy["']?\s*:/);
  if (start === -1) return [];
  const part = text.slice(start);
  return [...part.matchAll(/["']?(?:pre|post)-(?:deploy|setup|deploy-local)["']?\s*:\s*(["'`])([\s\S]*?)\1/g)].map(
    ({ 2: command = "", index }) => {
      const [, , target = ""] = [...part.slice(0, index).matchAll(/(["']?)([\w-]+)\1\s*:\s*\{/g)].at(-1) ?? [];
      return { text: command, cwd: undefined, context: environmentOf(target) };
    },
  );
}

const CONTEXT_LINES = 25;

function linesWithPm2(path: string, text: string): Command[] {
  const lines = joinCommands(text.replaceAll(/\\\r?\n\s*/g, " ").split(/\r?\n/));
  // `ci-cd.yml` and `e2e.sh` say what they do, not for which environment.
  const names = [baseName(path).replace(/\.(?:ya?ml|sh|bash)$/i, ""), baseName(folderOf(path))];
  const named = names.map(environmentOfTarget).find((one) => one !== undefined);
  return lines.flatMap((line, row) => {
    if (!/\bpm2\b/.test(line) || /^\s*(?:#|\/\/)/.test(line)) return [];
    const before = lines.slice(Math.max(0, row - CONTEXT_LINES), row);
    const isMakefile = /^makefile/i.test(baseName(path));
    const context =
      named ??
      declaredEnvironment(before) ??
      (isMakefile ? makeTarget(before) : undefined) ??
      (path.startsWith(".github/") ? jobEnvironment(lines.slice(0, row)) : undefined);
    return [{ text: line, cwd: folderBefore(before), context, isTold: isTold(line) }];
  });
}

function environmentOfTarget(name: string): string | undefined {
  const environment = environmentInName(name);
  return environment === "ci" || environment === "e2e" ? undefined : environment;
}

/** A script that prints a command does not run it, unless the output goes to a file or a program. */
function isTold(line: string): boolean {
  return (
    /^\s*@?(?:\w*_)?(?:echo|printf|print|log|info|warn|warning|note|say|success|error)\w*\s/i.test(line) &&
    !/["'`]\s*(?:>|\|)\s*\S/.test(line)
  );
}

/** @param lines before the call, in the same step of a workflow or outside of one */
function folderBefore(lines: readonly string[]): string | undefined {
  const step = lines.slice(lines.findLastIndex((one) => /^\s*-\s+(?:name|uses|run)\s*:/.test(one)) + 1);
  const cd = step.findLast((one) => /^\s*(?:cd|working-directory\s*:|WORKDIR)\s/.test(one) || /\bcd\s+\S/.test(one));
  return /(?:\bcd|working-directory\s*:|WORKDIR)\s+["']?([^\s"';&|]+)/.exec(cd ?? "")?.[1];
}

function declaredEnvironment(lines: readonly string[]): string | undefined {
  const declared = lines.findLast((one) => /^\s*environment\s*:/.test(one)) ?? "";
  return environmentInName(/^\s*environment\s*:\s*(?:\{\s*name:)?\s*(.*)$/.exec(declared)?.[1] ?? "");
}

function makeTarget(lines: readonly string[]): string | undefined {
  const target = lines.findLast((one) => /^[\w.-]+\s*:(?!=)/.test(one)) ?? "";
  return environmentInName(target.split(":")[0] ?? "");
}

/** The job `deploy_development` of a workflow. */
function jobEnvironment(lines: readonly string[]): string | undefined {
  const job =
    lines.findLast(
      (one) =>
        /^(?: {2}| {4})[\w-]+\s*:\s*$/.test(one) &&
        !/^ {4}(?:steps|env|with|needs|defaults|strategy|outputs|permissions)\b/.test(one),
    ) ?? "";
  return environmentOfTarget(job.trim().replace(":", ""));
}
