import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import type { HasEcosystems } from "./port-ecosystems.ts";
import { ecosystemFileNames } from "./file-name.ts";

import { ecosystemSpellings } from "../project/resolve.ts";

export async function environmentsWithEcosystem({
  ecosystems,
  facts,
  workspace,
}: HasEcosystems & HasFacts & HasWorkspace): Promise<string[]> {
  const project = await facts.project();
  const listed = await ecosystems.list(workspace.pm2Dir).catch((): string[] => []);
  const names = ecosystemSpellings(await facts.runtimeContract(), await facts.capabilityMatrix()).values();
  return [...new Set(names)].filter((name) =>
    project === undefined
      ? ecosystemFileNames(name).some((file) => listed.includes(file))
      : Object.values(project.services).some(({ ecosystem }) => Object.hasOwn(ecosystem, name)),
  );
}
