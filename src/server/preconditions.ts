/** A server that could not answer as it should does not start. */
import { doorHint, SvcmError, whyNoFolder, type Ports } from "../core/index.ts";

/** A repository with a `svcm.yaml` names its env files there. */
export async function requireConfigDirectory(ports: Ports): Promise<void> {
  const path = ports.workspace.configDir;
  if ((await ports.facts.project()) !== undefined || whyNoFolder(path) === undefined) return;
  const door = await doorHint(ports);
  throw new SvcmError("START_REFUSED", {
    details: `Service Management config directory not found: ${path}`,
    hint: door ?? "Create it, or set SVC_SERVICE_MANAGEMENT_CONFIG_DIR to the directory of the env files.",
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

/** A server that accepts no token of the repository would only look as if it ran. */
export function requireTokens({ tokens }: Ports): void {
  try {
    tokens.now();
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    throw new SvcmError("START_REFUSED", error.body);
  }
}
