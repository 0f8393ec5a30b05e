import { SvcmError } from "../../api/errors.ts";
import { relativePath } from "../../words/path.ts";
import type { Declaration } from "../../pm2/declared.ts";
import type { EcosystemFile } from "../../pm2/view.ts";

export function folderMissing(who: string, folder: string, hint: string): SvcmError {
  return new SvcmError("PROCESS_ACTION_REFUSED", {
    code: "PROCESS_FOLDER_MISSING",
    details: `${who} runs in the folder ${folder}, which does not exist.`,
    hint,
  });
}

export function scriptMissing(who: string, script: string, hint: string): SvcmError {
  const details = script === "" ? `${who} has no script.` : `${who} has the script ${script}, which does not exist.`;
  return new SvcmError("PROCESS_ACTION_REFUSED", { code: "ECOSYSTEM_SCRIPT_MISSING", details, hint });
}

export function declarationRefusal(
  { name, missingFolder, missingScript, blocks: [block] }: Declaration,
  { path, root }: { readonly path: string; readonly root: string },
): SvcmError | undefined {
  const app = `The app ${JSON.stringify(name)}`;
  if (missingFolder !== undefined)
    return folderMissing(app, missingFolder, "Create the folder, or correct cwd in the ecosystem file.");
  if (missingScript !== undefined)
    return scriptMissing(
      app,
      missingScript,
      "Build the project if it is a build result, put its folder on PATH if it is a command, or correct script in the ecosystem file.",
    );
  if (block === undefined) return undefined;
  const environment = block.slice("env_".length);
  return new SvcmError("PROCESS_ACTION_REFUSED", {
    code: "ECOSYSTEM_ENV_BLOCK_UNUSED",
    path,
    details: `${app} has the block ${block}, which only "pm2 start --env ${environment}" applies: svcm does not read it.`,
    hint: `Move the variables of ${block} to env, or name the block in svcm.yaml: ecosystem: { ${environment}: { file: ${relativePath(root, path)}, env: ${environment} } }`,
  });
}

export function noEcosystem({ name, path }: EcosystemFile, others: readonly string[]): SvcmError {
  const present = others.length === 0 ? "" : ` These environments have one: ${others.join(", ")}.`;
  return new SvcmError("PROCESS_NOT_FOUND", {
    path,
    details: `The environment ${name} has no ecosystem file, so no app is declared.${present}`,
  });
}
