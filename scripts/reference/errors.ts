import { errorTable } from "../../src/core/errors.ts";
import { page, table } from "./markdown.ts";

export function errorsPage(): string {
  return page(
    "Errors",
    "src/core/errors.ts",
    "Every refusal is one of these rows, with the same body in a terminal (`--json`), over HTTP and over WebSocket: `{ error, details?, code?, path?, issues? }`. Exit codes: 0 done, 1 the answer is no, 2 wrong usage, 3 could not, 70 a defect of svcm.",
    table(
      ["Kind", "HTTP status", "Exit code", "`error`"],
      Object.entries(errorTable).map(([kind, { status, exitCode, error }]) => [
        `\`${kind}\``,
        String(status),
        String(exitCode),
        error,
      ]),
    ),
  );
}
