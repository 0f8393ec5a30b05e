import { readProject } from "../../project/read.ts";
import { type HasClock, FileError, type HasFiles, type HasRevisions } from "../../files/ports.ts";
import type { HasWorkspace, HasFacts } from "../../project/port-repository.ts";
import type { SetupPorts } from "../ports.ts";
import type { InputOf } from "../../api/inputs.ts";
import { withAudit } from "../../access/with-audit.ts";
import { refusal, SvcmError } from "../../api/errors.ts";
import { defineOperation } from "../../access/operation.ts";
import { detect, type DetectedKey, type Detection } from "../detect/detect.ts";
import { PROJECT_FILE, type Project } from "../../project/project.ts";
import { proposeLayout } from "../detect/layout.ts";
import type { DetectionNote } from "../detect/pm2-file.ts";
import { readRunning } from "../running-apps.ts";
import { renderSvcmYaml, undeclaredKeys, addKeys, withoutUndecided, type InitAnswers } from "../detect/svcm-yaml.ts";
import { readMachineEnvironment, type MachineEnvironment } from "../../rollout/machine-environment.ts";
import { filesWithSecrets } from "../doctor/examine.ts";
import { unnamedIn } from "../doctor/file-checks.ts";
import type { Survey } from "../detect/survey.ts";
import { once } from "../../words/once.ts";
import { decodeUtf8 } from "../../words/utf8.ts";
import { nameList } from "../../words/text.ts";

const IGNORED = ".svcm/";
const CONTRACT_FILE = "config/runtime-contract.yaml";

export interface PlannedFile {
  readonly path: string;
  readonly isNew: boolean;
  readonly before: string;
  readonly text: string;
}

export interface InitResponse {
  readonly found: Omit<Detection, "keys">;
  readonly keys: Readonly<Record<"open" | "secret" | "undecided", readonly string[]>>;
  readonly guesses: Readonly<Record<string, string>>;
  /** Files that svcm.yaml does not name. A new one names what it can, and its notes say why it leaves a file out. */
  readonly unnamed: readonly string[];
  readonly plan: readonly PlannedFile[];
  readonly machine: InitMachine;
  /** Empty for a dry run. */
  readonly written: readonly string[];
}

/** Proposes `svcm.yaml` and a line for `.gitignore`, and writes them on request. Runs no file and returns no values. */
export const projectInit = defineOperation({
  id: "project.init",
  access: "write",
  refusal: "INVALID_REQUEST",
  async run(ports: SetupPorts, input, caller): Promise<InitResponse> {
    if (!input.write) return await propose(ports, input);
    const subject = { action: "project.init", target: PROJECT_FILE };
    return await withAudit(ports, caller, subject, async ({ note, begin }) => {
      const response = await propose(ports, input);
      const { isNew, environment } = response.machine;
      const beginOnce = once(begin);
      for (const file of response.plan) await writeFile(ports, file, beginOnce);
      if (isNew && environment !== null) {
        note({ environment });
        await beginOnce();
        await ports.releases.recordEnvironment(environment);
      }
      return { ...response, written: response.plan.map(({ path }) => path) };
    });
  },
});

async function propose(
  ports: SetupPorts,
  { only, confirm, machineEnvironment, ...answers }: InputOf<"project.init">,
): Promise<InitResponse> {
  const [survey, running] = await Promise.all([ports.survey.read(ports.workspace.root), readRunning(ports)]);
  const { keys, ...found } = detect(survey, running);
  const chosen = only === "layout" ? [] : keys;
  const { file, notes } = confirm
    ? { file: await confirmedFile(ports), notes: [] }
    : await projectFile(ports, { ...found, keys: chosen }, answers);
  const exposed = await exposedFiles(ports, survey, found);
  const project = file === undefined ? await ports.facts.project() : readProject(file.text, PROJECT_FILE).value;
  const isKnown = file !== undefined || project !== undefined;
  const machine = decideMachine(project?.environments ?? {}, await readMachineEnvironment(ports), machineEnvironment);
  const ignored = isKnown && !confirm ? await ignoreFile(ports) : NOTHING_TO_WRITE;
  const plan = [file, ignored.file];
  const keysWith = (...verdicts: DetectedKey["verdict"][]): string[] =>
    keys.filter(({ verdict }) => verdicts.includes(verdict)).map(({ key }) => key);
  return {
    found: {
      ...found,
      undecided: undecidedIn(project, found),
      notUnderstood: [...found.notUnderstood, ...notes, ...ignored.notes, ...exposed],
    },
    keys: { open: keysWith("open"), secret: keysWith("secret", "connection"), undecided: keysWith("undecided") },
    guesses: Object.fromEntries(
      keys.filter(({ verdict }) => verdict === "open" || verdict === "undecided").map(({ key, why }) => [key, why]),
    ),
    unnamed: file?.isNew === true ? [] : unnamedIn(ports.workspace.root, found, project),
    plan: plan.flatMap((planned) => planned ?? []),
    machine: { ...machine, byDefault: defaultOf(project) },
    written: [],
  };
}

