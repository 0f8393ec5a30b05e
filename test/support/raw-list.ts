import axon from "pm2/modules/pm2-axon/index.js";
import rpc from "pm2/modules/pm2-axon-rpc/index.js";
import { join } from "node:path";

/** An item of PM2's list in PM2's own form, with every value. */
export interface RawProcess {
  readonly pm_id: number;
  readonly name: string;
  readonly pid: number;
  readonly pm2_env: Readonly<Record<string, unknown>>;
}

/** PM2's own list, read without svcm. */
export async function listRawProcesses(home: string): Promise<RawProcess[]> {
  const socket = axon.socket("req");
  socket.connect(join(home, "rpc.sock"));
  const client = new rpc.Client(socket);
  try {
    return await new Promise((resolve, reject) => {
      client.call("getMonitorData", {}, (error, list) => (error ? reject(error) : resolve(list as RawProcess[])));
    });
  } finally {
    socket.close();
  }
}
