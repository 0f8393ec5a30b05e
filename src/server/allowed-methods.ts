import { routes } from "./routes.ts";

/** The methods that a path of the table takes, none where the table does not have it. A GET route takes HEAD, too. */
export function allowedMethods(target: string): string[] {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "") || "/";
  const methods = routes.flatMap((route) => (route.path === path ? [route.method] : []));
  return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
}
