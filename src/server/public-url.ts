import { SvcmError } from "../core/index.ts";
import { canonicalHost } from "./host.ts";
import { routes } from "./routes.ts";

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
