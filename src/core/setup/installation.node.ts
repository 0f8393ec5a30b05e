import type { Installation, Pm2Daemon, ServiceAddress } from "./ports.ts";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { MAX_PORT } from "../words/numbers.ts";
import { AUTH_TOKEN, DEFAULT_HOST, DEFAULT_PORT, HOST, PORT } from "../api/names.ts";

import { readIfReadable, systemCode } from "../files/system.ts";
import { callDaemon, probeSocket } from "../pm2/daemon/daemon.ts";
import { findInstalledPm2, findPm2, type Pm2Places } from "../pm2/daemon/find-pm2.ts";
import { systemUser, userName } from "../files/host.ts";

interface InstallationOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly places: Pm2Places;
}

const SERVICE_TIMEOUT_MS = 1000;
const DAEMON_TIMEOUT_MS = 400;

export function nodeInstallation({ env, places }: InstallationOptions): Installation {
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    user: systemUser(),
    get pm2Version() {
      return findInstalledPm2(places).code?.version ?? null;
    },
    pm2: () => findPm2(places),
    hasToken: Boolean(env[AUTH_TOKEN]),
    daemon: () => findDaemon(places.home),
    homeRefusal: () => findRefusal(places.home),
    service: () => findService(env),
    hasProgram: (name) => (env["PATH"] ?? "").split(delimiter).some((folder) => isFile(join(folder, name))),
  };
}

async function findDaemon(home: string): Promise<Pm2Daemon | null> {
  const socket = join(home, "rpc.sock");
  const code = await probeSocket(socket);
  if (code === "ENOENT" || code === "ECONNREFUSED") return null;
  const version = code === undefined ? await callDaemon(socket, "getVersion", DAEMON_TIMEOUT_MS) : undefined;
  const pid = Number.parseInt(readIfReadable(join(home, "pm2.pid")), 10);
  return {
    version: typeof version === "string" ? version.slice(0, 40) : null,
    pid: Number.isNaN(pid) ? null : pid,
    owner: ownerName(socket) ?? ownerName(home) ?? "unknown",
  };
}

function findRefusal(folder: string): string | null {
  try {
    accessSync(folder, constants.W_OK);
    return null;
  } catch (error) {
    const code = systemCode(error);
    return code === "ENOENT" ? null : code;
  }
}

/** Another user may see the folder but not its content. */
function ownerName(path: string): string | undefined {
  try {
    return userName(statSync(path).uid);
  } catch {
    return undefined;
  }
}

async function findService(env: InstallationOptions["env"]): Promise<ServiceAddress> {
  const host = env[HOST]?.trim() || DEFAULT_HOST;
  const port = env[PORT]?.trim() || String(DEFAULT_PORT);
  const isAddress = /^[\w.:[\]-]+$/.test(host) && /^\d{1,5}$/.test(port) && Number(port) <= MAX_PORT;
  if (!isAddress) return { address: null, answer: "nothing" };
  const urlHost = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  if (Number(port) === 0) return { address: `${urlHost}:${port}`, answer: "nothing" };
  return {
    address: `${urlHost}:${port}`,
    answer: await identifyService(`http://${reachableHost(urlHost)}:${port}/healthz`),
  };
}

/** A wildcard address is reached through loopback. */
function reachableHost(host: string): string {
  return host === "0.0.0.0" || host === "[::]" ? DEFAULT_HOST : host;
}

async function identifyService(url: string): Promise<ServiceAddress["answer"]> {
  try {
    const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(SERVICE_TIMEOUT_MS) });
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
