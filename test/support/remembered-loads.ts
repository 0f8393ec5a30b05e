/**
 * An ecosystem file runs again only if a file of its folder has changed. Each run starts a program, and most tests ask
 * for the same apps again and again. Every answer is a real one. The command line remembers none.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Ports } from "../../src/core/index.ts";
import type { EcosystemLoader } from "../../src/core/pm2/ports.ts";

type Load = EcosystemLoader["load"];

interface Known {
  readonly stamps: string;
  readonly loaded: ReturnType<Load>;
}

/** Changes the ports and returns them. */
export function rememberLoads(ports: Ports): Ports {
  const { root, pm2Home } = ports.workspace;
  const known = new Map<string, Known>();
  const remembering = (ecosystems: EcosystemLoader, cwd: string, current = ""): EcosystemLoader => {
    const load: Load = async (path, folder = cwd, purpose = "read") => {
      const key = JSON.stringify([path, folder, purpose]);
      const places = { folders: [folder, dirname(path)], pm2Home, current };
      const stamps = stampsOf(places);
      const former = known.get(key);
      if (stamps !== undefined && former?.stamps === stamps) return await former.loaded;
      const loaded = ecosystems.load(path, folder, purpose);
      if (stamps !== undefined) known.set(key, { stamps, loaded });
      const { files } = await loaded.finally(() => known.delete(key));
      const isApart = files.some((file) => !places.folders.some((one) => file.startsWith(`${one}/`)));
      // A file that writes beside itself runs again, and so does one that loads another from afar.
      if (stamps !== undefined && !isApart && stampsOf(places) === stamps) known.set(key, { stamps, loaded });
      return await loaded;
    };
    return { ...ecosystems, load };
  };
  const { ecosystems, deploys } = ports;
  const set = (name: keyof Ports, value: unknown) => Object.defineProperty(ports, name, { value, enumerable: true });
  set("ecosystems", remembering(ecosystems, root));
  set("deploys", async () => {
    const own = await deploys();
    const ofRelease: typeof own.world = (place) => {
      const release = own.world(place);
      const { current } = place.layout;
      return { ...release, ecosystems: remembering(release.ecosystems, release.workspace.root, current) };
    };
    return { ...own, world: ofRelease };
  });
  return ports;
}

const OF_A_TEST = /\/svcm-(?:pm2|test)-/;
/** More files than a test writes are not worth the look. */
const MAX_ENTRIES = 300;

interface Places {
  readonly folders: readonly string[];
  readonly pm2Home: string;
  /** The link to the present release. */
  readonly current: string;
}

/** Of everything in the folders, of the branch, the daemon and its logs; undefined for folders that no test made. */
function stampsOf({ folders, pm2Home, current }: Places): string | undefined {
  if (folders.some((folder) => !OF_A_TEST.test(folder) || !existsSync(folder))) return undefined;
  const logs = statSync(join(pm2Home, "logs"), { throwIfNoEntry: false });
  const others = folders.map((folder) => join(folder, ".git/logs/HEAD"));
  const stamps = [...others, join(pm2Home, "pm2.pid"), current].map(stampOf);
  stamps.push(`${logs?.ino} ${logs?.mode} ${logs?.uid}`);
  const todo = [...new Set(folders)];
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (path === pm2Home || entry.name === ".git" || entry.name === ".svcm") continue;
      stamps.push(stampOf(path));
      if (entry.isDirectory()) todo.push(path);
      if (stamps.length > MAX_ENTRIES) return undefined;
    }
  }
  return stamps.join("\n");
}

/** Of the file that a link leads to. */
function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return `${path} ${stats?.ino} ${stats?.size} ${stats?.ctimeNs}`;
}
