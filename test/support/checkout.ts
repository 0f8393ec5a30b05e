import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ports from "../../pm2/ports.json" with { type: "json" };
import { REPOSITORY } from "./command-line.ts";
import { freePort, isFree } from "./free-port.ts";

type Ports = typeof ports;

const TEMPLATE = "apps/backend-template";
const FILES = [
  "bin",
  "config",
  "deployments.yaml",
  "package.json",
  "pm2",
  "schemas",
  "tsconfig.json",
  `${TEMPLATE}/package.json`,
  `${TEMPLATE}/package-lock.json`,
  `${TEMPLATE}/src`,
  `${TEMPLATE}/tsconfig.json`,
  `${TEMPLATE}/tsconfig.build.json`,
];
/** Links to files of this repository; no test writes through them. */
const LINKED = ["dist", "node_modules", "oclif.manifest.json", `${TEMPLATE}/node_modules`];

/** Creates an installed and built checkout of this repository. */
export function checkout(root: string): void {
  place(root, FILES, [...LINKED, `${TEMPLATE}/dist`]);
}

/** The same with the scripts of `npm start`, which build the backend; svcm itself is already built. */
export function startableCheckout(root: string): void {
  place(root, [...FILES, "scripts"], LINKED);
  const pjson = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
  writeFileSync(join(root, "package.json"), JSON.stringify({ ...pjson, scripts: { ...pjson.scripts, build: "true" } }));
}

function place(root: string, copied: readonly string[], linked: readonly string[]): void {
  for (const file of copied) cpSync(join(REPOSITORY, file), join(root, file), { recursive: true });
  for (const file of linked) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    symlinkSync(join(REPOSITORY, file), join(root, file));
  }
}

/** Changes the ports of a checkout's development profile to free ones. */
export async function moveToFreePorts(root: string): Promise<Ports> {
  const listeners = Object.keys(ports);
  const free: number[] = [];
  while (free.length < listeners.length) free.push(await freePort());
  const moved = Object.fromEntries(listeners.map((listener, at) => [listener, free[at]])) as Ports;
  writeFileSync(join(root, "pm2/ports.json"), JSON.stringify(moved));
  return moved;
}

/** Returns the ports that are in use. */
export async function takenOf(candidates: Ports): Promise<number[]> {
  const looked = await Promise.all(Object.values(candidates).map(async (port) => [port, await isFree(port)] as const));
  return looked.filter(([, isThere]) => !isThere).map(([port]) => port);
}
