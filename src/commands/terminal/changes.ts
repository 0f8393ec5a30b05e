import {
  locationText,
  type EnvUnsetResponse,
  type EnvWriteResponse,
  type Issue,
  type KeysEditResponse,
} from "../../core/index.ts";
import type { LineChange } from "../../core/words/line-change.ts";
import type { SvcmCommand } from "../base.ts";
import { paint } from "./screen.ts";

export function renderDryRun({
  fileName,
  changes,
  warnings = [],
}: {
  readonly fileName: string;
  readonly changes: readonly LineChange[];
  readonly warnings?: readonly Issue[];
}): string {
  if (changes.length === 0) return `No change in ${fileName}.`;
  const hunks = changes.flatMap(({ line, before, after }) => [
    paint.cyan(`@@ line ${line} @@`),
    ...before.map((text) => paint.red(`-${text}`)),
    ...after.map((text) => paint.green(`+${text}`)),
  ]);
  return [paint.bold(`${fileName} (dry run, nothing is written)`), ...hunks, ...warningLines(warnings)].join("\n");
}

export function renderWrite({ fileName, changedKeys, values, warnings }: EnvWriteResponse): string {
  if (changedKeys.length === 0) return `No change in ${fileName}.`;
  const lines = changedKeys.map((key) => `  ${key}=${values[key] ?? ""}`);
  return [`Changed in ${fileName}:`, ...lines, ...warningLines(warnings)].join("\n");
}

export function renderRemoval(response: EnvWriteResponse & Pick<EnvUnsetResponse, "effective">): string {
  const { fileName, changedKeys, effective, warnings } = response;
  const head =
    changedKeys.length === 0 ? `No change in ${fileName}.` : `Removed from ${fileName}: ${changedKeys.join(", ")}`;
  return [head, ...effective.map(effectiveLine), ...warningLines(warnings)].join("\n");
}

function effectiveLine({ key, value, from, fileName = "" }: EnvUnsetResponse["effective"][number]): string {
  if (from === "nowhere") return `  ${key} is not set.`;
  return `  ${key} is ${value === "" ? "empty" : value}, ${from === "file" ? `from ${fileName}` : "the default"}.`;
}

function warningLines(warnings: readonly Issue[]): string[] {
  return warnings.map(({ at, message, code }) => {
    return `${paint.yellow("Warning:")} ${at ? `${locationText(at)} ` : ""}${message} (${code})`;
  });
}

/** @param successText the beginning of the success message, before the file and the keys: `Confirmed` */
export function printKeysEdit(
  command: SvcmCommand,
  response: KeysEditResponse,
  successText: string,
  next?: string,
): KeysEditResponse {
  const { file, dryRun, changedKeys, changes } = response;
  if (changedKeys.length === 0) command.log(`No change in ${file}.`);
  else if (dryRun) command.print(() => renderDryRun({ fileName: file, changes }));
  else
    command.log(
      [`${successText} in ${file}: ${changedKeys.join(", ")}`, ...(next ? [`Next: ${next}`] : [])].join("\n"),
    );
  return response;
}
