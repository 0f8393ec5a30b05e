import type { HasHistoryFiles, HasRecorder } from "../port-history.ts";
import type { Audited } from "../../access/ports.ts";
import type { RecorderResponse } from "../../api/history.ts";
import { withAudit } from "../../access/with-audit.ts";
import { readExtent } from "../extent.ts";
import { defineOperation } from "../../access/operation.ts";

/** Switches the recorder on or off until the server stops. `record: true` in svcm.yaml switches it on at each start. */
export const historyRecord = defineOperation({
  id: "history.record",
  access: "write",
  refusal: "INVALID_PAYLOAD",
  async run(ports: Audited & HasHistoryFiles & HasRecorder, { on }, caller): Promise<RecorderResponse> {
    const { recorder, historyFiles } = ports;
    await withAudit(
      ports,
      caller,
      () => ({ action: "history.record", target: on ? "on" : "off" }),
      async (begin) => {
        if (recorder.state.on === on) return;
        await begin();
        if (on) recorder.start("request");
        else await recorder.stop();
      },
    );
    return { ...recorder.state, ...(await readExtent(historyFiles, await historyFiles.list())) };
  },
});
