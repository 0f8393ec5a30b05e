import type { ErrorCode } from "../../api/issue.ts";
import type { LoadedEcosystem } from "../loaded.ts";

export type Outcome =
  | ({
      readonly ok: true;
      readonly absent: readonly string[];
    } & Omit<LoadedEcosystem, "path" | "realPath" | "appsElsewhere" | "withheld">)
  | { readonly ok: false; readonly code: ErrorCode; readonly reason: string; readonly at?: FileLocation | undefined };

export interface FileLocation {
  readonly file: string;
  readonly line: number;
  readonly column?: number | undefined;
}

export const RESULT_FD = 3;

export const MAX_RESULT_BYTES = 2 ** 20;
