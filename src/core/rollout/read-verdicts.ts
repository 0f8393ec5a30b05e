import type { RolloutPorts } from "./ports.ts";
import type { EcosystemContent } from "../pm2/ecosystem-file.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { Digest } from "../running/env-file-digests.ts";
import { readEnvFileContents, type EnvFileContents } from "../running/read-env-files.ts";
import { readValues, type ValuesRequest } from "../running/read-values.ts";
import { verdictOfFiles, type ValuesVerdict } from "../running/values.ts";
import type { Verdicts } from "../running/verdict.ts";
import { type ExpectedApp, environmentsAt } from "./expected.ts";
import { readCode, type CodeLook } from "./read-code.ts";
import { type AppliedState, formerKeys } from "./release.ts";
import { ownMember } from "../words/record.ts";
import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import { visibleKeys } from "../env/runtime-keys.ts";
import { allEnvPaths, envLayerPaths, envServices } from "../project/env-layers.ts";
import type { HasFiles, HasStamps } from "../files/ports.ts";
import { startEnvFiles } from "../running/start-env-files.ts";
import { unnamedEnvFiles } from "../running/unnamed-env-files.ts";

export type VerdictContent = Pick<EcosystemContent, "loaded" | "contract" | "fileName" | "name">;

interface VerdictRequest {
  readonly content: VerdictContent;
  readonly expected: readonly ExpectedApp[];
  /** Every process of this PM2. */
  readonly running: readonly ProcessRecord[];
  readonly appliedApps: AppliedState["apps"];
  /** With the key of this PM2, because records of starts are compared with it. */
  readonly digest: Digest;
  readonly budgetMs: number;
}

export interface Looked {
  readonly code: CodeLook;
  readonly values: ReadonlyMap<number, ValuesVerdict>;
  readonly verdicts: Verdicts;
}

/** Looks at the code and the values of the declared apps, and of the processes that run them. */
export async function readVerdicts(
  ports: RolloutPorts,
  { content, expected, running, appliedApps, digest, budgetMs }: VerdictRequest,
): Promise<Looked> {
  const facts = await readAppValues(ports, content, expected, appliedApps);
  const pathsOf = ({ layers, envFiles, unnamed }: (typeof facts.apps)[number]): string[] => [
    ...layers,
    ...envFiles,
    ...unnamed,
  ];
  const paths = facts.apps.flatMap(pathsOf);
  const contents = await readEnvFileContents(ports, paths, digest);
  const filesOf = new Map(facts.apps.map((app) => [app.name, knownContents(pathsOf(app), contents)]));
  const others = [...facts.named, ...paths];
  const code = await readCode(ports, expected, running, { budgetMs, filesOf, others });
  const records = new Map(code.apps.flatMap((app) => [...app.records]));
  const recordOf = ({ pmId }: ProcessRecord) => records.get(pmId);
  const values = await readValues(ports, { ...facts, running, contents, recordOf });
  const ofFiles = new Map([...values].map(([pmId, verdict]) => [pmId, verdictOfFiles(verdict)]));
  return { code, values, verdicts: { code: code.verdicts, values: ofFiles } };
}

/** The system does not record when a file that does not exist was deleted, so it is not recorded. */
function knownContents(
  paths: readonly string[],
  contents: EnvFileContents,
): Record<string, Readonly<Record<string, string>>> {
  return Object.fromEntries(
    paths.flatMap((path) => {
      const content = contents.get(path);
      return content === null || content === undefined ? [] : [[path, content]];
    }),
  );
}

interface AppFacts extends Pick<ValuesRequest, "declaredIn" | "sources" | "apps" | "visibleKeys" | "listedKeys"> {
  /** Env files of every service and environment. */
  readonly named: readonly string[];
}

/** Returns what an ecosystem file and `svcm.yaml` say about the values of the apps. */
async function readAppValues(
  { facts, files, stamps, workspace }: HasFacts & HasFiles & HasStamps & HasWorkspace,
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
  const named = allEnvPaths(workspace, { project, contract });
  const findUnnamed = unnamedEnvFiles(stamps, { root: workspace.root, environment, named });
  return {
    named,
    declaredIn: fileName,
    sources: loaded?.files ?? [],
    visibleKeys: new Set(visibleKeys(contract)),
    listedKeys: new Set(Object.keys(contract.keys)),
    apps: await Promise.all(
      expected.map(async (app) => {
        const ofStart = await startEnvFiles({ files }, app.command);
        return {
          name: app.name,
          environments: app.environments,
          openKeys: app.openKeys,
          envFiles: app.envFiles,
          layers: [
            ...envServices(project, workspace.root, app).flatMap((service) =>
              envLayerPaths(workspace, { project, contract }, environment, service),
            ),
            ...ofStart,
          ],
          unnamed: findUnnamed({ cwd: app.cwd, envFiles: [...app.envFiles, ...ofStart] }),
          environmentsAt: (position) => environmentsAt(app, position),
          formerKeysOf: (process) => formerKeys(ownMember(appliedApps, app.name), process),
        };
      }),
    ),
  };
}
