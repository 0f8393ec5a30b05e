import type { LogsResponse } from "../api/logs.ts";
import { defineOperation } from "../operation.ts";

/** The newest lines that match. @throws {SvcmError} those of the port */
export const logsRead = defineOperation({
  id: "logs.read",
  access: "logs",
  refusal: "INVALID_REQUEST",
  run: (ports, query, { signal }): Promise<LogsResponse> => ports.logs.read(query, signal),
});
