import { defineOperation } from "../../access/operation.ts";
import type { BootReport } from "../../api/boot.ts";
import { bootReport } from "../examine.ts";
import type { BootPorts } from "../ports.ts";
import { readBootFacts } from "../read-facts.ts";

/** Changes nothing and starts no daemon. Never returns a value of an app. */
export const bootShow = defineOperation({
  id: "boot.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: BootPorts, input, caller): Promise<BootReport> {
    return bootReport(await readBootFacts(ports, input, caller));
  },
});
