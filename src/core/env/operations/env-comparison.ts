import { type HasFiles, FileError } from "../../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import type { RuntimeContract } from "../../api/facts.ts";
import type { EnvCheckResponse, EnvDiffResponse } from "../../api/bodies.ts";
import { checkEnvFiles } from "../check.ts";
import { defineOperation } from "../../access/operation.ts";
import {
  readEnvFile,
  readNamedEnvFile,
  effectiveValues,
  decodeEnv,
  envFileFailure,
  type EnvFile,
} from "../env-file.ts";
import { compareText, type Issue } from "../../api/issue.ts";
import { isPlainKey } from "../../secrets/redact.ts";
import { maskValue, specOf, tierOf } from "../runtime-keys.ts";
import { compareTemplate, renderTemplate } from "../template.ts";
import { SvcmError } from "../../api/errors.ts";
import { resolvePath, chooseService } from "../../project/resolve.ts";
import { baseName } from "../../words/text.ts";

/** Never returns secrets. */
export const envCheck = defineOperation({
  id: "env.check",
  access: "read",
  refusal: "INVALID_REQUEST",
  isForMachine: true,
  async run(ports: HasFacts & HasFiles & HasWorkspace, request): Promise<EnvCheckResponse> {
    const contract = await ports.facts.runtimeContract();
    const { file: named, ...place } = request;
    if (named !== undefined) return checkNamedFile(ports, contract, named, place.environment);
    const file = await readEnvFile(ports, contract, place);
    const issues = checkEnvFiles(contract, file.layers);
    return { environment: file.environment, fileName: file.fileName, issues };
  },
});

/** A file that no environment declares, such as a template. The keys do not depend on the environment. */
async function checkNamedFile(
  ports: HasFiles & HasWorkspace,
  contract: RuntimeContract,
  file: string,
  environment = contract.defaultEnvironment,
): Promise<EnvCheckResponse> {
  const { text, fileName } = await readNamedEnvFile(ports, file);
  return { environment, fileName, issues: checkEnvFiles(contract, [{ text, fileName }]) };
}

type DiffEntry = EnvDiffResponse["entries"][number];

type Values = ReadonlyMap<string, string>;

function diffEnv(contract: RuntimeContract, from: Values, to: Values): DiffEntry[] {
  const otherKeys = new Set([...from.keys(), ...to.keys()]);
  const contractKeys = Object.keys(contract.keys).filter((key) => otherKeys.delete(key));
  const keys = [...contractKeys, ...[...otherKeys].filter(isPlainKey).toSorted(compareText)];
  return keys.map((key): DiffEntry => {
    const [tier, before, after] = [tierOf(contract, key), from.get(key), to.get(key)];
    const mask = (value: string | undefined): string | undefined =>
      tier === "never-exposed" || value === undefined ? undefined : maskValue(specOf(contract, key), value);
    return { key, tier, state: compareValues(before, after), from: mask(before), to: mask(after) };
  });
}

function compareValues(from: string | undefined, to: string | undefined): DiffEntry["state"] {
  if (from === undefined) return "only-to";
  if (to === undefined) return "only-from";
  return from === to ? "same" : "different";
}

/** Compares secrets, but never returns them. */
export const envDiff = defineOperation({
  id: "env.diff",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: HasFacts & HasFiles & HasWorkspace, input): Promise<EnvDiffResponse> {
    const contract = await ports.facts.runtimeContract();
    const [from, to] = await Promise.all([
      readEnvFile(ports, contract, { environment: input.from, service: input.service }),
      readEnvFile(ports, contract, { environment: input.to, service: input.service }),
    ]);
    const entries = diffEnv(contract, effectiveValues(from.layers), effectiveValues(to.layers));
    return { from: from.environment, to: to.environment, entries };
  },
});

const TEMPLATE = ".env.example";

export interface EnvTemplateResponse {
  readonly environment: string;
  readonly fileName: string;
  readonly template: string;
  /** The keys of the env file without their values; absent for a comparison. */
  readonly text?: string;
  readonly issues?: readonly Issue[];
}

/** Creates a template from an env file, or compares the env file with its existing template. Returns no values. */
export const envTemplate = defineOperation({
  id: "env.template",
  access: "read",
  refusal: "INVALID_REQUEST",
  isForMachine: true,
  async run(ports: HasFacts & HasFiles & HasWorkspace, { check, ...request }): Promise<EnvTemplateResponse> {
    const contract = await ports.facts.runtimeContract();
    const file = await readEnvFile(ports, contract, request);
    const { environment, fileName, layers } = file;
    const path = await templatePath(ports, file, request.service);
    const response = { environment, fileName, template: baseName(path) };
    if (!check) return { ...response, text: renderTemplate(contract, layers) };
    const template = { fileName: baseName(path), text: await readTemplate(ports, path) };
    return { ...response, issues: compareTemplate({ template, layers, fileName }) };
  },
});

/** The template that `svcm.yaml` names, else `.env.example` next to the env file. */
async function templatePath(
  ports: HasFacts & HasWorkspace,
  file: EnvFile,
  service: string | undefined,
): Promise<string> {
  const declared = chooseService(await ports.facts.project(), service)?.service;
  if (declared?.template === undefined) return resolvePath(file.path, `../${TEMPLATE}`);
  return resolvePath(resolvePath(ports.workspace.root, declared.folder), declared.template);
}

/** @throws {SvcmError} ENV_FILE_FAILED */
async function readTemplate(ports: HasFiles, path: string): Promise<string> {
  try {
    return decodeEnv(await ports.files.read(path), path);
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== "ENOENT") throw envFileFailure(error, path);
    throw new SvcmError("ENV_FILE_FAILED", {
      code: "ENV_TEMPLATE_NOT_FOUND",
      path,
      details: `There is no template ${path}.`,
      hint: `Create one with: svcm env template > ${baseName(path)}`,
    });
  }
}
