import { baseName } from "../../words/path.ts";
import type { Pm2File } from "./pm2-file.ts";

/** One machine has one of these environments, and nothing in the repository says which. */
export function sharePrograms(pm2: readonly Pm2File[]): boolean {
  return pm2.some((file, index) =>
    Object.keys(file.environments).some((environment, at, own) => {
      const isOther = (name: string): boolean => name !== environment && sharesProgram(file, environment, file, name);
      if (own.some((name, position) => position > at && isOther(name))) return true;
      return pm2
        .slice(index + 1)
        .some((other) =>
          Object.keys(other.environments).some(
            (name) => name !== environment && sharesProgram(file, environment, other, name),
          ),
        );
    }),
  );
}

function namesOf({ apps, only }: Pm2File, environment: string): string[] {
  return apps.map(({ name, source }) => name ?? source).filter((name) => only[environment]?.includes(name) ?? true);
}

function sharesProgram(one: Pm2File, inOne: string, other: Pm2File, inOther: string): boolean {
  const programs = new Set(programsOf(one, inOne));
  return programsOf(other, inOther).some((program) => programs.has(program)) || (one === other && programs.size === 0);
}

/** By name and by script: with another name, the same program would run twice on a machine. */
function programsOf(file: Pm2File, environment: string): string[] {
  const names = new Set(namesOf(file, environment));
  const apps = file.apps.filter(({ name, source }) => names.has(name ?? source));
  return [...names, ...apps.flatMap(({ script }) => (script === undefined ? [] : `script ${baseName(script)}`))];
}
