import { isEncrypted, parseEnvDocument } from "../../env/document.ts";
import { environmentInName } from "./environment-names.ts";
import { baseName } from "../../words/path.ts";
import { packageFolderOf, isEnvName, isTemplateName, type Survey } from "./survey.ts";

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

export function detectEnvFiles({ files }: Survey, packages: readonly string[]): DetectedEnvFile[] {
  return [...files.keys()].filter(isEnvName).map((path) => {
    const name = baseName(path);
    const rest = name
      .replace(/^\.env\.?/, "")
      .replace(/\.env$/, "")
      .replace(/\.local$/, "");
    const named = environmentInName(rest);
    const isOther = named === undefined && !name.startsWith(".env");
    return {
      path,
      kind: isTemplateName(name) ? "template" : isOther ? "other" : "values",
      environment: named ?? (rest === "" || name === ".env.local" ? undefined : rest.toLowerCase()),
      home: packageFolderOf(path, packages),
      isLocal: name.endsWith(".local"),
      isEncrypted: isEncrypted(files.get(path) ?? ""),
    };
  });
}

export function parseAssignments(text: string): (readonly [string, string])[] {
  const document = parseEnvDocument(text);
  const commented = document.comments.map(({ start, end }) => document.text.slice(start, end).replace(/^\s*#+\s?/, ""));
  const inComments = commented
    .filter((line) => /^[A-Z][A-Z\d_]+=/.test(line))
    .flatMap((line) => parseEnvDocument(line).entries);
  return [...document.entries, ...inComments].map(({ key, value }) => [key, value]);
}
