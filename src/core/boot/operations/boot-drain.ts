import { defineOperation } from "../../access/operation.ts";
import { SvcmError } from "../../api/errors.ts";
import type { BootPorts } from "../ports.ts";

/** For the stop of the unit: each app gets its own time to end, all at once. Without a daemon, there is nothing to do. */
export const bootDrain = defineOperation({
  id: "boot.drain",
  access: "act",
  refusal: "INVALID_REQUEST",
  async run({ processes }: Pick<BootPorts, "processes">): Promise<{ readonly drained: boolean }> {
    try {
      await processes.drain();
      return { drained: true };
    } catch (error) {
      if (error instanceof SvcmError && error.body.code === "PM2_NOT_RUNNING") return { drained: false };
      throw error;
    }
  },
});
