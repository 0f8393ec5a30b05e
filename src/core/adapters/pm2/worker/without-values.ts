import type { Fields } from "../../../pm2/normalise.ts";
import { maskCredentials } from "../../../secrets/redact.ts";

const SHORTEST_SECRET = 4;

export function withoutValues(words: string, apps: readonly Fields[]): string {
  const values = apps
    .flatMap((app) => [...Object.values(Object(app["env"]) as Fields), ...[app["args"]].flat()])
    .filter((value): value is string => typeof value === "string" && value.length >= SHORTEST_SECRET);
  return maskCredentials(values.reduce((text, value) => text.replaceAll(value, "[REDACTED]"), words));
}
