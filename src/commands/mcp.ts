import { join } from "node:path";
import * as Flags from "@oclif/core/flags";
import { commandLineCaller, type Access } from "../core/index.ts";
import type { AskNode } from "../mcp/recorded.ts";
import { SvcmCommand } from "./base.ts";
import { writeErr } from "./terminal/output.ts";

export default class Mcp extends SvcmCommand {
  static override enableJsonFlag = false;
  static override summary = "Answer a program, such as an editor or a chat, over the Model Context Protocol.";
  static override description =
    "The program starts this command and talks to it over standard input and output. It reads, and changes nothing. With --allow plan it may propose a plan or values, and run what a user approved with svcm approve. Every call is recorded: svcm audit --calls. svcm serve answers the same at POST /mcp.";
  static override examples = ["<%= config.bin %> mcp", "<%= config.bin %> mcp --allow plan"];
  static override flags = {
    allow: Flags.option({
      options: ["plan"] as const,
      summary: "Also let the program propose changes. A user approves each of them.",
    })(),
  };

  async run() {
    const { flags } = await this.parse(Mcp);
    const { signal } = this;
    const ports = await this.ports({ isServer: true });
    const { actor } = commandLineCaller();
    const grants: Access[] = ["read", "logs", ...(flags.allow === "plan" ? (["propose"] as const) : [])];
    const { serveOverStdio } = await import("../mcp/index.ts");
    const { version, root } = this.config;
    const askNode: AskNode = async (node, operation, input, caller) => {
      const { withFleet } = await import("../fleet/index.ts");
      return withFleet(ports, process.env, (fleet) => fleet.ask(node, operation, input, NODE_TIMEOUT_MS, caller));
    };
    const options = { ports, version, log: logDefect, docs: join(root, "docs"), askNode };
    await serveOverStdio(options, { ...(actor !== undefined && { actor }), grants }, signal);
    await ports.telemetry.close();
    await ports.logs.close();
    await ports.processes.close();
  }
}

const NODE_TIMEOUT_MS = 10_000;

/** Standard output is for the protocol. */
function logDefect(line: string): void {
  writeErr(`${line}\n`);
}
