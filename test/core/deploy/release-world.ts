/** A checkout and a release as real folders, with a deploy root, Git and commands that only note their calls. */
import { existsSync } from "node:fs";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { layoutOf } from "../../../src/core/deploy/layout.ts";
import { prepareRelease } from "../../../src/core/deploy/prepare.ts";
import { chooseDeploy, type DeployEvent, type DeployRecord } from "../../../src/core/deploy/record.ts";
import type { Room } from "../../../src/core/files/ports.ts";
import type { CommandOptions, CommandResult, DiskSize } from "../../../src/core/deploy/port-deploys.ts";
import { runningRecord } from "../../support/counting-ports.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { loaded, type Fields } from "../rollout/loaded.ts";

export const commit = "4a91c77".padEnd(40, "0");
export const ID = "20261127080501-4a91c77";
export const NOW = Date.parse("2026-11-27T08:05:01.000Z");
/** In the shell and in the settings of a package registry. */
export const CANARY = "canary-7d21";

const SVCM = `version: 1
environments: { production: [prod], dev: [] }
`;
const KEYS = `env: { production: .env.production }
keys:
  PORT: { kind: integer, minimum: 1, tier: read-only }
`;

export interface World {
  /** The section of svcm.yaml. */
  readonly deploy?: string;
  /** The rest of svcm.yaml. */
  readonly more?: string;
  readonly apps?: readonly Fields[];
  /** Missing files of the ecosystem, as the loader found it. */
  readonly hasScript?: boolean;
  readonly release?: Readonly<Record<string, string>>;
  readonly checkout?: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly submodules?: readonly string[];
  readonly pointers?: readonly string[];
  readonly free?: Pick<Room, "bytes" | "files">;
  /** Of the checkout, and of the release when it is whole. */
  readonly size?: DiskSize;
  readonly records?: readonly Partial<DeployRecord>[];
  readonly digest?: string;
  readonly signal?: AbortSignal;
  readonly current?: string;
  readonly isAdopting?: boolean;
  /** Names of apps that run in the checkout. */
  readonly inPlace?: readonly string[];
  readonly others?: readonly string[];
  /** The folder of the release with a lockfile and a package.json. */
  readonly lockfile?: string;
  readonly run?: (command: unknown, options: CommandOptions) => Partial<CommandResult> | void;
}

const PACKAGE = {
  names: ["package-lock.json"],
  packageText: '{"scripts":{"build":"make"},"devDependencies":{"a":"1"}}',
};

interface Seen {
  readonly calls: string[];
  readonly events: DeployEvent[];
  readonly output: string[];
  readonly reported: string[];
  readonly notes: string[];
}

export interface ReleaseWorlds extends Seen {
  readonly release: { readonly root: string };
  readonly checkout: { readonly root: string };
  /** The arguments of a function of this room. */
  readonly context: () => Promise<never>;
  readonly world: never;
  readonly code: never;
  readonly prepare: () => Promise<DeployRecord>;
}

export function makeWorld(world: World = {}): ReleaseWorlds {
  const ecosystem =
    world.more?.startsWith("services:") === true ? "" : "ecosystem: { production: ecosystem.config.cjs }\n";
  const svcm = { "svcm.yaml": `${SVCM}${ecosystem}${world.more ?? KEYS}deploy: ${world.deploy ?? "{}"}\n` };
  const env = world.more === undefined ? { ".env.production": "PORT=3000\n" } : {};
  const release = makeWorkspace({ ...svcm, ...env, ...world.release });
  const checkout = makeWorkspace({ ...svcm, ...world.checkout });
  const seen: Seen = { calls: [], events: [], output: [], reported: [], notes: [] };
  const { apps, ...file } = loaded((world.apps ?? [{ name: "web" }]).map((one) => ({ script: "server.js", ...one })));
  const places = { cwd: release.root, script: `${release.root}/server.js`, hasScript: world.hasScript ?? true };
  const all = apps.map((app) => ({ ...app, places: { ...app.places, ...places } }));
  const load = async () => ({ ...file, apps: all });
  const own = {
    ...release.ports,
    ecosystems: { load, list: async () => [], withheldValues: () => [] },
    programFolders: ["/srv"],
    paths: { from: [checkout.root], release: release.root, shared: "/d/shared" },
  };
  const inPlace = (world.inPlace ?? []).map((name) => runningRecord({ name, cwd: checkout.root }));
  const withHomeKey = async () => ({ digest: (text: string) => `of ${text}` });
  const ports = {
    ...checkout.ports,
    clock: { now: () => NOW, elapsed: () => 0 },
    processes: { ...checkout.ports.processes, list: async () => inPlace, withHomeKey },
  };
  const context = async () => ({
    ...chooseDeploy(await ports.facts.project(), undefined),
    ports,
    root: rootOf(world, seen, checkout.root),
    deploys: { world: () => own, ...commandsOf(world, seen) },
    caller: { source: "cli", actor: "ann", say: (text: string) => void seen.reported.push(text), signal: world.signal },
    environment: world.environment ?? "production",
    spellings: ["production", "prod"],
    service: undefined,
    isAdopting: world.isAdopting ?? false,
    notes: seen.notes,
  });
  const { digest } = world;
  const found = { commit, revision: "main", source: "/origin", ...(digest !== undefined && { digest }) };
  const code = {
    git: gitOf(world, seen),
    found,
    checkout: { top: checkout.root, prefix: "" },
    records: world.records ?? [],
  };
  return {
    ...seen,
    release,
    checkout,
    context: context as () => Promise<never>,
    world: own as never,
    code: code as never,
    prepare: async () => await prepareRelease((await context()) as never, code as never),
  };
}

