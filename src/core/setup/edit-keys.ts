import type { HasFiles } from "../files/port-files.ts";
import type { HasFacts } from "../project/port-repository.ts";
import type { Audited } from "../access/ports.ts";
import { withAudit } from "../access/with-audit.ts";
import type { Issue } from "../api/issue.ts";
import type { Caller } from "../access/caller.ts";
import { documentFailure, documentText } from "../deployments/file.ts";
import { refusal, SvcmError } from "../api/errors.ts";

import { maskSource } from "../secrets/redact.ts";
import type { LineChange } from "../words/line-change.ts";
import { suggest } from "../words/suggest.ts";
import type { Change } from "../yaml/splice/change.ts";
import { keySource } from "../project/keys.ts";
import { PROJECT_FILE, type Project } from "../project/project.ts";

export interface KeysEditResponse {
  readonly file: typeof PROJECT_FILE;
  readonly dryRun: boolean;
  readonly changedKeys: readonly string[];
  readonly changes: readonly LineChange[];
}

interface KeysEdit {
  readonly dryRun: boolean;
  readonly action: string;
  readonly keys: readonly string[];
  readonly decide: (project: Project) => readonly Change[];
}

interface KeysPlan extends Pick<KeysEditResponse, "changedKeys" | "changes"> {
  readonly text: string;
}

type MakePlan = (text: string) => KeysPlan;

/**
 * One locked, atomic and audited transaction. An edit without effect leaves no record.
 * @throws {SvcmError} INVALID_PAYLOAD if the keys are in another file, a key is unknown or the result is invalid,
 * FACT_INVALID, SUITE_FILE_FAILED
 */
export async function editKeys(
  ports: Audited & HasFacts & HasFiles,
  caller: Caller,
  edit: KeysEdit,
): Promise<KeysEditResponse> {
  const { dryRun, action } = edit;
  const about = { action };
  const run = async (write: (path: string, plan: MakePlan) => Promise<KeysPlan>): Promise<KeysEditResponse> => {
    await requireKeys(ports);
    const plan = await planner(edit);
    const path = `${ports.workspace.root}/${PROJECT_FILE}`;
    try {
      const { changedKeys, changes } = await write(path, plan);
      return { file: PROJECT_FILE, dryRun, changedKeys, changes: changes.map(maskLineChange) };
    } catch (error) {
      throw documentFailure(error, path);
    }
  };
  if (dryRun) return await run(async (path, plan) => plan(documentText(await ports.files.read(path), path)));
  return await withAudit(
    ports,
    caller,
    () => about,
    (begin) =>
      run(async (path, plan) => {
        let planned: KeysPlan | undefined;
        const decide = (current: Uint8Array): Uint8Array | undefined => {
          const text = documentText(current, path);
          planned = plan(text);
          Object.assign(about, { keys: planned.changedKeys });
          return planned.text === text ? undefined : new TextEncoder().encode(planned.text);
        };
        const bytes = await ports.files.replace(path, decide, begin);
        return planned ?? plan(documentText(bytes, path));
      }),
  );
}

/** @throws {SvcmError} if the keys of the repository are not in `svcm.yaml` */
async function requireKeys({ facts }: HasFacts): Promise<void> {
  const source = keySource(await facts.runtimeContract(), await facts.project());
  if (source === PROJECT_FILE) return;
  const isPackaged = source === "packaged";
  throw new SvcmError("INVALID_PAYLOAD", {
    code: "KEYS_ELSEWHERE",
    details: `${PROJECT_FILE} does not declare the keys of this repository. They are ${isPackaged ? "those of the packaged contract" : `in ${source}`}.`,
    hint: isPackaged
      ? "Run svcm init: it proposes an svcm.yaml with the keys of the repository."
      : `Edit ${source} by hand.`,
  });
}

async function planner({ keys, decide }: KeysEdit): Promise<MakePlan> {
  const [{ readProject }, { parseYaml }, { editYaml }, { UneditableYaml }] = await Promise.all([
    import("../project/read.ts"),
    import("../yaml/parse.ts"),
    import("../yaml/splice/edit-yaml.ts"),
    import("../yaml/splice/change.ts"),
  ]);
  const valid = (text: string): Project => {
    const { value, issues } = readProject(text, PROJECT_FILE);
    if (value === undefined) throw refusal("INVALID_PAYLOAD", issues);
    return value;
  };
  return (text) => {
    const project = valid(text);
    const unknown = unknownKeys(project, keys);
    if (unknown.length > 0) throw refusal("INVALID_PAYLOAD", unknown);
    const changes = decide(project);
    const changedKeys = [...new Set(changes.map(({ path }) => String(path[1])))];
    try {
      const edited = editYaml({ text, value: parseYaml(text, PROJECT_FILE).value, isJson: false }, changes);
      valid(edited.text);
      return { text: edited.text, changedKeys, changes: edited.changes };
    } catch (error) {
      throw error instanceof UneditableYaml ? uneditable(error) : error;
    }
  };
}

function unknownKeys({ keys = {} }: Pick<Project, "keys">, requested: readonly string[]): Issue[] {
  const known = Object.keys(keys);
  return requested
    .filter((key) => !Object.hasOwn(keys, key))
    .map((key) => {
      const suggestion = suggest(key, known);
      const message = `${PROJECT_FILE} does not declare the key ${key}; svcm init adds the keys that are new`;
      return {
        code: "KEY_NOT_DECLARED",
        severity: "error",
        path: ["keys", key],
        message,
        ...(suggestion !== undefined && { suggestion }),
      };
    });
}

function uneditable({ message }: Error): SvcmError {
  return new SvcmError("SUITE_FILE_FAILED", {
    code: "SUITE_FILE_UNEDITABLE",
    path: PROJECT_FILE,
    details: `svcm cannot make this edit in ${PROJECT_FILE} by changing its own lines only: ${message}.`,
    hint: `Change ${PROJECT_FILE} by hand.`,
  });
}

function maskLineChange({ line, before, after }: LineChange): LineChange {
  return { line, before: before.map(maskSource), after: after.map(maskSource) };
}
