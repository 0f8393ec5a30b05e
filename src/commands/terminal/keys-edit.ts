import type { KeysEditResponse } from "../../core/index.ts";
import type { SvcmCommand } from "../base.ts";
import { renderDryRun } from "./changes.ts";

/** @param successText the beginning of the success message, before the keys: `Confirmed in svcm.yaml` */
export function printKeysEdit(command: SvcmCommand, response: KeysEditResponse, successText: string): KeysEditResponse {
  const { file, dryRun, changedKeys, changes } = response;
  if (changedKeys.length === 0) command.log(`No change in ${file}.`);
  else if (dryRun) command.print(() => renderDryRun({ fileName: file, changes }));
  else command.log(`${successText}: ${changedKeys.join(", ")}`);
  return response;
}
