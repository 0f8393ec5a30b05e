import type { Route } from "./route.ts";
import { routes } from "./routes.ts";

/** Empty if no route has the path. A GET route accepts HEAD, too. */
export function allowedMethods(target: string): string[] {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "") || "/";
  const methods = routes.flatMap((route) => (isPathOf(route, path) ? [route.method] : []));
  return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
}

function isPathOf({ path }: Route, asked: string): boolean {
  const [folder, name] = path.split(":");
  if (name === undefined) return path === asked;
  return asked.startsWith(folder ?? "") && /^[^/]+$/.test(asked.slice(folder?.length));
}
