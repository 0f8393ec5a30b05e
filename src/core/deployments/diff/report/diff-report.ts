import type { Issue } from "../../../api/issue.ts";
import type { DeploymentsDiff } from "../change.ts";

/** Two deployments documents, and what the way from one to the other means. Each renderer of this folder tells one. */
export interface DiffReport extends DeploymentsDiff {
  /** As it was asked for, relative to the repository root. */
  readonly file: string;
  readonly from: DiffSide;
  readonly to: DiffSide;
}

/** One of the two documents that are compared. */
export interface DiffSide {
  /** As it was asked for; absent for the file in the work tree. */
  readonly revision?: string;
  /** The object id that the revision names. */
  readonly commit?: string;
  /** False where there is no such file; it is compared as an empty document. */
  readonly exists: boolean;
  readonly valid: boolean;
  readonly issues: readonly Issue[];
}
