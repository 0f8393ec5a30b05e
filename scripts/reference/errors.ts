import { errorTable } from "../../src/core/api/errors.ts";
import { page, table } from "./markdown.ts";

export function errorsPage(): string {
  return page(
    "Errors",
    "src/core/api/errors.ts",
    "Every refusal is one of these rows, with the same body in a terminal (`--json`), over HTTP and over WebSocket: `{ error, details?, code?, path?, issues? }`. [Exit codes](settings.md#exit-codes) says what each exit code means.",
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
