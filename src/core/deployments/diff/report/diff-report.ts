import type { Issue } from "../../../api/issue.ts";
import type { DeploymentsDiff } from "../change.ts";

export interface DiffReport extends DeploymentsDiff {
  /** The name that the caller gave, relative to the repository root. */
  readonly file: string;
  readonly from: DiffSide;
  readonly to: DiffSide;
}

export interface DiffSide {
  /** The name that the caller gave; absent for the file in the work tree. */
  readonly revision?: string;
  /** The object id of the revision. */
  readonly commit?: string;
  /** False if the file does not exist there; it then counts as an empty document. */
  readonly exists: boolean;
  readonly valid: boolean;
  readonly issues: readonly Issue[];
}
