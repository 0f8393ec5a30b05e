import type codes from "../../../config/codes.json";

/**
 * A finding of a validator. Validators return every issue, sorted; they never throw and never print. `issueBody` is its
 * schema; the type is separate, because `svcm/startup` publishes it without zod.
 */
export interface Issue {
  /** A stable code, for example `ENV_VALUE_UNSUPPORTED`. */
  readonly code: ErrorCode;
  /** Only errors make a document invalid. */
  readonly severity: Severity;
  /** The path in the document, for example `["values", "SVC_HTTP_FRAMEWORK"]`. */
  readonly path: readonly (string | number)[];
  /** The problem and the accepted values. Never contains a secret. */
  readonly message: string;
  /** The accepted values, for a program that offers a choice. */
  readonly accepted?: readonly string[] | undefined;
  /** The accepted value that was probably meant. */
  readonly suggestion?: string | undefined;
  /** The location in the file. */
  readonly at?: Location | undefined;
}

export type Severity = "error" | "warning";

export interface Location {
  /** As the user gave it, or absolute. */
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
  /** Counts from 1, in UTF-16 units, as editors do. */
  readonly column: number;
}

/** `file:line:column`, as compilers print it and editors open it. */
export function locationText({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`;
}

/** The message after its place, for texts that have no other room for the place. */
export function locatedMessage({ at, message }: Pick<Issue, "at" | "message">): string {
  return at === undefined ? message : `${locationText(at)}: ${message}`;
}

/** The most findings of one kind that a check reports, because a hostile file can have millions. */
export const MAX_FINDINGS = 1000;

const NOWHERE: Location = { file: "", line: 0, column: 0 };

/** Sorts by file, line, column, code and path, the order of every report. */
export function sortIssues(issues: readonly Issue[]): Issue[] {
  return issues.toSorted(
    (a, b) =>
      compareLocations(a.at ?? NOWHERE, b.at ?? NOWHERE) ||
      compareText(a.code, b.code) ||
      compareText(a.path.join("."), b.path.join(".")),
  );
}

function compareLocations(a: Location, b: Location): number {
  return compareText(a.file, b.file) || a.line - b.line || a.column - b.column;
}

/** Sorts by code unit, which is the same in every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function isValid(issues: readonly Issue[]): boolean {
  return issues.every((issue) => issue.severity !== "error");
}

type Topics = typeof codes;
/** `svcm explain <code>` documents it. */
export type Code = { [Topic in keyof Topics]: keyof Topics[Topic] }[keyof Topics];

declare const foreign: unique symbol;

/** From the operating system, such as `ENAMETOOLONG`, or from another program. */
export type ForeignCode = string & { readonly [foreign]: true };

export type ErrorCode = Code | ForeignCode;

export function foreignCode(code: string): ForeignCode {
  return code as ForeignCode;
}

/** No space, or none for this user. */
export function isFullDisk(code: ErrorCode): boolean {
  return code === "ENOSPC" || code === "EDQUOT";
}
