import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import { FileError, type HasFiles } from "../../files/ports.ts";
import type { Issue } from "../../api/issue.ts";
import { decodeEnv, envFileFailure, readEnvFile, type EnvFile } from "../env-file.ts";
import { compareTemplate, renderTemplate } from "../template.ts";
import { SvcmError } from "../../api/errors.ts";
import { defineOperation } from "../../access/operation.ts";

import { resolvePath, chooseService } from "../../project/resolve.ts";
import { baseName } from "../../words/path.ts";

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
