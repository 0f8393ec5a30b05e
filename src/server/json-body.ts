import type { Issue } from "../core/contract/issue.ts";
import { SvcmError } from "../core/index.ts";
import { scanJson, type JsonPath, type JsonProblem } from "./json-scan.ts";

const MAX_SHOWN_NAME = 80;

/**
 * Parses a body strictly. What it holds is never quoted: a body that is not understood may be
 * anything, a secret in the wrong place included.
 *
 * @throws {SvcmError} INVALID_PAYLOAD
 */
export function parseJsonBody(bytes: Uint8Array, maxDepth: number): unknown {
  if (bytes.length === 0) throw invalid("The body is empty. Accepted: a JSON object.");
  const text = decode(bytes);
  const value = parse(text);
  const problem = scanJson(text, maxDepth);
  if (problem !== undefined) throw refusal(problem, maxDepth);
  if (value === undefined) throw invalid("The body is not JSON.");
  return value.json;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalid("The body is not UTF-8 text.");
  }
}

/** Its own error is dropped: it quotes the text. */
function parse(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function refusal(problem: JsonProblem, maxDepth: number): SvcmError {
  switch (problem.kind) {
    case "syntax":
      return invalid(`The body is not JSON: it goes wrong at position ${problem.position}.`);
    case "depth":
      return invalid(`The body is nested deeper than ${maxDepth} levels, at position ${problem.position}.`);
    case "duplicates": {
      const issues = problem.paths.map(duplicateIssue);
      return invalid(issues.map(({ message }) => message).join("; "), issues);
    }
  }
}

function duplicateIssue(path: JsonPath): Issue {
  const shown = path.map((step) => (typeof step === "string" ? step.slice(0, MAX_SHOWN_NAME) : step));
  const message = `${shown.join(".")}: stands more than once`;
  return { code: "INPUT_DUPLICATE_MEMBER", severity: "error", path: shown, message };
}

function invalid(details: string, issues?: readonly Issue[]): SvcmError {
  return new SvcmError("INVALID_PAYLOAD", { details, ...(issues && { issues }) });
}
