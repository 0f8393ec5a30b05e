import type { HasFiles, HasStamps } from "../files/ports.ts";
import { resolvePath } from "../project/resolve.ts";
import { isRecord, ownMember, parseRecord } from "../words/record.ts";
import { findPackageFolder, type PackageRun, packageRun, readTextIn } from "./package-run.ts";
import { commandWords, statementsIn } from "./start-values.ts";

/** A script that a start runs. */
export interface PackageScript {
  readonly folder: string;
  readonly name: string;
  /** The text of the `package.json` that has it. */
  readonly manifest: string;
}

export interface FollowedRun {
  /** In which the app works; null if that is not known. */
  readonly folder: string | null;
  readonly scripts: readonly PackageScript[];
}

/** The script of a workspace often only hands over to that of one package, as `npm start -w api` does. */
export async function followRun(
  ports: HasFiles & Pick<HasStamps, "stamps">,
  cwd: string,
  first: PackageRun | undefined,
): Promise<FollowedRun> {
  const scripts: PackageScript[] = [];
  let place: Place = { folder: cwd, run: first };
  while (place.folder !== null && place.run !== undefined) {
    const { script: name } = place.run;
    const folder = await findPackageFolder(ports, place.folder, place.run);
    if (folder === null || scripts.some((one) => one.folder === folder && one.name === name))
      return { folder, scripts };
    const manifest = await readTextIn(ports, `${folder}/package.json`);
    scripts.push({ folder, name, manifest });
    place = handOver(folder, textOf(manifest, name));
  }
  return { folder: place.folder, scripts };
}

interface Place {
  readonly folder: string | null;
  readonly run: PackageRun | undefined;
}

function textOf(manifest: string, name: string): string {
  const { scripts } = parseRecord(manifest) ?? {};
  const text = isRecord(scripts) ? ownMember(scripts, name) : undefined;
  return typeof text === "string" ? text : "";
}

/** Of programs that run beside each other, or of which only one runs. */
const SEVERAL = /\||(?<!&)&(?!&)/;

/** The last command is the one that goes on. */
function handOver(folder: string, text: string): Place {
  if (SEVERAL.test(text)) return { folder, run: undefined };
  const statements = statementsIn(text);
  const last = statements.pop() ?? "";
  let at = folder;
  for (const statement of statements) {
    const [, to] = /^cd\s+["']?([^"'\s]+)["']?$/.exec(statement) ?? [];
    if (to === undefined) continue;
    if (/[$~`*]/.test(to)) return { folder: null, run: undefined };
    at = resolvePath(at, to);
  }
  return { folder: at, run: packageRun(commandWords(last)) };
}
