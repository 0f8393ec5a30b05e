import { visibleKeys } from "../../env/runtime-keys.ts";
import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports/index.ts";
import { declarationOf, type Declaration } from "../declaration.ts";
import { declaredApps } from "../declared.ts";
import { readEcosystem } from "../ecosystem-file.ts";
import { environmentsWithEcosystem } from "../../project/ecosystem-environments.ts";
import { expectedApps, type ExpectedApp } from "../../rollout/expected.ts";
import type { Left } from "../../rollout/release.ts";
import { leftNow } from "../../rollout/releases-now.ts";
import { notFound } from "./target.ts";
import type { ActionInput } from "./acting.ts";
import type { ActionSubject } from "./recorded.ts";
import { noEcosystem, declarationRefusal } from "./refusals.ts";

export interface AskedApps {
  readonly isEvery: boolean;
  readonly declarations: readonly Declaration[];
  readonly refused: readonly { readonly name: string; readonly error: SvcmError }[];
  readonly expected: readonly ExpectedApp[];
  readonly visibleKeys: ReadonlySet<string>;
  readonly withheld: readonly string[];
  readonly left: Left["apps"];
}

/** @throws {SvcmError} INVALID_REQUEST, PROCESS_NOT_FOUND, and the errors of reading the file */
export async function askedApps(ports: Ports, input: ActionInput, about: ActionSubject): Promise<AskedApps> {
  const { action, name, names = [], pmId, pmIds = [], namespace } = input;
  if (action === "stop" || action === "delete" || pmId !== undefined || pmIds.length > 0 || namespace !== undefined)
    throw new SvcmError("INVALID_REQUEST", {
      details: "With the scope ecosystem, apps are started, restarted or reloaded by their names alone.",
    });
  const file = await readEcosystem(ports, input);
  about.environment = file.name;
  const { loaded, contract, spellings } = file;
  if (loaded === undefined) throw noEcosystem(file, await environmentsWithEcosystem(ports));
  const machine = { cpuCores: ports.host.cpuCores(), pm2Home: ports.workspace.pm2Home };
  const all = [...new Set(declaredApps(loaded, machine).map((app) => app.name))].filter((one) => one !== "");
  const named = [...new Set([...(name === undefined ? [] : [name]), ...names])];
  const unknown = named.find((one) => !all.includes(one));
  if (unknown !== undefined) throw notFound(`app in ${file.fileName} is named`, unknown, all);
  const wanted = named.length === 0 ? all : named;
  const judged = wanted
    .map((one) => declarationOf(loaded, one, { machine, spellings }))
    .map((declared) => ({ declared, name: declared.name, error: declarationRefusal(declared, file.path) }));
  const digest = (value: string): string => ports.processes.digest(value);
  return {
    isEvery: named.length === 0,
    declarations: judged.flatMap(({ declared, error }) => (error === undefined ? [declared] : [])),
    refused: judged.flatMap((one) => (one.error === undefined ? [] : [{ name: one.name, error: one.error }])),
    expected: expectedApps(loaded, { machine, spellings, digest }).filter((app) => wanted.includes(app.name)),
    visibleKeys: new Set(visibleKeys(contract)),
    withheld: loaded.withheld,
    left: (await leftNow(ports)).apps,
  };
}
