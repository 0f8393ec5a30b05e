import { parseRecord, isRecord } from "../words/record.ts";
import { decodeUtf8 } from "../words/utf8.ts";
import type { DaemonFacts } from "./facts.ts";
import { listOrEmpty } from "../pm2/list-or-empty.ts";
import type { BootPorts } from "./ports.ts";
import type { RenewalFacts } from "./renewal.ts";

export async function readDaemonFacts(
  ports: Pick<BootPorts, "daemons" | "files" | "processes" | "savedLists" | "workspace">,
  library: string | null,
): Promise<DaemonFacts> {
  const { daemons, workspace, savedLists, processes } = ports;
  return {
    home: workspace.pm2Home,
    daemons: await daemons.list(),
    nodeVersion: await daemons.nodeVersion(),
    library,
    renewal: daemons.renewal(),
    wantedNode: await readWantedNode(ports),
    saved: await savedLists.read((value) => processes.digest(value)),
  };
}

export async function readRenewalFacts(ports: BootPorts, node: string): Promise<RenewalFacts> {
  const { daemons, units, workspace, processes } = ports;
  const facts = await readDaemonFacts(ports, daemons.libraryVersion);
  const system = await units.read(workspace.pm2Home);
  return {
    ...facts,
    node,
    nodeVersion: await daemons.versionOf(node),
    former: facts.daemons?.find(({ isOwn }) => isOwn),
    // A renewal that was cut off may have stopped at any point.
    running: facts.renewal === null ? await listOrEmpty(processes) : [],
    own: processes.ownProcess(),
    user: system.current,
    units: system.units,
    standing: facts.renewal,
  };
}

/** `.nvmrc` is more exact than `engines`. */
async function readWantedNode(ports: Pick<BootPorts, "files" | "workspace">): Promise<DaemonFacts["wantedNode"]> {
  for (const file of [".nvmrc", ".node-version"]) {
    const range = (await readText(ports, file)).trim();
    // A name such as `lts/*` means another version every year.
    if (/^v?\d/.test(range)) return { range, file };
  }
  const engines = parseRecord(await readText(ports, "package.json"))?.["engines"];
  const range = isRecord(engines) ? engines["node"] : undefined;
  return typeof range === "string" ? { range, file: "package.json" } : null;
}

async function readText({ files, workspace }: Pick<BootPorts, "files" | "workspace">, name: string): Promise<string> {
  const bytes = await files.read(`${workspace.root}/${name}`).catch(() => new Uint8Array());
  return decodeUtf8(bytes) ?? "";
}
