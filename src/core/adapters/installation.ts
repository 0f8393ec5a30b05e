import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { MAX_PORT } from "../words/port.ts";
import { AUTH_TOKEN, DEFAULT_HOST, DEFAULT_PORT, HOST, PORT } from "../api/service-settings.ts";
import type { Installation, Pm2Daemon, ServiceAddress } from "../ports/installation.ts";
import { textIfReadable } from "./files/if-readable.ts";
import { askDaemon, probe } from "./pm2/daemon.ts";
import { systemUser } from "./host.ts";

interface InstallationOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pm2Home: string;
}

const SERVICE_MS = 1000;
const PATIENCE_MS = 400;

export function nodeInstallation({ env, pm2Home }: InstallationOptions): Installation {
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    user: systemUser(),
    get pm2Version() {
      return versionOf("pm2/package.json");
    },
    hasToken: Boolean(env[AUTH_TOKEN]),
    daemon: () => daemonIn(pm2Home),
    service: () => serviceAt(env),
    hasProgram: (name) => (env["PATH"] ?? "").split(delimiter).some((folder) => isFile(join(folder, name))),
  };
}

function versionOf(manifest: string): string | null {
  try {
    const { version } = createRequire(import.meta.url)(manifest) as { readonly version?: unknown };
    return typeof version === "string" ? version : null;
  } catch {
    return null;
  }
}

async function daemonIn(home: string): Promise<Pm2Daemon | null> {
  const socket = join(home, "rpc.sock");
  const refused = await probe(socket);
  if (refused === "ENOENT" || refused === "ECONNREFUSED") return null;
  const version = refused === undefined ? await askDaemon(socket, "getVersion", PATIENCE_MS) : undefined;
  const pid = Number.parseInt(textIfReadable(join(home, "pm2.pid")), 10);
  return {
    version: typeof version === "string" ? version.slice(0, 40) : null,
    pid: Number.isNaN(pid) ? null : pid,
    owner: ownerOf(socket) ?? ownerOf(home) ?? "unknown",
  };
}

/** Another user may see the folder but not its content. */
function ownerOf(path: string): string | undefined {
  try {
    const { uid } = statSync(path);
    const entry = new RegExp(`^([^:]+):[^:]*:${uid}:`, "m").exec(textIfReadable("/etc/passwd"));
    return entry?.[1] ?? `uid ${uid}`;
  } catch {
    return undefined;
  }
}

async function serviceAt(env: InstallationOptions["env"]): Promise<ServiceAddress> {
  const host = env[HOST]?.trim() || DEFAULT_HOST;
  const port = env[PORT]?.trim() || String(DEFAULT_PORT);
  const isAddress = /^[\w.:[\]-]+$/.test(host) && /^\d{1,5}$/.test(port) && Number(port) <= MAX_PORT;
  if (!isAddress) return { address: null, answer: "nothing" };
  const shown = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  if (Number(port) === 0) return { address: `${shown}:${port}`, answer: "nothing" };
  return { address: `${shown}:${port}`, answer: await answerOf(`http://${reachable(shown)}:${port}/healthz`) };
}

/** A wildcard address is reached through loopback. */
function reachable(host: string): string {
  return host === "0.0.0.0" || host === "[::]" ? DEFAULT_HOST : host;
}

async function answerOf(url: string): Promise<ServiceAddress["answer"]> {
  try {
    const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(SERVICE_MS) });
    const body = (await response.json()) as { readonly status?: unknown; readonly version?: unknown };
    return body.status === "ok" && typeof body.version === "string" ? "svcm" : "other";
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { readonly code?: string };
    // System error codes begin with E.
    return code?.startsWith("E") ? "nothing" : "other";
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
