import { watch as watchFolder } from "node:fs";
import { dirname, join } from "node:path";
import { readSighting, type Sighting } from "../events/sightings.ts";
import type { Sightings } from "../ports/sightings.ts";
import { appender, olderFiles } from "./files/append.ts";
import { attempting } from "./files/file-error.ts";
import { withLog, linesBackwards } from "./files/log.ts";
import { readdir, readText } from "./files/system.ts";
import { kernelFacts } from "./kernel.ts";
import { runningCommands } from "./pm2/running-commands.ts";

const ROTATION = { maxBytes: 2 ** 20, kept: 1 };
const WATCHED = /^(?:pm2\.log|.*\.jsonl)$/;

interface Places {
  readonly pm2Home: string;
  readonly auditFile: string;
}

export function nodeSightings({ pm2Home, auditFile }: Places): Sightings {
  const file = join(pm2Home, ".svcm", "sightings.jsonl");
  const append = appender(file, ROTATION);
  return {
    async readSince(sinceMs) {
      const found: Sighting[] = [];
      for (const path of [file, ...olderFiles(file, ROTATION)]) {
        await withLog(path, async ({ fd, size }) => {
          for await (const { lines } of linesBackwards(fd, size)) {
            for (const line of lines) {
              const sighting = readSighting(line);
              if (sighting !== undefined && sighting.atMs >= sinceMs) found.push(sighting);
            }
          }
        });
      }
      return found.toReversed();
    },
    append: (sightings) =>
      attempting("record an observation in", file, async () => {
        for (const one of sightings) await append(`${JSON.stringify(one)}\n`);
      }),
    readKernel: kernelFacts,
    runningCommands: async () => runningCommands(pm2Home),
    readPids: () => pidsIn(join(pm2Home, "pids")),
    watch: (onChange) => watchFolders([...new Set([pm2Home, dirname(file), dirname(auditFile)])], onChange),
  };
}

/** PM2 names the pid file of a process `<name>-<id>.pid` and removes it when the process ends. */
async function pidsIn(folder: string): Promise<ReadonlyMap<number, number>> {
  const names = await readdir(folder).catch(() => []);
  const pids = new Map<number, number>();
  for (const name of names) {
    const [, id] = /-(\d{1,9})\.pid$/.exec(name) ?? [];
    if (id === undefined) continue;
    const pid = Number(await readText(join(folder, name)).catch(() => ""));
    if (Number.isInteger(pid) && pid > 0) pids.set(Number(id), pid);
  }
  return pids;
}

/** The caller also checks periodically, so a missing folder is ignored. */
function watchFolders(folders: readonly string[], onChange: () => void): () => void {
  const watchers = folders.flatMap((folder) => {
    try {
      const watcher = watchFolder(folder, { persistent: false }, (_event, name) => {
        if (name === null || WATCHED.test(name)) onChange();
      });
      watcher.on("error", () => watcher.close());
      return [watcher];
    } catch {
      return [];
    }
  });
  return () => {
    for (const watcher of watchers) watcher.close();
  };
}
