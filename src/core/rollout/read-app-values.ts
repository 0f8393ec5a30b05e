import { ownMember } from "../words/record.ts";
import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import { visibleKeys } from "../env/runtime-keys.ts";
import type { EcosystemContent } from "../pm2/ecosystem-file.ts";
import { normaliseApp } from "../pm2/normalise.ts";

import { envLayerPaths } from "../project/env-layers.ts";
import type { ValuesRequest } from "../running/read-values.ts";
import { environmentsAt, type ExpectedApp } from "./expected.ts";
import { formerKeys, type AppliedState } from "./release.ts";

type AppFacts = Pick<ValuesRequest, "declaredIn" | "sources" | "apps" | "visibleKeys" | "listedKeys">;

/** Returns what an ecosystem file and `svcm.yaml` say about the values of the apps. */
export async function readAppValues(
  { facts, workspace }: HasFacts & HasWorkspace,
  {
    loaded,
    contract,
    fileName,
    name: environment,
  }: Pick<EcosystemContent, "loaded" | "contract" | "fileName" | "name">,
  expected: readonly ExpectedApp[],
  appliedApps: AppliedState["apps"],
): Promise<AppFacts> {
  const project = await facts.project();
  const serviceOf = new Map(
    (loaded?.apps ?? []).map(({ fields, start }) => [normaliseApp(fields).name, start?.service]),
  );
  return {
    declaredIn: fileName,
    sources: loaded?.files ?? [],
    visibleKeys: new Set(visibleKeys(contract)),
    listedKeys: new Set(Object.keys(contract.keys)),
    apps: expected.map((app) => ({
      name: app.name,
      environments: app.environments,
      openKeys: app.openKeys,
      envFiles: app.envFiles,
      layers: envLayerPaths(workspace, { project, contract }, environment, serviceOf.get(app.name) ?? ""),
      environmentsAt: (position) => environmentsAt(app, position),
      formerKeysOf: (process) => formerKeys(ownMember(appliedApps, app.name), process),
    })),
  };
}
