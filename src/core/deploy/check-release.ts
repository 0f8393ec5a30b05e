import { ownMember } from "../words/record.ts";
import { SvcmError } from "../api/errors.ts";
import type { Issue } from "../api/issue.ts";
import { vocabularyOf } from "../deployments/file.ts";
import { checkEnvFiles } from "../env/check.ts";
import { readEnvFile } from "../env/env-file.ts";
import { readChecked } from "../pm2/checked-ecosystem.ts";
import type { LoadedEcosystem } from "../pm2/loaded.ts";
import { keySource } from "../project/facts/own-contract.ts";
import { chooseServices, resolvePath } from "../project/resolve.ts";
import { shellQuote } from "../words/text.ts";
import { note, requestOf, type DeployContext } from "./deploy-context.ts";
import { foreignVariables, requireInside } from "./map-paths.ts";
import type { ReleaseWorld } from "./port-deploys.ts";
import { servicesOf } from "./record.ts";

/** As `svcm env check` and `svcm ecosystem check` in the release. @throws {SvcmError} DEPLOY_FAILED */
export async function checkRelease(context: DeployContext, world: ReleaseWorld): Promise<LoadedEcosystem> {
  const request = requestOf(context);
  await checkEnv(context, world);
  const { file, issues } = await readChecked(world, await vocabularyOf(world), request).catch(
    async (error: unknown) => {
      throw await notInRelease(context, world, error);
    },
  );
  const { loaded, fileName, path } = file;
  if (loaded === undefined)
    throw new SvcmError("DEPLOY_FAILED", {
      code: "DEPLOY_CHECK_FAILED",
      path,
      details: `The release has no ecosystem file for ${context.environment}: ${fileName} is not in it.`,
      hint:
        (await world.facts.project()) === undefined
          ? "svcm init looks for the file under any name, and writes svcm.yaml. Commit and push both."
          : "Commit and push the file, or name another environment with --environment.",
    });
  requireInside(loaded, { programFolders: world.programFolders, release: world.paths.release });
  requireValid(issues, `svcm ecosystem check found errors in ${fileName}`);
  for (const name of foreignVariables(loaded, world.paths))
    note(context, `The variable ${name} names the checkout or current; svcm does not change values of variables.`);
  return loaded;
}

/** Before a long build, which may write the others. @throws {SvcmError} DEPLOY_FAILED with DEPLOY_NOT_COMMITTED */
export async function requireCommitted(context: DeployContext, world: ReleaseWorld): Promise<void> {
  const { ports, root } = context;
  const missing: DeclaredFile[] = [];
  for (const file of await listDeclared(context, world)) if (!(await root.exists(file.path))) missing.push(file);
  if (missing.length === 0) return;
  const inOwn = missing.map(({ name }) => `${ports.workspace.root}/${name}`);
  const untracked = new Set(await ports.revisions.listUnignored(inOwn));
  const forgotten = missing.find(({ name }) => untracked.has(name));
  if (forgotten !== undefined) throw notCommitted(forgotten, "is in the checkout and not in the commit");
}

interface DeclaredFile {
  readonly path: string;
  /** Below the root. */
  readonly name: string;
  readonly service: string;
}

/** Ecosystem files of the environment. */
async function listDeclared(context: DeployContext, { facts, workspace }: ReleaseWorld): Promise<DeclaredFile[]> {
  const project = await facts.project();
  const services =
    context.service === undefined ? servicesOf(project, context) : chooseServices(project, context.service);
  return services.flatMap(({ name: service, service: { folder, ecosystem } }) =>
    (ownMember(ecosystem, context.environment) ?? []).flatMap(({ file }): DeclaredFile[] => {
      const path = resolvePath(resolvePath(workspace.root, folder), file);
      const isInside = path.startsWith(`${workspace.root}/`);
      return isInside ? [{ path, name: path.slice(workspace.root.length + 1), service }] : [];
    }),
  );
}

function notCommitted({ name, service }: DeclaredFile, what: string): SvcmError {
  const declared = service === "" ? "svcm.yaml declares," : `the service ${service} declares in svcm.yaml,`;
  return new SvcmError("DEPLOY_FAILED", {
    code: "DEPLOY_NOT_COMMITTED",
    details: `The ecosystem file ${name}, which ${declared} ${what}.`,
    hint: `git add ${shellQuote(name)}, commit and push it. A release file needs it, too. If a build writes it, name its command as deploy.build in svcm.yaml.`,
  });
}

/** The folder of the release is removed, so its path would say nothing. */
async function notInRelease(context: DeployContext, world: ReleaseWorld, error: unknown): Promise<unknown> {
  if (!(error instanceof SvcmError) || error.body.code !== "ENOENT") return error;
  const file = (await listDeclared(context, world)).find(({ path }) => path === error.body.path);
  return file === undefined ? error : notCommitted(file, "is not in the commit, and its build did not write it");
}

/** Without own keys, the repository does not say what its env files need. */
async function checkEnv(context: DeployContext, world: ReleaseWorld): Promise<void> {
  const { environment, service } = context;
  const [project, contract] = await Promise.all([world.facts.project(), world.facts.runtimeContract()]);
  if (keySource(contract, project) === "packaged") return;
  for (const { name, service: declared } of project === undefined ? [] : chooseServices(project, service)) {
    const source = ownMember(declared.env, environment);
    if (source === undefined || source.encrypted !== undefined) continue;
    const read = readEnvFile(world, contract, { environment, service: name || undefined });
    const { layers, fileName } = await read.catch((error: unknown) => {
      throw inCheckout(context, world, error);
    });
    requireValid(checkEnvFiles(contract, layers), `svcm env check found errors in ${fileName}`);
  }
}

/** The folder of the release is removed, so a file that is missing there has to be in the checkout. */
function inCheckout({ ports, root }: DeployContext, { workspace }: ReleaseWorld, error: unknown): unknown {
  if (!(error instanceof SvcmError) || error.body.code !== "ENV_FILE_NOT_FOUND") return error;
  const { path = "" } = error.body;
  if (!path.startsWith(`${workspace.root}/`)) return error;
  const place = `${ports.workspace.root}${path.slice(workspace.root.length)}`;
  return new SvcmError("DEPLOY_FAILED", {
    code: "ENV_FILE_NOT_FOUND",
    path: place,
    details: `The env file ${path.slice(workspace.root.length + 1)} is neither in the commit, nor in the checkout, nor in ${root.layout.shared}.`,
    hint: `Create ${place}, and deploy again: svcm shares it with each release. Or name another environment with --environment.`,
  });
}

/** The checkout has what a build there wrote. */
const BUILD_HINT =
  "A release has what is committed and what its build writes, the script build of package.json. Name another command as deploy.build in svcm.yaml.";

function requireValid(issues: readonly Issue[], what: string): void {
  const errors = issues.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  const lines = errors.slice(0, MAX_LINES).map(({ code, message }) => `  ${code}: ${message}`);
  throw new SvcmError("DEPLOY_FAILED", {
    code: "DEPLOY_CHECK_FAILED",
    details: [`${what}:`, ...lines].join("\n"),
    ...(errors.some(({ code }) => code === "ECOSYSTEM_SCRIPT_MISSING") && { hint: BUILD_HINT }),
  });
}

const MAX_LINES = 20;
