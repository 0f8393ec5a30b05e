import type { Issue } from "../../../api/issue.ts";
import type { DeploymentsDiff } from "../change.ts";

export interface DiffReport extends DeploymentsDiff {
  readonly file: string;
  readonly from: DiffSide;
  readonly to: DiffSide;
}

export interface DiffSide {
  readonly revision?: string;
  readonly commit?: string;
  /** A missing file counts as an empty document. */
  readonly exists: boolean;
  readonly valid: boolean;
  readonly issues: readonly Issue[];
}
