import type { ErrorCode } from "../../api/issue.ts";
import type { LoadedEcosystem } from "../loaded.ts";
import type { LoadPurpose } from "../ports.ts";

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

/** Each purpose with its additions to a plain run of the file. */
const PURPOSES: Readonly<Record<LoadPurpose, { readonly asksPm2: boolean; readonly movesClock: boolean }>> = {
  read: { asksPm2: false, movesClock: false },
  judge: { asksPm2: true, movesClock: false },
  repeat: { asksPm2: false, movesClock: true },
  review: { asksPm2: true, movesClock: true },
};

export const asksPm2 = (purpose: LoadPurpose): boolean => PURPOSES[purpose].asksPm2;
export const movesClock = (purpose: LoadPurpose): boolean => PURPOSES[purpose].movesClock;
