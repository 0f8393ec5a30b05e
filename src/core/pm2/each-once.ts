import type { EcosystemLoader } from "../ports/index.ts";

/** The same loader, which runs each file once, because services and environments may share one. */
export function eachOnce(loader: EcosystemLoader): EcosystemLoader {
  const loads = new Map<string, ReturnType<EcosystemLoader["load"]>>();
  return {
    ...loader,
    load(path, cwd) {
      const key = `${path}\0${cwd ?? ""}`;
      const load = loads.get(key) ?? loader.load(path, cwd);
      loads.set(key, load);
      return load;
    },
  };
}
