import type { RuntimeContract } from "../../facts/schema.ts";
import { editYaml } from "../../yaml/splice/edit-yaml.ts";
import { PROJECT_FILE } from "../project.ts";
import { parseYaml } from "../../yaml/parse.ts";
import type { DetectedKey } from "./detect.ts";
import { keyEntry } from "./svcm-yaml.ts";

/** The keys that a `svcm.yaml` does not have yet. */
export function newKeys(held: RuntimeContract["keys"], detected: readonly DetectedKey[]): DetectedKey[] {
  return detected.filter(({ key }) => !Object.hasOwn(held, key));
}

/** The text with new keys behind the present ones; every other byte stays. */
export function withKeys(text: string, added: readonly DetectedKey[]): string {
  const { value } = parseYaml(text, PROJECT_FILE);
  const changes = added.map((key) => ({ kind: "set" as const, path: ["keys", key.key], value: keyEntry(key) }));
  return editYaml({ text, value, isJson: false }, changes).text;
}
