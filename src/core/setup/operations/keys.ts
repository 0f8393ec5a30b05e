import type { HasFiles } from "../../files/ports.ts";
import type { HasFacts } from "../../project/port-repository.ts";
import type { Audited } from "../../access/ports.ts";
import { defineOperation, type Caller } from "../../access/operation.ts";
import { confirmChanges, type ListedKey, listedKeys, tierChanges, type DeclaredKeys } from "../../project/keys.ts";
import type { InputOf } from "../../api/inputs.ts";
import { classify, NOTHING_KNOWN } from "../detect/classify.ts";
import { editFile, withAudit, type Attempt } from "../../access/with-audit.ts";
import type { Issue } from "../../api/issue.ts";
import { documentFailure, documentText } from "../../deployments/file.ts";
import { refusal, SvcmError } from "../../api/errors.ts";
import { isSecretName, maskSource } from "../../secrets/redact.ts";
import type { LineChange } from "../../words/text.ts";
import { ownMember } from "../../words/record.ts";
import { suggest } from "../../words/suggest.ts";
import { parseYaml } from "../../yaml/parse.ts";
import { type Change, UneditableYaml } from "../../yaml/splice/change.ts";
import { editYaml } from "../../yaml/splice/edit-yaml.ts";
import { readRuntimeContract } from "../../project/facts/read.ts";
import { readProject } from "../../project/read.ts";
import { keySource, type KeySource } from "../../project/facts/own-contract.ts";
import { PROJECT_FILE } from "../../project/project.ts";

export const keysList = defineOperation({
  id: "keys.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run({ facts }: HasFacts): Promise<{ readonly keys: readonly ListedKey[] }> {
    return { keys: listedKeys(await facts.runtimeContract(), await facts.project()) };
  },
});

/** Declares keys that an app begins to read, before or after an env file has them. */
export const keysAdd = defineOperation({
  id: "keys.add",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  run: (ports: Audited & HasFacts & HasFiles, { keys, dryRun, ...wish }, caller) =>
    editKeys(ports, caller, {
      action: "keys.add",
      dryRun,
      keys,
      isNew: true,
      decide: () => [...new Set(keys)].map((key) => ({ kind: "set", path: ["keys", key], value: newEntry(key, wish) })),
    }),
});

/** In doubt, a key counts as a secret, unless the request names a kind or makes it editable. */
function newEntry(
  key: string,
  { kind, values, editable }: Pick<InputOf<"keys.add">, "kind" | "values" | "editable">,
): Readonly<Record<string, unknown>> {
  const tier = editable ? "editable" : "read-only";
  if (values !== undefined) return { kind: "enum", values, tier };
  const proposed = classify(key, []);
  const isOpen = proposed.verdict === "open" || (proposed.verdict === "undecided" && editable);
  const chosen = kind ?? (isOpen ? proposed.kind : proposed.verdict === "connection" ? "connection-url" : "secret");
  return { kind: chosen, ...((!HIDDEN_KINDS.has(chosen) || editable) && { tier }) };
}

/** No tier shows them. */
const HIDDEN_KINDS: ReadonlySet<string> = new Set(["secret", "connection-url"]);

/** Turns guesses of `svcm init` into declared keys by removing `guess` from their entries in `svcm.yaml`. */
export const keysConfirm = defineOperation({
  id: "keys.confirm",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  run: (ports: Audited & HasFacts & HasFiles, { keys, dryRun }, caller) =>
    editKeys(ports, caller, {
      action: "keys.confirm",
      dryRun,
      keys: keys ?? [],
      decide: (project) => confirmChanges(project, keys ?? Object.keys(project.guesses)),
    }),
});

export const keysSetTier = defineOperation({
  id: "keys.set-tier",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  run: (ports: Audited & HasFacts & HasFiles, { keys, tier, dryRun }, caller) =>
    editKeys(ports, caller, {
      action: "keys.set-tier",
      dryRun,
      keys,
      decide: (project) => [
        ...(tier === "never-exposed" ? [] : [...new Set(keys)].flatMap((key) => openSecret(project, key))),
        ...tierChanges(project, keys, tier),
      ],
    }),
});

/** @throws {SvcmError} INVALID_PAYLOAD for a secret, unless `svcm init` took the key for one because it knew nothing about it */
function openSecret({ keys, guesses }: DeclaredKeys, key: string): Change[] {
  const kind = ownMember(keys, key)?.kind;
  if (kind === undefined || !HIDDEN_KINDS.has(kind)) return [];
  const guess = ownMember(guesses, key);
  if (guess === NOTHING_KNOWN && !isSecretName(key))
    return [{ kind: "set", path: ["keys", key, "kind"], value: "text" }];
  throw new SvcmError("INVALID_PAYLOAD", {
    code: "FACT_SECRET_VISIBLE",
    details: `${key} has the kind ${kind}${guess === undefined ? "" : ` (a guess of svcm init: ${guess})`}, and svcm neither shows nor writes a secret.`,
    hint: `If ${key} holds no secret, give it another kind where it is declared, such as ${key}: { kind: text }, and repeat the command.`,
  });
}

type KeysFile = Exclude<KeySource, "packaged">;

export interface KeysEditResponse {
  readonly file: KeysFile;
  readonly dryRun: boolean;
  readonly changedKeys: readonly string[];
  readonly changes: readonly LineChange[];
}

