import { readSource } from "../../yaml/read.ts";
import { validateDocument, validateSource } from "../validate.ts";
import type { HasFacts } from "../../project/port-repository.ts";
import type { DeploymentsVerdict } from "../../api/bodies.ts";
import { isValid } from "../../api/issue.ts";
import { SvcmError } from "../../api/errors.ts";
import { defineOperation } from "../../access/operation.ts";
import type { Vocabulary } from "../vocabulary.ts";
import { DEPLOYMENTS_FILE, vocabularyOf } from "../file.ts";
import { decodeUtf8, describeInvalidUtf8 } from "../../words/utf8.ts";

/** Writes nothing. Only issues of YAML text have locations. @see CONTRACT section 3 */
export const deploymentsValidate = defineOperation({
  id: "suite.validate",
  access: "read",
  refusal: "INVALID_PAYLOAD",
  async run(ports: HasFacts, document): Promise<DeploymentsVerdict> {
    const vocabulary = await vocabularyOf(ports);
    if (document instanceof Uint8Array) return validated(requireUtf8(document), vocabulary);
    const issues = validateDocument(document, vocabulary);
    return { valid: isValid(issues), issues };
  },
});

/** A text has no file name, so locations use the default name. */
function validated(text: string, vocabulary: Vocabulary): DeploymentsVerdict {
  const source = readSource(text, DEPLOYMENTS_FILE);
  const issues = validateSource(source, vocabulary);
  const { value } = source;
  return { valid: isValid(issues), issues, document: isJson(value) ? value : undefined };
}

/** @throws {SvcmError} INVALID_PAYLOAD if the bytes are not UTF-8 */
function requireUtf8(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new SvcmError("INVALID_PAYLOAD", { details: describeInvalidUtf8(bytes) });
  return text;
}

/** JSON would change `.inf` and `.nan` to null. */
function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isJson);
}
