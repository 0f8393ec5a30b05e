import { defineOperation } from "../../access/operation.ts";
import type { DaemonReport } from "../../api/boot.ts";
import { daemonReport } from "../examine.ts";
import type { BootPorts } from "../ports.ts";
import { readDaemonFacts } from "../read-daemon.ts";

export const daemonShow = defineOperation({
  id: "daemon.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: BootPorts): Promise<DaemonReport> {
    return daemonReport(await readDaemonFacts(ports, ports.daemons.libraryVersion));
  },
});
