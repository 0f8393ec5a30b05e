import * as Flags from "@oclif/core/flags";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { startServer } from "../server/start.ts";
import type { Ports } from "../core/index.ts";
import type { FleetLog } from "../fleet/index.ts";
import { SvcmCommand } from "./base.ts";
import { nodeFlags } from "./terminal/flags.ts";

export default class Serve extends SvcmCommand {
  static override summary = "Serve the HTTP API and the web console, on 127.0.0.1:3200 by default.";
  static override description =
    "Any address other than loopback requires SVC_SERVICE_MANAGEMENT_AUTH_TOKEN. Logs go to standard error: readable lines in a terminal, JSON lines elsewhere. SIGINT and SIGTERM shut the server down gracefully.";
  static override examples = [
    "<%= config.bin %> serve",
    "<%= config.bin %> serve --port 3201 --open",
    "<%= config.bin %> serve --record",
    "<%= config.bin %> serve --nats nats://nats.internal:4222 --node-name web-1",
    "SVC_SERVICE_MANAGEMENT_AUTH_TOKEN=<token> <%= config.bin %> serve --host 0.0.0.0",
  ];
  static override flags = {
    host: Flags.string({
      summary: "Address to listen on.",
      env: "SVC_SERVICE_MANAGEMENT_HOST",
      helpValue: "<address>",
    }),
    port: Flags.string({
      summary: "Port to listen on. 0 picks a free one.",
      env: "SVC_SERVICE_MANAGEMENT_PORT",
      helpValue: "<port>",
    }),
    ...nodeFlags,
    open: Flags.boolean({ summary: "Open the console in a browser.", default: false }),
    record: Flags.boolean({
      summary: "Record the history of host and processes, every 10 seconds; at most 64 MB in .svcm/history.",
      default: false,
    }),
  };

  async run() {
    const { flags } = await this.parse(Serve);
    const { open, host, port, record, nats: url, "node-name": name } = flags;
    const { signal } = this;
    const consoleDir = join(this.config.root, "dist/console");
    const ports = await this.ports({ isServer: true });
    const server = await startServer({
      ports,
      env: process.env,
      version: this.config.version,
      consoleDir,
      host,
      port,
      record,
      connectFleet: async () => (await import("../fleet/index.ts")).connectFleet(ports, process.env),
      openMcp: async (own, log, askNode) => {
        const docs = join(this.config.root, "docs");
        return (await import("../mcp/index.ts")).openMcp({
          ports: own,
          version: this.config.version,
          log,
          docs,
          askNode,
        });
      },
      startAgent:
        url === undefined && name === undefined ? undefined : (own, log) => this.#joinFleet(own, log, { url, name }),
    });
    if (this.jsonEnabled()) this.logJsonLine({ event: "listening", url: server.url });
    this.log(`Service Management listening on ${server.url}`);
    if (open) openBrowser(server.url, (program) => this.logToStderr(`${program} is not installed. Open ${server.url}`));
    // With `wait_ready`, PM2 waits for this message.
    process.send?.("ready");
    if (!signal.aborted) await new Promise((stop) => signal.addEventListener("abort", stop, { once: true }));
    await server.close();
    // PM2's channel would keep the process alive until `kill_timeout`.
    process.channel?.unref();
  }

  async #joinFleet(
    ports: Ports,
    log: FleetLog,
    options: { readonly url: string | undefined; readonly name: string | undefined },
  ) {
    const { startNode } = await import("../fleet/index.ts");
    return await startNode({ ports, log, env: process.env, version: this.config.version, ...options });
  }
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: "open", win32: "explorer" };

/** @param onFailure called if the desktop has no default program */
function openBrowser(url: string, onFailure: (program: string) => void): void {
  const program = OPENERS[process.platform] ?? "xdg-open";
  const child = spawn(program, [url], { stdio: "ignore", detached: true });
  child.on("error", () => onFailure(program));
  child.unref();
}
