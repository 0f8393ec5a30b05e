import type { HasLogs } from "../port-logs.ts";
import type { LogsResponse } from "../../api/logs.ts";
import { defineOperation } from "../../access/operation.ts";

/** Returns the newest matching lines. @throws {SvcmError} as `Logs.read` */
export const logsRead = defineOperation({
  id: "logs.read",
  access: "logs",
  refusal: "INVALID_REQUEST",
  run: (ports: HasLogs, query, { source, signal }): Promise<LogsResponse> =>
    ports.logs.read({ ...query, readsFiles: source === "cli" }, signal),
});
