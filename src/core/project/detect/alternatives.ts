import { compareText } from "../../api/issue.ts";
import { baseName } from "../../words/path.ts";
import type { NotUnderstood, Pm2File } from "./pm2-file.ts";

/** `pm2 start` without a file looks for these. */
const DEFAULT_NAME = /^ecosystem\.(?:config\.[cm]?js|json|ya?ml)$/;

/** If several files of one package declare the same app for the same environment, the team uses only one of them. */
export function chosenFiles(found: readonly Pm2File[]): { pm2: Pm2File[]; left: NotUnderstood[] } {
  const files = found.map((file) => withoutDoubt(file, found)).toSorted(byPreference);
  const kept: Pm2File[] = [];
  const left: NotUnderstood[] = [];
  for (const file of files) {
    const entries = Object.entries(file.environments);
    const free = entries.filter(([environment]) => !kept.some((other) => isAlternative(other, file, environment)));
    if (free.length > 0) kept.push({ ...file, environments: Object.fromEntries(free) });
    else left.push({ path: file.path, line: 1, what: "another file declares the same app; svcm.yaml names that one" });
  }
  return { pm2: kept.toSorted((a, b) => compareText(a.path, b.path)), left };
}

/** Another file of the package may have the environment in its name. */
function withoutDoubt(file: Pm2File, files: readonly Pm2File[]): Pm2File {
  const others = files.filter((other) => other.home === file.home && other !== file);
  const isNamed = (environment: string): boolean => others.some(({ named }) => named === environment);
  const { dev, ...rest } = file.environments;
  if (file.isGuess && isNamed("production") && !isNamed("dev")) return { ...file, environments: { dev: null } };
  const isDoubtful = dev === null && Object.keys(rest).length > 0 && isNamed("dev");
  return isDoubtful ? { ...file, environments: rest } : file;
}

function isAlternative(one: Pm2File, other: Pm2File, environment: string): boolean {
  const names = new Set(one.apps.map(({ source }) => source));
  return (
    one.home === other.home &&
    Object.hasOwn(one.environments, environment) &&
    other.apps.some(({ source }) => names.has(source))
  );
}

function byPreference(a: Pm2File, b: Pm2File): number {
  return rankOf(a) - rankOf(b) || compareText(a.path, b.path);
}

function rankOf({ path, isBroken, isCalled, isGuess }: Pm2File): number {
  return (
    Number(isBroken) * 8 + Number(!isCalled) * 4 + Number(isGuess) * 2 + Number(!DEFAULT_NAME.test(baseName(path)))
  );
}
