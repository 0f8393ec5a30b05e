import { SvcmError } from "../../api/errors.ts";
import { foreignCode } from "../../api/issue.ts";
import { readRoom, roomText } from "../../files/host.ts";
import type { Lacking } from "../../words/thrown.ts";

/** Of this machine, and not of the source. The free space says nothing about a quota. */
export function noSpace(program: string, path: string, lacking: Lacking): SvcmError {
  const what = `${program} has no ${lacking} left for what it writes in ${path}`;
  if (lacking === "quota")
    return new SvcmError("DEPLOY_IMPOSSIBLE", { code: foreignCode("EDQUOT"), path, details: `${what}.` });
  const details = `${what}: ${roomText(readRoom(path))}.`;
  return new SvcmError("DEPLOY_IMPOSSIBLE", { code: "DEPLOY_NO_SPACE", path, details });
}
