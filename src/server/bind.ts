import { foreignCode, type ErrorCode } from "../core/api/issue.ts";
import { lookup } from "node:dns/promises";
import { isIP, isIPv6 } from "node:net";
import { SvcmError } from "../core/index.ts";
import { canonicalAddress, isLoopbackAddress } from "./host.ts";
import { AUTH_TOKEN, HOST } from "./settings.ts";

export interface Bind {
  /** An address, because a name may resolve differently later. */
  readonly address: string;
  readonly urlHost: string;
  readonly isLoopback: boolean;
}

const MIN_TOKEN_LENGTH = 16;
/** All headers share 8 KiB, and a WebSocket subprotocol carries the token in base64. */
const MAX_TOKEN_BYTES = 4096;
const CONTROL_CHARACTERS = /[\p{Cc}\u2028\u2029]/u;

/** `0`, `::ffff:0.0.0.0` and names are resolved to their address first. @throws {SvcmError} START_REFUSED */
export async function resolveBind(host: string): Promise<Bind> {
  const name = /^\[(.*)\]$/.exec(host)?.[1] ?? host;
  const address = await firstAddress(name);
  return { address, urlHost: urlHost(name, address), isLoopback: isLoopbackAddress(canonicalAddress(address)) };
}

/**
 * Returns the token if it is strong enough. @throws {SvcmError} START_REFUSED, which names the variables, never the
 * token
 */
export function requireToken(bind: Bind, token: string | undefined): string | undefined {
  const problem = tokenProblem(token, bind.isLoopback);
  if (problem === undefined) return token;
  const subject = bind.isLoopback
    ? `${AUTH_TOKEN} ${problem}.`
    : `${HOST} binds ${bind.urlHost}, which is not a loopback address, and ${AUTH_TOKEN} ${problem}.`;
  const minLength = bind.isLoopback ? 1 : MIN_TOKEN_LENGTH;
  const accepted = `a token of one line of ASCII, ${minLength} to ${MAX_TOKEN_BYTES} bytes, without white space at its ends`;
  const alternative = bind.isLoopback ? "Unset it to allow writes without a token" : "Or bind a loopback address";
  throw startRefusal(`${subject} Accepted: ${accepted}. ${alternative}.`);
}

function tokenProblem(token: string | undefined, isLoopback: boolean): string | undefined {
  if (token === undefined) return isLoopback ? undefined : "is not set";
  if (token.trim() === "") return "is set but blank";
  if (CONTROL_CHARACTERS.test(token.trim()))
    return "holds a line break or another control character, which no header can carry";
  // Clients send the other characters as different bytes, or not at all.
  if (/[^\x20-\x7E]/.test(token.trim())) return "holds a character outside of ASCII, which browsers cannot send";
  if (token !== token.trim()) return "has white space at an end, which no header can carry";
  if (Buffer.byteLength(token) > MAX_TOKEN_BYTES) return "is too long for a header";
  return isLoopback || token.length >= MIN_TOKEN_LENGTH ? undefined : "is too short";
}

/** Prefers IPv4, because the documentation uses 127.0.0.1 for `localhost`. */
async function firstAddress(host: string): Promise<string> {
  if (isIP(host) !== 0) return host;
  try {
    const found = await lookup(host, { all: true });
    const [first] = found.toSorted((a, b) => a.family - b.family);
    if (first !== undefined) return first.address;
  } catch (error) {
    const { code = "ENOTFOUND" } = error as NodeJS.ErrnoException;
    throw unresolvedHost(host, foreignCode(code));
  }
  throw unresolvedHost(host, foreignCode("ENOTFOUND"));
}

function unresolvedHost(host: string, code: ErrorCode): SvcmError {
  const name = JSON.stringify(host.slice(0, 80));
  return startRefusal(
    `${name} does not resolve to an address. Set --host or ${HOST} to an address of this machine, or to a name of one.`,
    code,
  );
}

/** `URL` expands `0` and `127.1` to the full address. */
function urlHost(name: string, address: string): string {
  const host = isIP(name) === 0 && URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : address;
  return isIPv6(host) ? `[${host.replace("%", "%25")}]` : host;
}

function startRefusal(details: string, code?: ErrorCode): SvcmError {
  return new SvcmError("START_REFUSED", { details, code });
}
