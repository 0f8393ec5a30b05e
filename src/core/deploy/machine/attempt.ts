import { foreignCode } from "../../api/issue.ts";
import { SvcmError } from "../../api/errors.ts";

/** @throws {SvcmError} DEPLOY_FAILED with the code of the system */
export async function attemptDeploy<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error instanceof SvcmError) throw error;
    throw new SvcmError("DEPLOY_FAILED", { code: foreignCode(String(error.code)), path, details: error.message });
  }
}
