import type { RuntimeContract } from "../../facts/schema.ts";
import { parseYaml } from "../../yaml/parse.ts";
import { renderScalar } from "../../yaml/write.ts";
import { editYaml } from "../../yaml/splice/edit-yaml.ts";
import { PROJECT_FILE } from "../project.ts";
import type { DetectedKey } from "./detect.ts";
import { keyEntry } from "./svcm-yaml.ts";

export function newKeys(held: RuntimeContract["keys"], detected: readonly DetectedKey[]): DetectedKey[] {
  return detected.filter(({ key }) => !Object.hasOwn(held, key));
}

/** Every other byte stays. @param date for example `2026-11-22` */
export function withKeys(text: string, [first, ...others]: readonly DetectedKey[], date: string): string {
  if (first === undefined) return text;
  const { value } = parseYaml(text, PROJECT_FILE);
  const changes = [first, ...others].map((key) => ({
    kind: "set" as const,
    path: ["keys", key.key],
    value: keyEntry(key),
  }));
  const edited = editYaml({ text, value, isJson: false }, changes).text;
  const head = `${renderScalar(first.key)}:`;
  const lines = edited.split("\n");
  const row = lines.findIndex((line, index) => line.trimStart().startsWith(head) && line !== text.split("\n")[index]);
  const indent = /^\s+/.exec(lines[row] ?? "")?.[0];
  return indent === undefined ? edited : lines.toSpliced(row, 0, `${indent}# added by svcm init on ${date}`).join("\n");
}
