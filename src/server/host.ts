import type { IncomingMessage } from "node:http";
import { isIP, isIPv4, isIPv6 } from "node:net";
import { MAX_PORT } from "../core/words/numbers.ts";
import { SvcmError } from "../core/index.ts";
import { routes } from "./routes.ts";

const HOST_HEADER = /^(\[[^\]]*\]|[^:[\]]+)(?::([1-9]\d{0,4}))?$/;
const NAME = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;

/** Returns `undefined` for a malformed header. */
export function parseHost(header: string): string | undefined {
  const [, name, port] = HOST_HEADER.exec(header) ?? [];
  return name === undefined || Number(port ?? 1) > MAX_PORT ? undefined : canonicalHost(name);
}

/** Returns a name in lower case, or an address in canonical form without brackets. */
export function canonicalHost(name: string): string | undefined {
  if (name.startsWith("[")) {
    const address = name.slice(1, -1);
    return name.endsWith("]") && isIPv6(address) && !address.includes("%") ? canonicalAddress(address) : undefined;
  }
  const lowerCase = name.toLowerCase();
  return name.length <= 253 && NAME.test(lowerCase) ? lowerCase : undefined;
}

/** An IPv4-mapped IPv6 address becomes IPv4. */
export function canonicalAddress(address: string): string {
  if (isIPv4(address)) return address;
  const [bare = "", zone] = address.split("%");
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high !== undefined && low !== undefined) return toDotted(Number.parseInt(high, 16), Number.parseInt(low, 16));
  return zone === undefined ? canonical : `${canonical}%${zone}`;
}

function toDotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** Expects a canonical address. */
export function isLoopbackAddress(address: string): boolean {
  return address === "::1" || (isIPv4(address) && address.startsWith("127."));
}

/** Includes names that DNS cannot redirect. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || isLoopbackAddress(host);
}

const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * An IPv4 address, or the network of an IPv6 address, because one network has many addresses. Any client can send
 * `X-Forwarded-For`, so the header counts only if a public URL announces a proxy and the connection comes from this
 * machine. The proxy adds the last entry.
 */
export function clientAddress(isBehindProxy: boolean, { socket, headers }: IncomingMessage): string {
  const peer = peerAddress(socket.remoteAddress);
  if (!isBehindProxy || !isLoopbackAddress(peer)) return networkOf(peer);
  const forwarded = String(headers["x-forwarded-for"] ?? "")
    .split(",")
    .at(-1)
    ?.trim();
  return networkOf(forwarded !== undefined && isIP(forwarded) !== 0 ? canonicalAddress(forwarded) : peer);
}

/** Empty if the client has disconnected. */
export function peerAddress(remoteAddress: string | undefined): string {
  return remoteAddress === undefined ? "" : canonicalAddress(remoteAddress);
}

/** Expects and returns canonical spelling; of an IPv6 address, the first 64 bits. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || isLoopbackAddress(address)) return address;
  const [head = "", tail] = (address.split("%")[0] ?? "").split("::");
  const headGroups = head === "" ? [] : head.split(":");
  const tailGroups = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: GROUPS - headGroups.length - tailGroups.length }, () => "0");
  return `${[...headGroups, ...zeros, ...tailGroups].slice(0, NETWORK_GROUPS).join(":")}::/64`;
}

export const PUBLIC_URL = "SVC_SERVICE_MANAGEMENT_PUBLIC_URL";

export interface PublicUrl {
  readonly origin: string;
  readonly host: string;
  /** Without a trailing slash; empty at the root. */
  readonly path: string;
}

const PATH = /^(?:\/[\w.~-]*[\w~-][\w.~-]*)*$/;

/** @throws {SvcmError} START_REFUSED, which names the variable but never credentials in the URL */
export function readPublicUrl(value: string): PublicUrl | undefined {
  if (value === "") return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw startRefusal("is not an http or https URL");
  if (url.username !== "" || url.password !== "") throw startRefusal("holds credentials");
  if (/[?#]/.test(value)) throw startRefusal("has a query or a fragment");
  const host = canonicalHost(url.hostname);
  if (host === undefined) throw startRefusal("does not name a host");
  return { origin: url.origin, host, path: readPath(url.pathname) };
}

function readPath(pathname: string): string {
  const path = pathname.replace(/\/$/, "");
  if (!PATH.test(path))
    throw startRefusal("has a path with other characters than letters, digits, `-`, `.`, `_` and `~`");
  const [, first = ""] = path.split("/");
  if (first !== "" && ownPathSegments().has(first))
    throw startRefusal(`has a path that begins like one of the server's own, /${first}`);
  return path;
}

/** A target without the path stays unchanged, because some proxies remove it and local programs omit it. */
export function stripPublicPath(path: string, target: string): string {
  const [, authority = "", targetPath = ""] = /^(https?:\/\/[^/?#]*)?(.*)$/is.exec(target) ?? [];
  if (!targetPath.startsWith(path)) return target;
  const rest = targetPath.slice(path.length);
  if (rest.startsWith("/")) return authority + rest;
  return rest === "" || rest.startsWith("?") ? `${authority}/index.html${rest}` : target;
}

function ownPathSegments(): ReadonlySet<string> {
  return new Set(routes.map(({ path }) => path.split("/")[1] ?? ""));
}

function startRefusal(problem: string): SvcmError {
  return new SvcmError("START_REFUSED", {
    details: `${PUBLIC_URL} ${problem}. Accepted: the address that people open, such as https://ops.example.com or https://ops.example.com/svcm.`,
  });
}
