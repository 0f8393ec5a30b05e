import { startWithoutHttp } from "../server/start.ts";
import { SvcmCommand } from "./base.ts";
import { nodeFlags } from "./terminal/flags.ts";

export default class Agent extends SvcmCommand {
  static override summary = "Add this machine to the fleet, without HTTP.";
  static override description =
    "Connects to the NATS server that svcm.yaml names and answers the requests of its users; nothing listens on this machine. SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS names the file of the node's key. The log goes to standard error. SIGINT and SIGTERM shut the agent down gracefully.";
  static override examples = [
    "<%= config.bin %> agent",
    "<%= config.bin %> agent --nats tls://nats.internal:4222 --node-name web-1",
  ];
  static override flags = nodeFlags;

  async run() {
    const { flags } = await this.parse(Agent);
    const { signal } = this;
    const ports = await this.ports({ isServer: true });
    const { startNode } = await import("../fleet/index.ts");
    const { env } = process;
    const { version } = this.config;
    const node = await startWithoutHttp({ ports, env }, (own, log) =>
      startNode({ ports: own, log, env, version, url: flags.nats, name: flags["node-name"] }),
    );
    if (this.jsonEnabled()) this.logJsonLine({ event: "ready", node: node.name });
    this.log(`Node ${node.name} is in the fleet at ${node.servers.join(", ")}`);
    // With `wait_ready`, PM2 waits for this message.
    process.send?.("ready");
    if (!signal.aborted) await new Promise((stop) => signal.addEventListener("abort", stop, { once: true }));
    await node.close();
    // PM2's channel would keep the process alive until `kill_timeout`.
    process.channel?.unref();
  }
}
