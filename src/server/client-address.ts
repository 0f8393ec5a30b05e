import type { IncomingMessage } from "node:http";
import { isIP, isIPv6 } from "node:net";
import { canonicalAddress, isLoopbackAddress } from "./host.ts";

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
  const groups = head === "" ? [] : head.split(":");
  const behind = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: GROUPS - groups.length - behind.length }, () => "0");
  return `${[...groups, ...zeros, ...behind].slice(0, NETWORK_GROUPS).join(":")}::/64`;
}
