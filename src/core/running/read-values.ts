import { ownMember } from "../words/record.ts";
import type { HasWorkspace } from "../project/port-repository.ts";
import type { HasRevisions, HasFiles, HasStamps } from "../files/ports.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { isDeclaredVariable, isShellVariable, isStartedBySvcm } from "../pm2/declared.ts";
import { decodeUtf8 } from "../words/utf8.ts";
import type { EnvFileFacts, EnvFileContents } from "./env-files.ts";
import type { StartRecord } from "./port-running-code.ts";
import { decideValues, type ValuesFacts, type ValuesVerdict } from "./values.ts";

/** An app of an ecosystem file. Values are digests. */
interface AppValues extends Pick<ValuesFacts, "environments" | "openKeys" | "copiesShell"> {
  readonly name: string;
  /** Node.js reads these, because the app is started with `--env-file`. */
  readonly envFiles: readonly string[];
  /** The app reads these itself, for example with dotenv. */
  readonly layers: readonly string[];
  /** It may read these, too; the environment does not name them. */
  readonly unnamed: readonly string[];
  /** PM2 may count a variable up with the position of the process among those of its name. */
  readonly environmentsAt: (position: number) => ValuesFacts["environments"];
  /** Variables that svcm's last apply set. */
  readonly formerKeysOf: (process: ProcessRecord) => readonly string[];
}

export interface ValuesRequest {
  /** The name of the ecosystem file, for messages. */
  readonly declaredIn: string;
  /** That file and the files that it loads. */
  readonly sources: readonly string[];
  readonly apps: readonly AppValues[];
  /** Every process of this PM2. */
  readonly running: readonly ProcessRecord[];
  readonly visibleKeys: ReadonlySet<string>;
  readonly listedKeys: ReadonlySet<string>;
  /** Of all env files, digested with the key of the records of starts. */
  readonly contents: EnvFileContents;
  readonly recordOf: (process: ProcessRecord) => Pick<StartRecord, "envFiles"> | undefined;
}

/** By PM2's number of the process. */
export async function readValues(
  ports: HasFiles & HasRevisions & HasStamps & HasWorkspace,
  request: ValuesRequest,
): Promise<ReadonlyMap<number, ValuesVerdict>> {
  const { apps, running, contents } = request;
  const processes = apps.flatMap((app) =>
    running.filter(({ name }) => name === app.name).map((process) => ({ app, process })),
  );
  const words = await readFormerWords(ports, request, processes);
  return new Map(
    processes.map(({ app, process }) => {
      const envFiles = describeFiles(ports, app, request.recordOf(process), contents);
      return [process.pmId, decideValues({ ...factsOf(request, app, process, words), envFiles })];
    }),
  );
}

function factsOf(
  { declaredIn, running, visibleKeys, listedKeys }: ValuesRequest,
  { name, openKeys, copiesShell, environmentsAt, formerKeysOf }: AppValues,
  process: ProcessRecord,
  words: ReadonlySet<string>,
): Omit<ValuesFacts, "envFiles"> {
  const { declaration, startedAt } = process;
  const formerKeys = formerKeysOf(process);
  const position = running.filter((one) => one.name === name && one.pmId < process.pmId).length;
  const environments = environmentsAt(position);
  const siblings = running.filter((one) => one.name !== name).map((one) => one.declaration.environment);
  const evidence = { formerKeys, visibleKeys, listedKeys, formerWords: words, siblings };
  const facts = { app: name, declaredIn, environments, openKeys, copiesShell, running: declaration.environment };
  return { ...facts, startedAt, evidence };
}

function describeFiles(
  { stamps, workspace }: HasStamps & HasWorkspace,
  { envFiles, layers, unnamed }: AppValues,
  record: Pick<StartRecord, "envFiles"> | undefined,
  contents: EnvFileContents,
): EnvFileFacts[] {
  const present = [...new Set([...layers, ...envFiles, ...unnamed])];
  const recorded = Object.keys(record?.envFiles ?? {}).filter((path) => !present.includes(path));
  const removed = [...stamps.missing(recorded)];
  const paths = [...present, ...removed];
  return stamps.read(paths).map((stamp, index) => {
    const path = paths[index] ?? "";
    const isRemoved = removed.includes(path);
    return {
      path,
      name: path.startsWith(`${workspace.root}/`) ? path.slice(workspace.root.length + 1) : path,
      isReadByNode: envFiles.includes(path),
      isUnnamed: isRemoved || unnamed.includes(path),
      now: isRemoved ? null : contents.get(path),
      recorded: ownMember(record?.envFiles, path),
      changedMs: stamp?.changedMs,
      modifiedMs: stamp?.modifiedMs,
    };
  });
}

interface AppProcess {
  readonly app: AppValues;
  readonly process: ProcessRecord;
}

/** Git is asked only if a process has variables of unknown origin, and once for all of them. */
async function readFormerWords(
  { revisions, files }: HasFiles & HasRevisions,
  { sources }: ValuesRequest,
  processes: readonly AppProcess[],
): Promise<ReadonlySet<string>> {
  const starts = processes.filter(hasUnexplained).map(({ process }) => process.lastStartAt ?? 0);
  if (starts.length === 0) return new Set();
  const former = await revisions.formerTexts(sources, starts);
  if (former.length === 0) return new Set();
  const readText = async (path: string): Promise<string> =>
    decodeUtf8(await files.read(path, { mayBeOutside: true })) ?? "";
  const present = await Promise.all(sources.map((path) => readText(path).catch(() => "")));
  return formerWords(former, present);
}

function hasUnexplained({ app: { name, environments, openKeys }, process }: AppProcess): boolean {
  const { environment } = process.declaration;
  const isOpen = (key: string): boolean =>
    openKeys.includes(key) || environments.some((declared) => Object.hasOwn(declared, key));
  const isUnexplained = (key: string): boolean =>
    isDeclaredVariable(key, name) && !isShellVariable(key) && !isOpen(key);
  return !isStartedBySvcm(environment) && Object.keys(environment).some(isUnexplained);
}

/**
 * The words of former versions of a file that its present text no longer has. Comments do not count, because a
 * declaration is often only commented out.
 */
export function formerWords(former: readonly string[], present: readonly string[]): ReadonlySet<string> {
  const now = wordsOf(present);
  return new Set([...wordsOf(former)].filter((word) => !now.has(word)));
}

function wordsOf(texts: readonly string[]): Set<string> {
  return new Set(texts.flatMap((text) => text.replaceAll(COMMENT, " ").match(/[A-Za-z_]\w*/g) ?? []));
}

/** `//` behind a colon is part of a URL. */
const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:"'`\\])\/\/[^\n]*|^\s*#[^\n]*/gm;
