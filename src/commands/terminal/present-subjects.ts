import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Subject } from "./command-set.ts";

/** Help must not fail, so a file that cannot be read counts as absent. */
export function presentSubjects(root: string | undefined): Set<Subject> {
  if (root === undefined) return new Set();
  const subjects: [Subject, boolean][] = [
    ["deployments.yaml", existsSync(join(root, "deployments.yaml"))],
    ["nats: in svcm.yaml", /^nats:/m.test(readText(join(root, "svcm.yaml")))],
  ];
  return new Set(subjects.flatMap(([subject, isPresent]) => (isPresent ? [subject] : [])));
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
