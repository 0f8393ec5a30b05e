import { ecosystemFileNames } from "../pm2/file-name.ts";
import type { Ports } from "../ports/index.ts";
import { ecosystemSpellings } from "./resolve.ts";

export async function environmentsWithEcosystem({ ecosystems, facts, workspace }: Ports): Promise<string[]> {
  const project = await facts.project();
  const listed = await ecosystems.list(workspace.pm2Dir).catch((): string[] => []);
  const names = ecosystemSpellings(await facts.runtimeContract(), await facts.capabilityMatrix()).values();
  return [...new Set(names)].filter((name) =>
    project === undefined
      ? ecosystemFileNames(name).some((file) => listed.includes(file))
      : Object.values(project.services).some(({ ecosystem }) => Object.hasOwn(ecosystem, name)),
  );
}
