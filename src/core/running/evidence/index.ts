import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { AppCode, CodeRequest, RunningCode, Uncommitted } from "../port-running-code.ts";
import type { GitOptions } from "../../files/git.ts";
import { serviceFolder } from "../../project/service-folder.node.ts";
import { blobDigest, RecordStore } from "./record-store.ts";
import { isTrackedCode } from "./git-evidence.ts";
import { findImports, PROGRAM } from "./imports.ts";
import { judgeApp, readStarted, type InspectContext, type Started } from "./inspect.ts";
import type { Seen } from "./seen.ts";
import { readFoldersBelow, StartClock } from "./process-start.ts";
import { isBelow } from "../code-files.ts";
import { isInside, isInstalled } from "../code-evidence.ts";
import type { LoadedPaths } from "../loaded-paths.ts";
import { findRepository, type Repository } from "./repository.ts";
import { readFolder, Unit, withoutNested, type FolderFiles, type FolderRequest } from "./unit.ts";
import { Budget, isFolder, realPath } from "./walk.ts";

export interface RunningCodeOptions extends Pick<GitOptions, "root" | "env"> {
  readonly pm2Home: string;
}

const MANIFESTS = ["package.json", "pyproject.toml", "requirements.txt"];

function isProject(folder: string): boolean {
  return MANIFESTS.some((name) => existsSync(join(folder, name)));
}

/** While files are uncommitted, their list has to be whole. */
const UNCOMMITTED_BUDGET_MS = 10_000;

export function nodeRunningCode({ root, env, pm2Home }: RunningCodeOptions): RunningCode {
  const store = new RecordStore(serviceFolder(pm2Home, root));
  const seen = new Map<string, Seen>();
  return {
    async inspect(apps, { budgetMs }) {
      const budget = new Budget(budgetMs);
      const look = new Looking({ root, env, pm2Home }, store, budget);
      const clock = new StartClock();
      const judged: { readonly finish: () => AppCode; readonly key: string; readonly unit: Unit }[] = [];
      for (const request of apps) {
        const started = readStarted(request, { clock, store });
        const { imports, problem } = look.imports(request, started);
        const elsewhere = look.foldersElsewhere(request, started);
        const unit = look.unit(request, byKind(imports, elsewhere));
        // Apps of several services may have one name.
        const key = JSON.stringify([request.app, unit.folder]);
        const context = { unit, imports, problem, repository: look.repository(unit), store, seen: seen.get(key) };
        judged.push({ finish: await judgeApp(request, started, context), key, unit });
      }
      // Each record makes later looks quicker, so a slow machine knows more with each of them.
      budget.renew();
      const inspected = judged.map(({ finish, key, unit }) => {
        const app = finish();
        const [recorded] = app.records.values();
        const known = unit.knownDigests;
        const digests = () => known ?? (recorded && store.readCode(recorded.code));
        seen.set(key, { atMs: Date.now(), digests });
        return app;
      });
      look.keepDigests();
      return inspected;
    },
    envFilesAtStart(processes) {
      const started = readStarted({ processes }, { clock: new StartClock(), store });
      return new Map(started.flatMap(({ process, record }) => (record ? [[process.pmId, record.envFiles]] : [])));
    },
    async listUncommitted(apps, commit) {
      const look = new Looking({ root, env, pm2Home }, store, new Budget(UNCOMMITTED_BUDGET_MS));
      const found = await Promise.all(
        [...new Set(apps.map((request) => look.unit(request)))].map((unit) =>
          uncommitted(unit, look.repository(unit), { commit }),
        ),
      );
      return joined(found);
    },
  };
}

/** Apps of one unit share its walk, and units of one repository share what Git answers. */
class Looking {
  readonly #options: RunningCodeOptions;
  readonly #store: RecordStore;
  readonly #budget: Budget;
  readonly #units = new Map<string, Unit>();
  readonly #folders = new Map<string, FolderFiles>();
  readonly #repositories = new Map<string, Repository | undefined>();

  constructor(options: RunningCodeOptions, store: RecordStore, budget: Budget) {
    this.#options = options;
    this.#store = store;
    this.#budget = budget;
  }

