import { createRequire } from "node:module";
import { resolve } from "node:path";
import type { DeclaredRun } from "../../../ports/processes.ts";
import { LinkFailure, wordsOf } from "../failure.ts";
import { loaded } from "./pm2-api.ts";
import { withoutValues } from "./without-values.ts";

/** Validated, with defaults and absolute paths. `env` holds only declared variables. */
export type ResolvedApp = Readonly<Record<string, unknown>> & { readonly env: Readonly<Record<string, unknown>> };

/** As `pm2 start <file>` does. @throws {LinkFailure} PM2_ACTION_FAILED with PM2's message, without values */
export async function resolveApp({ app, folder }: DeclaredRun, home: string): Promise<ResolvedApp> {
  const { default: common } = await loaded(import("pm2/lib/Common.js"));
  try {
    const { cwd } = app;
    const base = resolve(folder, typeof cwd === "string" ? cwd : ".");
    const verified = common.verifyConfs([{ ...structuredClone(app), cwd: base }]);
    if (verified instanceof Error) throw verified;
    const [valid = {}] = verified;
    const script = valid["script"] === "serve" ? staticServer() : valid["script"];
    // The filter matches every name, so PM2 adds no variable of its caller.
    const conf = { ...valid, script, namespace: valid["namespace"] ?? "default", filter_env: [""] };
    const {
      filter_env: _filter,
      cwd: _base,
      env,
      ...resolved
    } = common.resolveAppAttributes({ cwd: "/", pm2_home: home }, conf);
    return {
      ...resolved,
      ...(cwd !== undefined && { cwd }),
      env: Object.fromEntries(Object.entries(env as object).map(asText)),
    };
  } catch (error) {
    throw new LinkFailure("PM2_ACTION_FAILED", withoutValues(wordsOf(error), [app]));
  }
}

function staticServer(): string {
  return createRequire(import.meta.url).resolve("pm2/lib/API/Serve.js");
}

function asText([key, value]: [string, unknown]): [string, unknown] {
  return [key, typeof value === "object" ? JSON.stringify(value) : value];
}
