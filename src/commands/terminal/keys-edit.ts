import type { KeysEditResponse } from "../../core/index.ts";
import type { SvcmCommand } from "../base.ts";
import { renderPlan } from "./changes.ts";

/** @param done the beginning of the success message, before the keys: `Confirmed in svcm.yaml` */
export function printKeysEdit(command: SvcmCommand, response: KeysEditResponse, done: string): KeysEditResponse {
  const { file, dryRun, changedKeys, changes } = response;
  if (changedKeys.length === 0) command.log(`No change in ${file}.`);
  else if (dryRun) command.print(() => renderPlan({ fileName: file, changes }));
  else command.log(`${done}: ${changedKeys.join(", ")}`);
  return response;
}
