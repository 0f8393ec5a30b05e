import type { Route } from "./route.ts";
import { routes } from "./routes.ts";

/** The methods that a path of the table takes, none where the table does not have it. A GET route takes HEAD, too. */
export function allowedMethods(target: string): string[] {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "") || "/";
  const methods = routes.flatMap((route) => (isPathOf(route, path) ? [route.method] : []));
  return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
}

/** A path with a parameter takes one segment for it. */
function isPathOf({ path }: Route, asked: string): boolean {
  const [folder, name] = path.split(":");
  if (name === undefined) return path === asked;
  return asked.startsWith(folder ?? "") && /^[^/]+$/.test(asked.slice(folder?.length));
}