/** A decision of the user stays. */
function undecidedIn(project: Project | undefined, found: Pick<Detection, "undecided">): Detection["undecided"] {
  return project?.undecided ?? found.undecided;
}

function defaultOf(project: Project | undefined): string | null {
  return project?.hasDefault === true ? project.defaultEnvironment : null;
}

/** A newcomer learns it here first, before anything is committed. */
async function exposedFiles(
  { revisions }: HasRevisions,
  survey: Survey,
  found: Pick<Detection, "env">,
): Promise<DetectionNote[]> {
  const paths = found.env.map(({ path }) => path);
  const [tracked, unignored] = await Promise.all([revisions.listTracked(paths), revisions.listUnignored(paths)]);
  return (
    [
      ["Git tracks this file", tracked],
      ["Git does not ignore this file", unignored],
    ] as const
  ).flatMap(([what, of]) =>
    filesWithSecrets(survey, found, of).map(({ path, keys }) => ({
      path,
      line: 1,
      what: `${what}, and it holds ${nameList(keys)}`,
    })),
  );
}

/** Every other byte stays. */
async function confirmedFile(ports: HasFacts & HasFiles & HasWorkspace): Promise<PlannedFile | undefined> {
  const path = `${ports.workspace.root}/${PROJECT_FILE}`;
  const before = await readText(ports, path);
  if (before === undefined || !(await ports.facts.project())?.undecided.length) return undefined;
  return { path, isNew: false, before, text: withoutUndecided(before) };
}

interface ProjectFile {
  /** `undefined` if there is nothing to write. */
  readonly file: PlannedFile | undefined;
  readonly notes: readonly DetectionNote[];
}

const NOTHING_TO_WRITE: ProjectFile = { file: undefined, notes: [] };

/** An existing file keeps its content and gets the new keys. */
async function projectFile(
  ports: HasClock & HasFacts & HasFiles & HasWorkspace,
  detection: Detection,
  answers: InitAnswers,
): Promise<ProjectFile> {
  const path = `${ports.workspace.root}/${PROJECT_FILE}`;
  const before = await readText(ports, path);
  if (before === undefined) return await newProjectFile(ports, path, detection, answers);
  if (answers.allow !== undefined || answers.health !== undefined)
    throw new SvcmError("INVALID_REQUEST", {
      details: `${PROJECT_FILE} exists, and init changes none of its lines.`,
      hint: "svcm keys allow KEY lets svcm write a key; rollout.health of svcm.yaml declares a probe",
    });
  const project = await ports.facts.project();
  const added = project?.keys === undefined ? [] : undeclaredKeys(project.keys, detection.keys);
  if (added.length === 0) return NOTHING_TO_WRITE;
  const today = new Date(ports.clock.now()).toISOString().slice(0, 10);
  return { file: { path, isNew: false, before, text: addKeys(before, added, today) }, notes: [] };
}

/** Keys are declared in one file only: if there is a runtime contract, they stay there. */
async function newProjectFile(
  ports: HasFiles & HasWorkspace,
  path: string,
  detection: Detection,
  answers: InitAnswers,
): Promise<ProjectFile> {
  const { pm2, env, keys, undecided } = detection;
  if (pm2.length + env.length + keys.length + undecided.length === 0) return NOTHING_TO_WRITE;
  const hasContract = (await readText(ports, `${ports.workspace.root}/${CONTRACT_FILE}`)) !== undefined;
  const { layout, notes } = proposeLayout(detection);
  const text = renderSvcmYaml(layout, hasContract ? undefined : detection.keys, answers);
  requireValid(text, hasContract ? [] : keys.map(({ key }) => key), answers);
  const declared = { path: CONTRACT_FILE, line: 1, what: "this file declares the keys, so svcm.yaml does not" };
  return { file: { path, isNew: true, before: "", text }, notes: hasContract ? [...notes, declared] : notes };
}

/** Only an answer can make the file invalid: an unknown key, a secret, a path without a slash. */
function requireValid(text: string, keys: readonly string[], { allow = [], health }: InitAnswers): void {
  const unknown = allow.filter((key) => !keys.includes(key));
  if (unknown.length > 0)
    throw new SvcmError("INVALID_REQUEST", {
      details: `init found no key ${unknown.join(", ")}. Accepted: ${keys.join(", ") || "none"}.`,
      hint: `after init: svcm keys add ${unknown[0]} --allow`,
    });
  if (allow.length === 0 && health === undefined) return;
  const { issues } = readProject(text, PROJECT_FILE);
  if (issues.length > 0) throw refusal("INVALID_PAYLOAD", issues);
}

