/** Read, decide and replace under one lock, between audit records. */
import type { HasHost, HasFiles } from "../files/ports.ts";
import { editFile, type Attempt } from "../access/with-audit.ts";
import type { KnownEffect } from "./port-effects.ts";
import type { EnvWriteResponse } from "../api/bodies.ts";
import { SvcmError } from "../api/errors.ts";
import type { Issue } from "../api/issue.ts";
import type { RuntimeContract } from "../api/facts.ts";

import { tagMatcher } from "../words/http.ts";
import { UnwritableValue } from "./edit.ts";
import {
  decodeEnv,
  envFileFailure,
  effectiveValues,
  toReadResponse,
  requireEnvSize,
  type EnvFile,
  type EnvLayer,
} from "./env-file.ts";
import type { EnvPlan } from "./plan.ts";

export interface OtherLayers {
  readonly below: readonly EnvLayer[];
  readonly above?: readonly EnvLayer[];
}

/** The processes that it concerns are read afterwards. */
export type WrittenFile = Omit<EnvWriteResponse, keyof KnownEffect>;

export interface EnvWriteResult {
  readonly response: WrittenFile;
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** The file is known before its content is. */
export function noteFile(attempt: Attempt | undefined, { name, service }: EnvFile): void {
  attempt?.note({ environment: name, service });
}

export async function writeEnv(
  ports: HasFiles & HasHost,
  contract: RuntimeContract,
  { file, below, above = [] }: OtherLayers & { readonly file: EnvFile },
  makePlan: (text: string) => EnvPlan,
  attempt: Attempt,
  ifMatch?: string,
): Promise<EnvWriteResult> {
  const { path } = file;
  const matches = await tagMatcher(ports, ifMatch);
  const joinLayers = (current: Uint8Array): Uint8Array =>
    Buffer.concat([...below, { bytes: current }, ...above].map(({ bytes }) => bytes));
  const decode = (current: Uint8Array): string => {
    requireEnvSize(current, path);
    if (!matches(joinLayers(current))) throw changedFile();
    return decodeEnv(current, path);
  };
  const plan = (text: string): EnvPlan => {
    const planned = planOrRefuse(file, () => makePlan(text));
    attempt.note({ keys: planned.changedKeys });
    requireEnvSize(new TextEncoder().encode(planned.text), path);
    return planned;
  };
  try {
    const { planned, bytes, otherNames } = await editFile(ports, path, { decode, plan, attempt });
    const { text, changedKeys, ignoredKeys } = planned;
    const warnings = [...planned.warnings, ...linkedIssues(file, otherNames)];
    const current = toReadResponse(contract, file, effectiveValues([...below, { text }, ...above]));
    return { response: { ...current, changedKeys, ignoredKeys, warnings }, bytes: joinLayers(bytes), text };
  } catch (error) {
    throw envFileFailure(error, path);
  }
}

/** An atomic write puts a new file in the place of one name. */
function linkedIssues({ fileName }: EnvFile, otherNames: number): Issue[] {
  if (otherNames === 0) return [];
  const others =
    otherNames === 1 ? "another name (a hard link), which keeps" : `${otherNames} other names (hard links), which keep`;
  const message = `${fileName} had ${others} the former values`;
  return [{ code: "ENV_FILE_LINKED", severity: "warning", path: [], message }];
}

/** @throws {SvcmError} EDIT_REFUSED if the file cannot hold a value */
export function planOrRefuse(file: EnvFile, plan: () => EnvPlan): EnvPlan {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof UnwritableValue)) throw error;
    throw new SvcmError("EDIT_REFUSED", {
      code: "ENV_FILE_UNEDITABLE",
      path: file.path,
      details: `${error.message}.`,
      hint: `Correct the file by hand; svcm env check --environment ${file.name} names its faulty lines.`,
    });
  }
}

function changedFile(): SvcmError {
  return new SvcmError("ENV_FILE_CHANGED", {
    details: "The file has changed since it was read. Read it again, then repeat the change.",
  });
}
