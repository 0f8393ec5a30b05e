import type { HasHost } from "../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import type { HasEcosystems } from "./port-ecosystems.ts";
import { SvcmError } from "../api/errors.ts";

import type { EnvironmentRequest } from "../project/resolve.ts";
import { didYouMean } from "../words/suggest.ts";
import { declaredApps } from "./declared.ts";
import { readEcosystem } from "./ecosystem-file.ts";

type Variables = Readonly<Record<string, string>>;

/**
 * These variables override those of an env file. Without a name, the service's only app counts.
 * @throws {SvcmError} INVALID_REQUEST if no app has the name; also as {@link readEcosystem}
 */
export async function readAppEnvironment(
  ports: HasEcosystems & HasFacts & HasHost & HasWorkspace,
  request: EnvironmentRequest,
  name: string | undefined,
): Promise<Variables> {
  const { fileName, loaded } = await readEcosystem(ports, request);
  const apps = loaded === undefined ? [] : declaredApps(loaded, { cpuCores: ports.host.cpuCores() });
  if (name === undefined) return apps.length === 1 ? (apps[0]?.env ?? {}) : {};
  const found = apps.find((app) => app.name === name);
  if (found) return found.env;
  const names = apps.map((app) => app.name);
  const declared = loaded ? `${fileName} does not declare the app` : `There is no ${fileName} to declare the app`;
  throw new SvcmError("INVALID_REQUEST", {
    details: `${declared} ${JSON.stringify(name.slice(0, 80))}. Accepted: ${names.join(", ") || "no app"}.`,
    hint: didYouMean(name, names),
  });
}
