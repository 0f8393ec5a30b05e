/** A server for many sockets, which sends samples as fast as possible. */
import { setImmediate as turn } from "node:timers/promises";
import { nodePorts } from "../../../src/core/index.ts";
import { startServer } from "../../../src/server/start.ts";
import { manualTelemetry, sample } from "../../server/socket/hand-telemetry.ts";

const [root = "", sockets = "0", sampleBytes = "0"] = process.argv.slice(2);
const telemetry = manualTelemetry();
const ports = { ...nodePorts({ root, env: { PM2_HOME: `${root}/pm2` }, cwd: root }), telemetry };
const server = await startServer({
  ports,
  env: {},
  version: "0.0.0",
  port: 0,
  log: { write: () => undefined },
  limits: { maxSockets: Number(sockets), maxConnections: Number(sockets), pongTimeoutMs: 3_600_000 },
});

const orders: Record<string, (order: { count: number }) => Promise<unknown>> = {
  watchers: ({ count }) => telemetry.watchers(count),
  async give({ count }) {
    for (let at = 0; at < count; at++) {
      telemetry.give(sample(at, Number(sampleBytes)));
      await turn();
    }
  },
  async memory() {
    globalThis.gc?.();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  },
  async close() {
    await server.close();
    process.disconnect();
  },
};

process.on("message", (order: { name: string; count: number }) => {
  void orders[order.name]?.(order).then((answer) => process.connected && process.send?.({ answer }));
});
process.send?.({ answer: server.url });
