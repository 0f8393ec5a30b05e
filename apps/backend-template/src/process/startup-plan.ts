import { readFileSync } from "node:fs";
import { requireStartup, type CarriedDrivers, type Entrypoint, type StartupPlan } from "svcm/startup";

/** The drivers that this backend has adapters for. `svcm startup check` reads the same file. */
const DRIVERS_FILE = new URL("../config/svcm.startup.json", import.meta.url);

/** @throws {StartupRefused} with every reason why the entrypoint must not start */
export function startupPlan(entrypoint: Entrypoint): StartupPlan {
  return requireStartup(entrypoint, process.env, { drivers: carriedDrivers() });
}

export function carriedDrivers(): CarriedDrivers {
  const { drivers } = JSON.parse(readFileSync(DRIVERS_FILE, "utf8")) as { readonly drivers: CarriedDrivers };
  return drivers;
}
