import { SvcmError } from "../api/errors.ts";
import type { Project } from "./project.ts";

/**
 * Several environments and no `default`: nothing says which one this machine is, and an apply of another one would, for
 * example, turn production into development. So what changes processes needs a name.
 * @throws {SvcmError} INVALID_ENVIRONMENT with the code ENVIRONMENT_REQUIRED
 */
export function requireEnvironment(
  project: Project | undefined,
  requested: string | undefined,
  nodeEnv: string | undefined,
): void {
  if (project === undefined || project.hasDefault || requested !== undefined || nodeEnv?.trim()) return;
  const started = new Set(Object.values(project.services).flatMap(({ ecosystem }) => Object.keys(ecosystem)));
  if (started.size < 2) return;
  throw new SvcmError("INVALID_ENVIRONMENT", {
    code: "ENVIRONMENT_REQUIRED",
    details: `svcm.yaml declares no default environment, and several start apps. Accepted: ${[...started].join(", ")}.`,
    hint: `Name the one of this machine with -e, or once for all: svcm init --machine-environment NAME`,
  });
}