  /** While a process runs the code of its start, that code loads what it did then. */
  imports(request: CodeRequest, started: readonly Started[]): Pick<InspectContext, "imports" | "problem"> {
    const recorded = started.map(({ record }) => record?.imports);
    if (recorded.length === 0 || recorded.includes(undefined)) {
      const imports = findImports(this.unit(request), this.#budget);
      return { imports, problem: this.#budget.problem };
    }
    return { imports: [...new Set(recorded.flatMap((paths) => paths ?? []))], problem: null };
  }

  /**
   * A shell may change to another folder of the repository, or to another project, before it starts the app. A program
   * that does has data there.
   */
  foldersElsewhere(request: CodeRequest, started: readonly Started[]): readonly string[] {
    const { folder, place } = this.unit(request);
    const root = realPath(this.#options.root);
    const isProgram = place.script !== null && PROGRAM.test(place.script) && !isInstalled(place.script);
    if (folder === undefined || root === null || isProgram) return [];
    const found = new Set(started.flatMap(({ process }) => readFoldersBelow(process.pid)));
    return [...found].filter(
      (path) => !isInside(path, folder) && !isInside(folder, path) && (isInside(path, root) || isProject(path)),
    );
  }

  unit({ loads: declared, ...own }: CodeRequest, more: LoadedPaths = { files: [], folders: [] }): Unit {
    const { cwd, script, folder, include, exclude, others } = own;
    const files = [...(declared?.files ?? []), ...more.files];
    const loads = { ...declared, ...more, files, folders: [...(declared?.folders ?? []), ...more.folders] };
    const request = { ...own, loads };
    const key = JSON.stringify([cwd, script, folder, include, exclude, others, loads]);
    const found =
      this.#units.get(key) ??
      new Unit(request, {
        root: this.#options.root,
        budget: this.#budget,
        read: (folderRequest) => this.#read(folderRequest),
        ownOf: (place) => [...this.#store.readBootWrites(place)].flatMap(([path, ms]) => (ms === null ? [path] : [])),
      });
    this.#units.set(key, found);
    return found;
  }

  keepDigests(): void {
    for (const [key, { digester }] of this.#folders) {
      const { cache } = digester;
      if (cache !== undefined) this.#store.writeCache(folderOf(key), cache);
    }
  }

  #read(request: FolderRequest): FolderFiles {
    const own = realPath(this.#options.pm2Home) ?? this.#options.pm2Home;
    const all = { ...request, others: [...request.others, own] };
    const key = JSON.stringify([all.folder, all]);
    const found = this.#folders.get(key) ?? readFolder(all, { store: this.#store, budget: this.#budget });
    this.#folders.set(key, found);
    return found;
  }

  repository({ folder }: Unit): Repository | undefined {
    if (folder === undefined) return undefined;
    if (this.#repositories.has(folder)) return this.#repositories.get(folder);
    const found = findRepository(folder, this.#options.env);
    const known = [...this.#repositories.values()].find((one) => one !== undefined && one.top === found?.top);
    this.#repositories.set(folder, known ?? found);
    return known ?? found;
  }
}

function byKind(imports: readonly string[], elsewhere: readonly string[]): LoadedPaths {
  const folders = imports.filter(isFolder);
  const files = imports.filter((path) => !folders.includes(path));
  return {
    files: files.filter((path) => PROGRAM.test(path)),
    folders: [...folders, ...elsewhere],
    texts: files.filter((path) => !PROGRAM.test(path)),
  };
}

function folderOf(key: string): string {
  return String((JSON.parse(key) as readonly string[])[0]);
}

interface Since {
  /** By default HEAD. */
  readonly commit?: string | undefined;
  /** The folder of a submodule, relative to the unit. */
  readonly below?: string;
}

async function uncommitted(
  unit: Unit,
  repository: Repository | undefined,
  { commit = repository?.head() ?? undefined, below = "" }: Since,
): Promise<Uncommitted> {
  const { folder } = unit;
  if (folder === undefined || repository === undefined || commit === undefined) return { paths: [], problem: null };
  const place = join(folder, below);
  const folders = below === "" ? foldersOutside(unit) : [];
  const tree = await repository.tree(commit, place, folders).catch(() => undefined);
  if (tree === undefined) return { paths: [], problem: `Git did not list the files of ${commit.slice(0, 10)}` };
  const idOf = (path: string): string | undefined =>
    below === "" ? tree.get(path) : isBelow(path, below) ? tree.get(relative(below, path)) : undefined;
  const { digests } = unit;
  const differs = (entry: Unit["files"][number]): boolean => {
    const id = idOf(entry.path);
    if (id === undefined) return false;
    if (id.length === 64) return blobDigest(entry.absolute, entry.kind, "sha256") !== id;
    return typeof digests !== "string" && digests.get(entry.path) !== id;
  };
  const differing = unit.files.filter((entry) => isTrackedCode(entry.path, unit) && differs(entry));
  const unwritten = await repository.unwritten(
    differing.map(({ path }) => path),
    folder,
  );
  const written = differing.filter(({ path }) => unwritten.get(path) !== idOf(path)).map(({ absolute }) => absolute);
  const submodules = await repository.submodules(commit, place, folders).catch(() => []);
  const ofSubmodules = submodules.map(async ([path, id, own]): Promise<Uncommitted> => {
    const at = join(below, path);
    const hasCode = unit.files.some((file) => isBelow(file.path, at) && isTrackedCode(file.path, unit));
    if (!hasCode) return { paths: [], problem: null };
    return own.head() === id
      ? await uncommitted(unit, own, { below: at })
      : { paths: [join(folder, at)], problem: null };
  });
  const problem = typeof digests === "string" && tree.size > 0 ? digests : null;
  return joined([{ paths: written, problem }, ...(await Promise.all(ofSubmodules))]);
}

function joined(found: readonly Uncommitted[]): Uncommitted {
  const [problem = null] = found.flatMap((one) => one.problem ?? []);
  return { paths: [...new Set(found.flatMap(({ paths }) => paths))].toSorted(), problem };
}

/** Of packages of the workspace, and what a start names. */
function foldersOutside({ files }: Unit): string[] {
  const folders = files.flatMap(({ path, absolute }) => (path.startsWith("../") ? [dirname(absolute)] : []));
  return withoutNested([...new Set(folders)]);
}
