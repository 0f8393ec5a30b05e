import { packagedRuntimeContract } from "./packaged.generated.ts";
import type { RuntimeContract } from "./schema.ts";

/** Whether a repository carries a runtime contract of its own: what that does not name, it does not show. */
export function isOwnContract(contract: RuntimeContract): boolean {
  return contract !== packagedRuntimeContract;
}