interface KeysEdit {
  readonly dryRun: boolean;
  readonly action: string;
  readonly keys: readonly string[];
  /** The keys are to be declared; otherwise each has to be declared already. */
  readonly isNew?: boolean;
  readonly decide: (declared: DeclaredKeys) => readonly Change[];
}

interface KeysPlan extends Pick<KeysEditResponse, "changedKeys" | "changes"> {
  readonly text: string;
}

type MakePlan = (text: string) => KeysPlan;

/**
 * One locked, atomic and audited transaction. An edit without effect leaves no record.
 * @throws {SvcmError} INVALID_PAYLOAD if no file of the repository declares keys, a key is unknown or the result is
 * invalid, FACT_INVALID, SUITE_FILE_FAILED
 */
async function editKeys(
  ports: Audited & HasFacts & HasFiles,
  caller: Caller,
  edit: KeysEdit,
): Promise<KeysEditResponse> {
  const { dryRun, action } = edit;
  const run = async (attempt?: Attempt): Promise<KeysEditResponse> => {
    const file = await keysFile(ports);
    const path = `${ports.workspace.root}/${file}`;
    const planText = planner(file, edit);
    const plan = (text: string): KeysPlan => {
      const planned = planText(text);
      attempt?.note({ keys: planned.changedKeys });
      return planned;
    };
    const decode = (bytes: Uint8Array): string => documentText(bytes, path);
    try {
      const { planned } = await editFile(ports, path, { decode, plan, attempt });
      return { file, dryRun, changedKeys: planned.changedKeys, changes: planned.changes.map(maskLineChange) };
    } catch (error) {
      throw documentFailure(error, path);
    }
  };
  return dryRun ? await run() : await withAudit(ports, caller, { action, keys: edit.keys }, run);
}

/** @throws {SvcmError} if no file of the repository declares keys */
async function keysFile({ facts }: HasFacts): Promise<KeysFile> {
  const project = await facts.project();
  const source = keySource(await facts.runtimeContract(), project);
  if (source !== "packaged") return source;
  const isProject = project !== undefined;
  throw new SvcmError("INVALID_PAYLOAD", {
    code: "KEYS_ELSEWHERE",
    details: `${PROJECT_FILE} does not declare the keys of this repository. They are those of the packaged contract.`,
    hint: isProject
      ? `Add the line "keys: {}" to ${PROJECT_FILE}, then repeat the command: only keys that the file declares count from then on.`
      : "Run svcm init: it proposes an svcm.yaml with the keys of the repository.",
  });
}

function planner(file: KeysFile, { keys, isNew = false, decide }: KeysEdit): MakePlan {
  const valid = (text: string): DeclaredKeys => {
    const { value, issues } = file === PROJECT_FILE ? readProject(text, file) : readRuntimeContract(text, file);
    if (value === undefined) throw refusal("INVALID_PAYLOAD", issues);
    return { keys: value.keys ?? {}, guesses: "guesses" in value ? value.guesses : {} };
  };
  return (text) => {
    const declared = valid(text);
    const misnamed = isNew ? declaredKeys(file, declared, keys) : unknownKeys(file, declared, keys);
    const [first] = misnamed;
    if (first !== undefined) {
      const { details = "", issues = [] } = refusal("INVALID_PAYLOAD", misnamed).body;
      throw new SvcmError("INVALID_PAYLOAD", { code: first.code, details, issues });
    }
    const changes = decide(declared);
    const changedKeys = [...new Set(changes.map(({ path }) => String(path[1])))];
    try {
      const edited = editYaml({ text, value: parseYaml(text, file).value, isJson: false }, changes);
      valid(edited.text);
      return { text: edited.text, changedKeys, changes: edited.changes };
    } catch (error) {
      throw error instanceof UneditableYaml ? uneditable(file, error) : error;
    }
  };
}

function unknownKeys(file: KeysFile, declared: DeclaredKeys, requested: readonly string[]): Issue[] {
  const known = Object.keys(declared.keys);
  return requested
    .filter((key) => !Object.hasOwn(declared.keys, key))
    .map((key) => {
      const suggestion = suggest(key, known);
      const message = `${file} does not declare the key ${key}. To declare it: svcm keys add ${key}`;
      return {
        code: "KEY_NOT_DECLARED",
        severity: "error",
        path: ["keys", key],
        message,
        ...(suggestion !== undefined && { suggestion }),
      };
    });
}

function declaredKeys(file: KeysFile, { keys }: DeclaredKeys, requested: readonly string[]): Issue[] {
  return requested.flatMap((key): Issue[] => {
    const spec = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (spec === undefined) return [];
    const message = `${file} declares ${key} already (${spec.kind}, ${spec.tier}). To let svcm write it: svcm keys allow ${key}. To hide it: svcm keys hide ${key}`;
    return [{ code: "KEY_DECLARED", severity: "error", path: ["keys", key], message }];
  });
}

function uneditable(file: KeysFile, { message }: Error): SvcmError {
  return new SvcmError("EDIT_REFUSED", {
    code: "SUITE_FILE_UNEDITABLE",
    path: file,
    details: `svcm cannot make this edit in ${file} by changing its own lines only: ${message}.`,
    hint: `Change ${file} by hand.`,
  });
}

function maskLineChange({ line, before, after }: LineChange): LineChange {
  return { line, before: before.map(maskSource), after: after.map(maskSource) };
}
