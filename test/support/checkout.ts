import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import ports from "../../pm2/ports.json" with { type: "json" };
import { REPOSITORY } from "./command-line.ts";

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
/** Of this repository itself: nothing writes through these links. */
const LINKED = ["dist", "node_modules", "oclif.manifest.json", `${TEMPLATE}/node_modules`];

/** Makes a checkout of this repository elsewhere, installed and built. */
export function checkout(root: string): void {
  place(root, FILES, [...LINKED, `${TEMPLATE}/dist`]);
}

/** The same with the scripts of `npm start`, which build the backend there; svcm itself is built already. */
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

/**
 * Ports below those that the system gives out, so that no process gets one between the look and the start. Each worker
 * begins elsewhere.
 */
const FIRST_PORT = 12_000 + (process.pid % 1_000) * 16;

/** Moves the development profile of a checkout to ports that are free. */
export async function moveToFreePorts(root: string): Promise<Ports> {
  const listeners = Object.keys(ports);
  const free: number[] = [];
  for (let port = FIRST_PORT; free.length < listeners.length; port += 1) if (await isFree(port)) free.push(port);
  const moved = Object.fromEntries(listeners.map((listener, at) => [listener, free[at]])) as Ports;
  writeFileSync(join(root, "pm2/ports.json"), JSON.stringify(moved));
  return moved;
}

async function isFree(port: number): Promise<boolean> {
  const server = await listenAt(port).catch(() => undefined);
  server?.close();
  return server !== undefined;
}

/** @throws the system's error if the port is taken */
export function listenAt(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

/** Returns the ports that are taken. */
export async function takenOf(candidates: Ports): Promise<number[]> {
  const looked = await Promise.all(Object.values(candidates).map(async (port) => [port, await isFree(port)] as const));
  return looked.filter(([, isThere]) => !isThere).map(([port]) => port);
}
