import {
  CLIENT_INFO_META_KEY,
  Server,
  type CallToolResult,
  type McpServerFactory,
  type ServerContext,
  type Tool as SdkTool,
} from "@modelcontextprotocol/server";
import { RefusalLog, type Caller, type Identity, type Ports } from "../core/index.ts";
import { escapeHidden } from "../core/words/characters.ts";
import { callTool, type CallContext } from "./call.ts";
import { CallRate } from "./rate.ts";
import { instructions } from "./skill.ts";
import { isOffered, listTools, type Tool } from "./tools.ts";

export interface Face {
  /** @param identityOf the caller of a connection or request */
  readonly factory: (identityOf: (context: Parameters<McpServerFactory>[0]) => Identity) => McpServerFactory;
  /** Resolves when no call runs: an apply that began goes through, also if its client is gone. */
  settled(): Promise<void>;
}

interface FaceOptions {
  readonly ports: Ports;
  readonly version: string;
  readonly log: (line: string) => void;
}

const MAX_CLIENT_NAME = 64;

export function createFace({ ports, version, log }: FaceOptions): Face {
  const tools = listTools(version);
  const rate = new CallRate(new RefusalLog(ports));
  const context: CallContext = { ports, tools, rate, log };
  const running = new Set<Promise<CallToolResult>>();
  const track = (call: Promise<CallToolResult>): Promise<CallToolResult> => {
    running.add(call);
    const forget = (): void => void running.delete(call);
    call.then(forget, forget);
    return call;
  };
  return {
    factory: (identityOf) => (connection) => {
      const identity = identityOf(connection);
      const server = new Server({ name: "svcm", version }, { capabilities: { tools: {} }, instructions });
      server.setRequestHandler("tools/list", () => ({ tools: describeTools(tools, identity) }));
      server.setRequestHandler("tools/call", ({ params }, call) =>
        track(callTool(context, callerOf(identity, clientName(server, call)), params)),
      );
      return server;
    },
    async settled() {
      await Promise.allSettled(running);
      await rate.refusals.close();
    },
  };
}

function describeTools(tools: readonly Tool[], { grants }: Identity) {
  return tools
    .filter((tool) => isOffered(tool, grants))
    .map(({ name, description, inputSchema, isChange }) => ({
      name,
      description,
      inputSchema: inputSchema as unknown as SdkTool["inputSchema"],
      annotations: { readOnlyHint: !isChange, destructiveHint: name === "apply", openWorldHint: false },
    }));
}

/** The signal of the request does not reach the operation, because a change that began goes through. */
function callerOf(identity: Identity, client: string | undefined): Caller {
  return { ...identity, source: "mcp", ...(client !== undefined && { client }) };
}

/** In the protocol of 2025, a request over HTTP has no name of its client. */
function clientName(server: Server, { mcpReq }: ServerContext): string | undefined {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const { name } = Object(envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion()) as { readonly name?: unknown };
  return typeof name === "string" ? escapeHidden(name).slice(0, MAX_CLIENT_NAME) : undefined;
}
