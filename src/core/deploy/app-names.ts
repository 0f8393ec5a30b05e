import type { LoadedEcosystem } from "../pm2/loaded.ts";
import { normaliseApp } from "../pm2/normalise.ts";

/** In the order of the file. */
export function appNames({ apps }: LoadedEcosystem): string[] {
  return apps.map(({ fields }) => normaliseApp(fields).name);
}
