/** Files that declare the same app: by its name apart from the environment in it, its script or its port. */
import { environmentInName } from "./environment-names.ts";
import type { Pm2App } from "./parse-apps.ts";
import type { Pm2File } from "./pm2-file.ts";
import { joinPath } from "./survey.ts";

export function alternatives(files: readonly Pm2File[]): Pm2File[][] {
  const groups: Pm2File[][] = [];
  for (const file of files) {
    const joined = groups.filter((group) => group.some((other) => isAlternative(other, file)));
    const rest = groups.filter((group) => !joined.includes(group));
    groups.splice(0, groups.length, ...rest, [...joined.flat(), file]);
  }
  return groups.filter((group) => group.length > 1);
}

function isAlternative(one: Pm2File, other: Pm2File): boolean {
  if (one.part !== undefined && other.part !== undefined) return false;
  return other.apps.some((app) => sharesApp(one, app, other));
}

function sharesApp(one: Pm2File, app: Pm2App, of: Pm2File): boolean {
  const script = scriptPath(of, app);
  return one.apps.some((other) => {
    if (script !== undefined && script === scriptPath(one, other)) return true;
    if (one.home !== of.home) return false;
    if (plainName(other) === plainName(app)) return true;
    return other.ports.some((port) => app.ports.includes(port));
  });
}

/** `shop-socket-dev` and `shop-socket` are one app for two environments. */
export function plainName({ name, source }: Pm2App): string {
  if (name === undefined) return source;
  const words = name.split(/[^A-Za-z\d]+/);
  const plain = words.filter((word) => environmentInName(word) === undefined).join("-");
  return plain || name;
}

export function scriptPath({ cwd }: Pm2File, app: Pm2App): string | undefined {
  if (app.script === undefined) return undefined;
  if (app.script.startsWith("/")) return app.script;
  const folder = app.cwd?.startsWith("/") === true ? app.cwd : joinPath(cwd, app.cwd ?? ".");
  return `${folder}/${app.script}`.replace(/^\.\//, "");
}
