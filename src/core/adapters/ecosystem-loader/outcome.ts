import { foreignCode, type ErrorCode } from "../../api/code.ts";
import type { LoadedApp, LoadedEcosystem } from "../../pm2/loaded.ts";

export type Outcome =
  | ({ readonly ok: true } & Omit<LoadedEcosystem, "path">)
  | { readonly ok: false; readonly code: ErrorCode; readonly reason: string; readonly at?: Place };

export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

export const RESULT_FD = 3;

export const MAX_RESULT_BYTES = 2 ** 20;

/** `undefined` for other text: the file's code can write to the same descriptor. */
export function readOutcome(line: string): Outcome | undefined {
  const value = parse(line);
  if (!isRecord(value)) return undefined;
  if (value["ok"] === true) return isLoaded(value) ? (value as unknown as Outcome) : undefined;
  const { code, reason, at } = value;
  if (typeof code !== "string" || typeof reason !== "string" || !/^[A-Z][A-Z0-9_]+$/.test(code)) return undefined;
  return { ok: false, code: foreignCode(code), reason, ...(isPlace(at) && { at }) };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isLoaded({ apps, found, isDefaultExport, files }: Readonly<Record<string, unknown>>): boolean {
  const isFound = ["apps", "pm2", "export", "nothing"].some((name) => name === found);
  return (
    isFound && typeof isDefaultExport === "boolean" && Array.isArray(apps) && apps.every(isLoadedApp) && isTexts(files)
  );
}

function isLoadedApp(app: unknown): app is LoadedApp {
  if (!isRecord(app)) return false;
  const { fields, keys, unset, places } = app;
  if (!isRecord(fields) || !isTexts(keys) || !isTexts(unset) || !isRecord(places)) return false;
  const { cwd, script, interpreter, hasCwd, hasScript, envFiles } = places;
  const isTold = typeof hasCwd === "boolean" && typeof hasScript === "boolean" && isTexts([cwd, script, interpreter]);
  return isTold && Array.isArray(envFiles) && envFiles.every(isEnvFile);
}

function isEnvFile(file: unknown): boolean {
  if (!isRecord(file)) return false;
  const { given, path, exists, isOptional } = file;
  return isTexts([given, path]) && typeof exists === "boolean" && typeof isOptional === "boolean";
}

function isPlace(value: unknown): value is Place {
  if (!isRecord(value)) return false;
  const { file, line, column = 1 } = value;
  return typeof file === "string" && Number.isInteger(line) && Number.isInteger(column);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((element) => typeof element === "string");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
