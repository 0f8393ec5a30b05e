import type { FoundCommit } from "./find-commit.ts";
import type { Checkout, DeployGit } from "./port-deploy-git.ts";
import type { DeployRecord } from "./record.ts";

export interface NewRelease {
  readonly found: FoundCommit;
  readonly git: DeployGit;
  readonly checkout: Checkout;
  readonly records: readonly DeployRecord[];
}
