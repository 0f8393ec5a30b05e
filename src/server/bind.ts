import { lookup } from "node:dns/promises";
import { isIP, isIPv6 } from "node:net";
import { SvcmError } from "../core/index.ts";
import { canonicalAddress, isLoopbackAddress } from "./host.ts";
import { AUTH_TOKEN, HOST } from "./settings.ts";

/** The one address that the server will listen on. */
export interface Bind {
  /** What the system is handed: an address, never a name that may resolve differently next time. */
  readonly address: string;
  /** The host as a URL spells it. */
  readonly urlHost: string;
  readonly isLoopback: boolean;
}

const MIN_TOKEN_LENGTH = 16;
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;

/**
 * Resolves the asked host to an address. `0`, `::ffff:0.0.0.0` and names are judged by what they
 * resolve to, not by how they are spelled.
 *
 * @throws {SvcmError} START_REFUSED
 */
export async function resolveBind(host: string): Promise<Bind> {
  const asked = /^\[(.*)\]$/.exec(host)?.[1] ?? host;
  const address = await firstAddress(asked);
  return { address, urlHost: urlHost(asked, address), isLoopback: isLoopbackAddress(canonicalAddress(address)) };
}

/**
 * A token that will do for this address, or none.
 *
 * @throws {SvcmError} START_REFUSED naming the variables, never the token.
 */
export function requireToken(bind: Bind, token: string | undefined): string | undefined {
  if (bind.isLoopback) {
    if (token === undefined || token.trim() !== "") return token;
    throw refuse(`${AUTH_TOKEN} is set but blank. Unset it to allow writes without a token, or give it a value.`);
  }
  const problem = tokenProblem(token);
  if (problem === undefined) return token;
  throw refuse(
    `${HOST} binds ${bind.urlHost}, which is not a loopback address, and ${AUTH_TOKEN} ${problem}. ` +
      `Accepted: a token of one line with at least ${MIN_TOKEN_LENGTH} characters, or a loopback address.`,
  );
}

function tokenProblem(token: string | undefined): string | undefined {
  if (token === undefined) return "is not set";
  if (token.trim() === "") return "is blank";
  if (LINE_BREAK.test(token)) return "has more than one line";
  return token.trim().length < MIN_TOKEN_LENGTH ? "is too short" : undefined;
}

/** IPv4 first: `localhost` then is 127.0.0.1, the address of the documentation. */
async function firstAddress(host: string): Promise<string> {
  if (isIP(host) !== 0) return host;
  try {
    const found = await lookup(host, { all: true });
    const [first] = found.toSorted((a, b) => a.family - b.family);
    if (first !== undefined) return first.address;
  } catch (error) {
    const { code = "ENOTFOUND" } = error as NodeJS.ErrnoException;
    throw refuse(`${HOST}: ${JSON.stringify(host.slice(0, 80))} does not resolve to an address.`, code);
  }
  throw refuse(`${HOST}: ${JSON.stringify(host.slice(0, 80))} does not resolve to an address.`, "ENOTFOUND");
}

/** `0` and `127.1` are numbers to a URL, which then spells them out. */
function urlHost(asked: string, address: string): string {
  const host = isIP(asked) === 0 && URL.canParse(`http://${asked}`) ? new URL(`http://${asked}`).hostname : address;
  return isIPv6(host) ? `[${host.replace("%", "%25")}]` : host;
}

function refuse(details: string, code?: string): SvcmError {
  return new SvcmError("START_REFUSED", { details, ...(code !== undefined && { code }) });
}