function rootOf(world: World, { calls, events, output }: Seen, checkout: string) {
  const size = world.size ?? { bytes: 100, files: 10 };
  const call =
    (text: (...args: never[]) => string) =>
    async (...args: never[]): Promise<void> =>
      void calls.push(text(...args));
  return {
    layout: layoutOf("/d"),
    append: async (_id: string, event: DeployEvent) => void events.push(event),
    appendOutput: (_id: string, line: string) => void output.push(line),
    createFolder: call((path: string) => `folder ${path}`),
    writeRevision: call((_id: string, of: string, top: string) => `REVISION ${of.slice(0, 7)} ${top === checkout}`),
    findPointers: async (_folder: string, of: readonly string[]) =>
      (world.pointers ?? []).filter((one) => of.includes(one)),
    exists: async (path: string) => existsSync(path),
    hasEntry: async (path: string) => path === "/d/shared/.env.kept",
    share: call((_id: string, of: readonly { path: string; former: string }[]) =>
      `share ${of.map(({ path, former }) => `${path} of ${former.replace(checkout, "checkout")}`).join(", ")}`.trim(),
    ),
    installFolder: async (_top: string, folder: string) =>
      folder.endsWith(world.lockfile ?? "/") ? folder : undefined,
    packageFolder: async (folder: string) => ({
      folder,
      ...(world.lockfile ? PACKAGE : { names: [], packageText: undefined }),
    }),
    measure: async () => size,
    room: async () => ({ totalBytes: 2 ** 40, ...(world.free ?? { bytes: 2 ** 30, files: 1000 }) }),
    noteFiles: call(
      (_id: string, of: readonly { cwd: string; include?: unknown; exclude?: unknown }[]) =>
        `note ${of.map(({ cwd, include, exclude }) => `${cwd.replace(/^.*\/(?=jobs$)|^.*$/, "")} ${JSON.stringify([include, exclude])}`).join(", ")}`,
    ),
    sync: call(() => "sync"),
    remove: call((id: string) => `remove ${id}`),
    realPath: (path: string) => path,
    current: async () => world.current ?? null,
  };
}

function commandsOf({ run }: World, { calls }: Seen) {
  return {
    callerVariables: () => ({ PATH: "/bin", SECRET: CANARY }),
    registrySecrets: () => [CANARY],
    run: async (command: unknown, options: CommandOptions): Promise<CommandResult> => {
      calls.push(`run ${String(command)}`);
      await options.onStart?.({ pid: 7, startTime: "1" });
      const end = { end: "exit", exitCode: 0, signal: null, stdout: "", lastLines: [] } as const;
      return { ...end, ...run?.(command, options) };
    },
  };
}

function gitOf({ submodules = [], others = [] }: World, { calls }: Seen) {
  return {
    readCommit: async () => ({ subject: "faster search", submodules, lfsCandidates: ["a.bin", "b.bin"] }),
    write: async (of: string, folder: string, index: string) =>
      void calls.push(`write ${of.slice(0, 7)} ${folder} ${index}`),
    listOthers: async () => others,
  };
}

/** The error of a release that cannot be prepared, and what was done before it. */
export async function refusal(world: World): Promise<ReleaseWorlds & { readonly error: SvcmError }> {
  const made = makeWorld(world);
  const error: unknown = await made.prepare().catch((reason: unknown) => reason);
  if (!(error instanceof SvcmError)) throw new TypeError("It was prepared.", { cause: error });
  return { ...made, error };
}
