import { quoteValue } from "../../findings/quote-value.ts";
import { notAccepted, type Rule } from "../rule.ts";
import { DOCUMENT_VERSION } from "../shape.ts";

export const documentVersion: Rule = {
  code: "SUITE_VERSION_UNSUPPORTED",
  severity: "error",
  summary: "The document has a version that svcm does not read.",
  explanation: `svcm reads ${DOCUMENT_VERSION}, and assumes it if the document has no version.`,
  remedy: "Write the version that the message names, and run `svcm migrate --dry-run`.",
  check({ entry: { version } }) {
    if (typeof version !== "string" || version === DOCUMENT_VERSION) return [];
    return [notAccepted("version", `${quoteValue(version)} is not supported`, [DOCUMENT_VERSION])];
  },
};