/** Its folder has a `.gitignore`, too, so a file that cannot be read stays as it is. */
async function ignoreFile(ports: HasFiles & HasWorkspace): Promise<ProjectFile> {
  const path = `${ports.workspace.root}/.gitignore`;
  const before = await readText(ports, path).catch((error: unknown) => {
    if (error instanceof SvcmError && error.body.code === "FILE_NOT_UTF8") return error;
    throw error;
  });
  if (before instanceof SvcmError)
    return {
      file: undefined,
      notes: [{ path: ".gitignore", line: 1, what: "it is not UTF-8 text, so svcm adds nothing to it" }],
    };
  const lines = (before ?? "").split(/\r?\n/).map((line) => line.trim());
  if (lines.some((line) => [".svcm", ".svcm/", "/.svcm", "/.svcm/", ".svcm/*"].includes(line))) return NOTHING_TO_WRITE;
  const separator = before === undefined || before === "" || before.endsWith("\n") ? "" : "\n";
  const text = `${before ?? ""}${separator}${IGNORED}\n`;
  return { file: { path, isNew: before === undefined, before: before ?? "", text }, notes: [] };
}

async function readText(ports: HasFiles, path: string): Promise<string | undefined> {
  try {
    const text = decodeUtf8(await ports.files.read(path));
    if (text !== undefined) return text;
    throw new SvcmError("INVALID_REQUEST", { code: "FILE_NOT_UTF8", path, details: `${path} is not UTF-8 text.` });
  } catch (error) {
    if (error instanceof FileError && error.code === "ENOENT") return undefined;
    throw fileFailure(error, path);
  }
}

async function writeFile(
  ports: HasFiles,
  { path, isNew, before, text }: PlannedFile,
  begin: () => Promise<void>,
): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  const decide = (current: Uint8Array): Uint8Array => {
    if (decodeUtf8(current) === before) return bytes;
    throw new SvcmError("INVALID_REQUEST", {
      code: "FILE_CHANGED",
      path,
      details: `${path} changed while svcm read it. Nothing was written. Run the command again.`,
    });
  };
  try {
    if (isNew) await ports.files.create(path, bytes, begin);
    else await ports.files.replace(path, decide, begin);
  } catch (error) {
    throw fileFailure(error, path);
  }
}

function fileFailure(error: unknown, path: string): unknown {
  if (!(error instanceof FileError)) return error;
  return new SvcmError("SUITE_FILE_FAILED", { code: error.code, path, details: error.message });
}

/** The environment of this machine, as `svcm init` sees it. */
interface InitMachine {
  /** The environments of `svcm.yaml`, or of its proposal. */
  readonly accepted: readonly string[];
  readonly environment: string | null;
  readonly by: MachineEnvironment["by"] | null;
  /** Without an environment of the machine, commands without `-e` mean that of `svcm.yaml`. */
  readonly byDefault: string | null;
  /** The environment is requested, and not yet recorded. */
  readonly isNew: boolean;
}

/**
 * A record that contradicts what was applied would have no effect, so it is refused.
 * @throws {SvcmError} INVALID_ENVIRONMENT, INVALID_REQUEST with the code ENVIRONMENT_SWITCH
 */
export function decideMachine(
  environments: Project["environments"],
  known: MachineEnvironment | undefined,
  requested: string | undefined,
): Omit<InitMachine, "byDefault"> {
  const accepted = Object.keys(environments);
  if (requested === undefined)
    return { accepted, environment: known?.environment ?? null, by: known?.by ?? null, isNew: false };
  const environment = accepted.find((name) => name === requested || environments[name]?.aliases.includes(requested));
  if (environment === undefined) throw noEnvironment(requested, accepted);
  if (known?.environment === environment) return { accepted, environment, by: known.by, isNew: false };
  if (known?.by === "apply")
    throw new SvcmError("INVALID_REQUEST", {
      code: "ENVIRONMENT_SWITCH",
      details: `The last apply on this machine was for ${known.environment}. Nothing was recorded.`,
      hint: `svcm apply -e ${environment} --switch-environment moves this machine to ${environment}`,
    });
  return { accepted, environment, by: "init", isNew: true };
}

function noEnvironment(requested: string, [first, ...others]: readonly string[]): SvcmError {
  const accepted = first === undefined ? "none" : nameList([first, ...others]);
  return new SvcmError("INVALID_ENVIRONMENT", {
    details: `No environment has the name ${JSON.stringify(requested.slice(0, 80))}. Accepted: ${accepted}.`,
    hint: first === undefined ? "declare environments in svcm.yaml first" : `svcm init --machine-environment ${first}`,
  });
}
