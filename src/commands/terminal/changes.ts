import { locationText, visible, type EnvWriteResponse, type Issue } from "../../core/index.ts";
import { paint } from "./paint.ts";
import type { Screen } from "./screen.ts";

interface PlannedChange {
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** A planned write as a diff of lines. */
export async function renderPlan(
  {
    fileName,
    changes,
    warnings = [],
  }: { readonly fileName: string; readonly changes: readonly PlannedChange[]; readonly warnings?: readonly Issue[] },
  screen: Screen,
): Promise<string> {
  if (changes.length === 0) return `No change in ${fileName}.`;
  const { bold, cyan, green, red } = await paint(screen.colours);
  const hunks = changes.flatMap(({ line, before, after }) => [
    cyan(`@@ line ${line} @@`),
    ...before.map((text) => red(`-${text}`)),
    ...after.map((text) => green(`+${text}`)),
  ]);
  return [bold(`${fileName} (dry run, nothing is written)`), ...hunks, ...warningLines(warnings)].join("\n");
}

/** What a write changed, with the values that now hold. */
export function renderWrite({ fileName, changedKeys, values, warnings }: EnvWriteResponse): string {
  if (changedKeys.length === 0) return `No change in ${fileName}.`;
  const lines = changedKeys.map((key) => `  ${key}=${values[key] ?? ""}`);
  return [`Changed in ${fileName}:`, ...lines, ...warningLines(warnings)].join("\n");
}

function warningLines(warnings: readonly Issue[]): string[] {
  return warnings.map(({ at, message, code }) => {
    return `Warning: ${at ? `${locationText(at)} ` : ""}${visible(message)} (${code})`;
  });
}
