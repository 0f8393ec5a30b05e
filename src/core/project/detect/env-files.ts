import { isEncrypted, parseEnvDocument } from "../../env/document.ts";
import { environmentIn } from "./environment-names.ts";
import { baseName } from "../../words/path.ts";
import { isEnvName, isTemplateName, type Survey } from "./survey.ts";

export interface DetectedEnvFile {
  readonly path: string;
  readonly kind: "values" | "template";
  /** The environment that its name says; `undefined` for a plain `.env`. */
  readonly environment: string | undefined;
  readonly isLocal: boolean;
  readonly isEncrypted: boolean;
}

export function envFilesOf({ files }: Survey): DetectedEnvFile[] {
  return [...files.keys()].filter(isEnvName).map((path) => {
    const name = baseName(path);
    const rest = name
      .replace(/^\.env\.?/, "")
      .replace(/\.env$/, "")
      .replace(/\.local$/, "");
    return {
      path,
      kind: isTemplateName(name) ? "template" : "values",
      environment: environmentIn(rest) ?? (rest === "" || name === ".env.local" ? undefined : rest.toLowerCase()),
      isLocal: name.endsWith(".local"),
      isEncrypted: isEncrypted(files.get(path) ?? ""),
    };
  });
}

/** Every key that a file names, with its values: assignments, and assignments that are commented out. */
export function assignmentsIn(text: string): (readonly [string, string])[] {
  const document = parseEnvDocument(text);
  const commented = document.comments.map(({ start, end }) => document.text.slice(start, end).replace(/^\s*#+\s?/, ""));
  const inComments = commented
    .filter((line) => /^[A-Z][A-Z\d_]+=/.test(line))
    .flatMap((line) => parseEnvDocument(line).entries);
  return [...document.entries, ...inComments].map(({ key, value }) => [key, value]);
}
