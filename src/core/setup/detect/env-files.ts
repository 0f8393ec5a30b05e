import { isEncrypted, parseEnvDocument } from "../../env/document.ts";
import { environmentInName } from "./environment-names.ts";
import type { DetectionNote } from "./pm2-file.ts";
import { baseName } from "../../words/path.ts";
import { packageFolderOf, isEnvName, isTemplateName, withoutTemplateWord, type Survey } from "./survey.ts";

export interface DetectedEnvFile {
  readonly path: string;
  /** `other`: the name, such as `docker-compose.env`, does not relate the file to the app. */
  readonly kind: "values" | "template" | "other";
  readonly environment: string | undefined;
  /** The folder of the nearest package.json; `.` for the root. */
  readonly home: string;
  readonly isLocal: boolean;
  readonly isEncrypted: boolean;
}

/** @param known environments that PM2 files or their callers name */
export function detectEnvFiles(
  { files }: Survey,
  packages: readonly string[],
  known: ReadonlySet<string> = new Set(),
): { env: DetectedEnvFile[]; notes: DetectionNote[] } {
  const found = [...files].flatMap(([path, text = ""]) =>
    isEnvName(path) ? [describeEnvFile(path, text, packages, known)] : [],
  );
  return { env: found.map(({ env }) => env), notes: found.flatMap(({ notes }) => notes) };
}

function describeEnvFile(
  path: string,
  text: string,
  packages: readonly string[],
  known: ReadonlySet<string>,
): { env: DetectedEnvFile; notes: DetectionNote[] } {
  const name = baseName(path);
  const { rest, word, named } = readName(name, known);
  const isTemplate = isTemplateName(name);
  const home = packageFolderOf(path, packages);
  const isPart = word !== undefined && named === undefined && name.startsWith(".env");
  const isHelper = HELPER_FOLDER.test(path.slice(home === "." ? 0 : home.length + 1));
  const reasons = [
    ...(isPart ? [`${rest} is not known as an environment`] : []),
    ...(isHelper ? ["its folder is not that of an app"] : []),
  ];
  const isOther = reasons.length > 0 || (named === undefined && !name.startsWith(".env"));
  const env: DetectedEnvFile = {
    path,
    kind: isTemplate && !isHelper && !isPart ? "template" : isOther ? "other" : "values",
    environment: named,
    home,
    isLocal: name.endsWith(".local"),
    isEncrypted: isEncrypted(text),
  };
  const notes = reasons.map((reason) => ({
    path,
    line: 1,
    what: `svcm.yaml does not name this file, because ${reason}`,
  }));
  return { env, notes };
}

/** `.env.staging.local` is for staging, and `.env.staging.example` is the template of such a file. */
function readName(
  name: string,
  known: ReadonlySet<string>,
): { rest: string; word: string | undefined; named: string | undefined } {
  const rest = withoutTemplateWord(name)
    .replace(/^\.?env[.-]?/, "")
    .replace(/^\.(?=.+\.env$)/, "")
    .replace(/\.env$/, "")
    .replace(/\.local$/, "");
  const word = rest === "" || name === ".env.local" ? undefined : rest.toLowerCase();
  const named = environmentInName(rest) ?? (word !== undefined && known.has(word) ? word : undefined);
  return { rest, word, named };
}

/** Env files there belong to a tool, a container or a script beside the app. */
const HELPER_FOLDER =
  /^(?:.*\/)?(?:scripts?|tools?|docker|deploy|deployment|infra|k8s|helm|terraform|ansible|\.github|\.devcontainer)\//i;

export function parseAssignments(text: string): (readonly [string, string])[] {
  const document = parseEnvDocument(text);
  const commented = document.comments.map(({ start, end }) => document.text.slice(start, end).replace(/^\s*#+\s?/, ""));
  const inComments = commented
    .filter((line) => /^[A-Z][A-Z\d_]+=/.test(line))
    .flatMap((line) => parseEnvDocument(line).entries);
  return [...document.entries, ...inComments].map(({ key, value }) => [key, value]);
}
