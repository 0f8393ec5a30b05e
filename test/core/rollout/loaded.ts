import type { Data, LoadedApp, LoadedEcosystem } from "../../../src/core/pm2/loaded.ts";
import { expectedApps, type ExpectedApp } from "../../../src/core/rollout/expected.ts";

export type Fields = Readonly<Record<string, Data>>;

const envFile = { given: ".env", path: "/srv/.env", exists: true, isOptional: false };

/** An ecosystem file with these apps, which run /srv/api.js in /srv with an env file, by default /srv/.env. An app without a name is `api`. */
export function loaded(apps: readonly Fields[], start?: LoadedApp["start"]): LoadedEcosystem {
  const text = (value: Data | undefined, otherwise: string): string => (typeof value === "string" ? value : otherwise);
  const all = apps.map((fields) => {
    const own = { name: "api", ...fields };
    const places = {
      folder: "/srv",
      cwd: text(fields["cwd"], "/srv"),
      hasCwd: true,
      script: text(fields["script"], "/srv/api.js"),
      hasScript: true,
      interpreter: text(fields["interpreter"], "node"),
      envFiles: [{ ...envFile, path: text(fields["env_file"], envFile.path) }],
    };
    return { fields: own, keys: Object.keys(own), unset: [], places, ...(start && { start }) };
  });
  const path = "/pm2/e.config.cjs";
  return { path, realPath: path, apps: all, found: "apps", isDefaultExport: false, files: [], withheld: [] };
}

const digest = (value: string): string => value;

export function expectedOf(apps: readonly Fields[], start?: LoadedApp["start"]): ExpectedApp[] {
  const machine = { cpuCores: 4, pm2Home: "/home/.pm2" };
  return expectedApps(loaded(apps, start), { machine, spellings: ["production", "prod"], digest });
}
