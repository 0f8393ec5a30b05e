import { isIPv4, isIPv6 } from "node:net";
import { MAX_PORT } from "../core/words/port.ts";

const HOST_HEADER = /^(\[[^\]]*\]|[^:[\]]+)(?::([1-9]\d{0,4}))?$/;
const NAME = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;

/** Returns `undefined` for a malformed header. */
export function hostOf(header: string): string | undefined {
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
  if (high !== undefined && low !== undefined) return dotted(Number.parseInt(high, 16), Number.parseInt(low, 16));
  return zone === undefined ? canonical : `${canonical}%${zone}`;
}

function dotted(high: number, low: number): string {
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
