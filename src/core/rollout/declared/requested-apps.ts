import type { ApplyPorts } from "../apply/ports.ts";
import { visibleKeys } from "../../env/runtime-keys.ts";
import { SvcmError } from "../../api/errors.ts";

import { findDeclaration, type Declaration, declaredApps } from "../../pm2/declared.ts";
import { readEcosystem } from "../../pm2/ecosystem-file.ts";
import { requireEnvironment } from "../../project/required-environment.ts";
import { environmentsWithEcosystem } from "../../pm2/ecosystem-environments.ts";
import { expectedApps, type ExpectedApp } from "../expected.ts";
import type { AppliedState } from "../release.ts";
import { readAppliedState } from "../read-releases.ts";
import { nameNotFound } from "../../pm2/target.ts";
import type { ActionInput } from "../control/action.ts";
import type { ActionSubject } from "../control/action-subject.ts";
import { noEcosystem, declarationRefusal } from "../control/refusals.ts";

export interface RequestedApps {
  readonly isAll: boolean;
  readonly declarations: readonly Declaration[];
  readonly refused: readonly { readonly name: string; readonly error: SvcmError }[];
  readonly expected: readonly ExpectedApp[];
  readonly visibleKeys: ReadonlySet<string>;
  readonly withheld: readonly string[];
  readonly appliedApps: AppliedState["apps"];
}

/** @throws {SvcmError} INVALID_REQUEST, PROCESS_NOT_FOUND, and the errors of reading the file */
export async function readRequestedApps(
  ports: ApplyPorts,
  input: ActionInput,
  subject: ActionSubject,
): Promise<RequestedApps> {
  const { action, name, names = [], pmId, pmIds = [], namespace } = input;
  if (action === "stop" || action === "delete" || pmId !== undefined || pmIds.length > 0 || namespace !== undefined)
    throw new SvcmError("INVALID_REQUEST", {
      details: "With the scope ecosystem, apps are started, restarted or reloaded by their names alone.",
    });
  requireEnvironment(await ports.facts.project(), input.environment, ports.workspace.nodeEnv);
  const file = await readEcosystem(ports, input);
  subject.environment = file.name;
  const { loaded, contract, spellings } = file;
  if (loaded === undefined) throw noEcosystem(file, await environmentsWithEcosystem(ports));
  const machine = { cpuCores: ports.host.cpuCores(), pm2Home: ports.workspace.pm2Home };
  const declaredNames = [...new Set(declaredApps(loaded, machine).map((app) => app.name))].filter((one) => one !== "");
  const requestedNames = [...new Set([...(name === undefined ? [] : [name]), ...names])];
  const unknown = requestedNames.find((one) => !declaredNames.includes(one));
  if (unknown !== undefined) throw nameNotFound(`app in ${file.fileName} is named`, unknown, declaredNames);
  const selected = requestedNames.length === 0 ? declaredNames : requestedNames;
  const checked = selected
    .map((one) => findDeclaration(loaded, one, { machine, spellings }))
    .map((declared) => ({ declared, name: declared.name, error: declarationRefusal(declared, file.path) }));
  const digest = (value: string): string => ports.processes.digest(value);
  return {
    isAll: requestedNames.length === 0,
    declarations: checked.flatMap(({ declared, error }) => (error === undefined ? [declared] : [])),
    refused: checked.flatMap((one) => (one.error === undefined ? [] : [{ name: one.name, error: one.error }])),
    expected: expectedApps(loaded, { machine, spellings, digest }).filter((app) => selected.includes(app.name)),
    visibleKeys: new Set(visibleKeys(contract)),
    withheld: loaded.withheld,
    appliedApps: (await readAppliedState(ports)).apps,
  };
}
