import type { Issue } from "../api/issue.ts";
import { SvcmError } from "../api/errors.ts";
import { decodeUtf8 } from "./utf8.ts";
import { scanJson, type JsonPath, type JsonProblem } from "./json-scan.ts";

const MAX_NAME_LENGTH = 80;

type JsonSource = "body" | "frame" | "request";

/** Error messages never quote the text, which may contain a secret. @throws {SvcmError} INVALID_PAYLOAD */
export function parseJson(bytes: Uint8Array, maxDepth: number, what: JsonSource = "body"): unknown {
  if (bytes.length === 0) throw invalid(`The ${what} is empty. Accepted: a JSON object.`);
  const text = decodeUtf8(bytes);
  if (text === undefined) throw invalid(`The ${what} is not UTF-8 text.`);
  const problem = scanJson(text, maxDepth);
  if (problem !== undefined) throw refusal(problem, maxDepth, what);
  return JSON.parse(text);
}

function refusal(problem: JsonProblem, maxDepth: number, what: JsonSource): SvcmError {
  switch (problem.kind) {
    case "syntax":
      return invalid(`The ${what} is not JSON at position ${problem.position}. Expected: ${problem.expected}.`);
    case "depth":
      return invalid(`The ${what} is nested deeper than ${maxDepth} levels, at position ${problem.position}.`);
    case "prototype":
      return invalid(
        `The ${what} has a member named __proto__: ${shortPath(problem.path).join(".")}. Accepted: any other name.`,
      );
    case "duplicates": {
      const issues = problem.paths.map(duplicateIssue);
      return invalid(issues.map(({ message }) => message).join("; "), issues);
    }
  }
}

function shortPath(path: JsonPath): (string | number)[] {
  return path.map((step) => (typeof step === "string" ? step.slice(0, MAX_NAME_LENGTH) : step));
}

function duplicateIssue(path: JsonPath): Issue {
  const shortened = shortPath(path);
  const message = `${shortened.join(".")} appears more than once; keep one`;
  return { code: "INPUT_DUPLICATE_MEMBER", severity: "error", path: shortened, message };
}

function invalid(details: string, issues?: readonly Issue[]): SvcmError {
  return new SvcmError("INVALID_PAYLOAD", { details, issues });
}
