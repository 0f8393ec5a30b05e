import type { ProcessRecord } from "../pm2/process-record.ts";
import type { StateOf } from "../running/state.ts";
import type { ValuesVerdict } from "../running/values.ts";
import type { Verdicts } from "../running/code-evidence.ts";
import type { ExpectedApp, FileState } from "./expected.ts";
import type { AppliedState } from "./release.ts";

export interface ComparisonInput extends FileState {
  readonly expected: readonly ExpectedApp[];
  readonly running: readonly ProcessRecord[];
  /** Visible keys are not secrets, whatever their names. */
  readonly visibleKeys: ReadonlySet<string>;
  readonly appliedApps?: AppliedState["apps"] | undefined;
  /** By PM2's number of the process; absent if neither env files nor Git were read. */
  readonly values?: ReadonlyMap<number, ValuesVerdict> | undefined;
  /** Absent if only the definitions are compared. */
  readonly verdicts?: Verdicts | undefined;
  /** PM2's numbers of processes that do not stay up. */
  readonly failing?: ReadonlySet<number> | undefined;
  readonly stateOf: StateOf;
}
