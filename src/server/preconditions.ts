/** A server that cannot work as it should refuses to start. */
import { layoutHint, SvcmError, folderProblem, type Ports } from "../core/index.ts";

/** A `svcm.yaml` names the env files itself. */
export async function requireConfigDirectory(ports: Ports): Promise<void> {
  const path = ports.workspace.configDir;
  if ((await ports.facts.project()) !== undefined || folderProblem(path) === undefined) return;
  const hint = await layoutHint(ports);
  throw new SvcmError("START_REFUSED", {
    details: `Service Management config directory not found: ${path}`,
    hint: hint ?? "Create it, or set SVC_SERVICE_MANAGEMENT_CONFIG_DIR to the directory of the env files.",
  });
}

export async function requireFacts(ports: Ports): Promise<void> {
  try {
    await ports.facts.runtimeContract();
    await ports.facts.capabilityMatrix();
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    const { hint: _hint, source: _source, ...body } = error.body;
    throw new SvcmError("START_REFUSED", body);
  }
}

/** Without the repository's tokens, the server would start but refuse every token. */
export function requireTokens({ tokens }: Ports): void {
  try {
    tokens.current();
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    throw new SvcmError("START_REFUSED", error.body);
  }
}
