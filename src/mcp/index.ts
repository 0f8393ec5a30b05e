import {
  createMcpHandler,
  CLIENT_INFO_META_KEY,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Tool as SdkTool,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import {
  type Access,
  type Identity,
  type Ports,
  type Caller,
  contractShow,
  describeError,
  execute,
  failureCode,
  RefusalLog,
  SvcmError,
} from "../core/index.ts";
import { type AskNode, CallRate, type CallContext, recorded } from "./recorded.ts";
import { quote, toLines, toPage } from "./render.ts";
import { escapeHidden } from "../core/words/characters.ts";
import { callTool } from "./call.ts";
import { instructions } from "./skill.ts";
import { isOffered, listTools, type Tool } from "./tools.ts";

export { renderSkill } from "./skill.ts";

interface Options {
  readonly ports: Ports;
  readonly version: string;
  readonly log: (line: string) => void;
  readonly docs: string;
  readonly askNode: AskNode;
}

/** A program reads, and proposes if it may, also with the token of an admin. */
const OFFERED: ReadonlySet<Access> = new Set(["read", "logs", "propose"]);

/** For `POST /mcp`. The server has checked host, origin, token and the size of the body. */
export function openMcp(options: Options) {
  const face = createFace(options);
  const factory = face.factory(({ authInfo }) => authInfo?.extra?.["identity"] as Identity);
  // The answer is read as a whole, so there is no stream that could stay open.
  const handler = createMcpHandler(factory, { maxSubscriptions: 0, keepAliveMs: 0, onerror: () => undefined });
  return {
    fetch: async (request: Request, identity: Identity): Promise<Response> => {
      const grants = identity.grants.filter((grant) => OFFERED.has(grant));
      const extra = { identity: { ...identity, grants } };
      return await handler.fetch(request, {
        authInfo: { token: "", clientId: identity.actor ?? "", scopes: [], extra },
      });
    },
    async close(): Promise<void> {
      await handler.close();
      await face.settled();
    },
  };
}

/** Resolves when the client is gone, or at the signal, and no call runs any more. */
export async function serveOverStdio(options: Options, identity: Identity, signal: AbortSignal): Promise<void> {
  const face = createFace(options);
  const handle = serveStdio(
    face.factory(() => identity),
    // The client keeps standard error as the log of its server.
    { maxSubscriptions: 0, onerror: ({ message }) => options.log(`mcp: ${quote(message, 200)}`) },
  );
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    process.stdin.once("end", () => resolve());
    process.stdin.once("close", () => resolve());
    if (signal.aborted) resolve();
  });
  await face.settled();
  await handle.close();
}

// The resources are the pages of this version, and the runtime contract.
interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

const CONTRACT: Resource = { uri: "svcm://contract", name: "The runtime contract", mimeType: "text/plain" };
const PAGES = "svcm://docs/";
const LINK = /\]\(((?:how-to|explanation|reference|reference-backend|tutorial)\/[\w-]+\.md)/g;

const PART = { uriTemplate: `${PAGES}{+page}{?part}`, name: "A part of a page", mimeType: "text/markdown" };

interface Pages {
  readonly ports: Ports;
  /** The folder of the installed pages. Its README.md links to each. */
  readonly docs: string;
}

async function listResources(pages: Pages): Promise<readonly Resource[]> {
  const links = Array.from((await readPage(pages, "README.md")).matchAll(LINK), ([, path = ""]) => path);
  const listed = [...new Set(links)].map((name) => ({ uri: `${PAGES}${name}`, name, mimeType: "text/markdown" }));
  return [CONTRACT, ...listed];
}

async function readPage({ ports, docs }: Pages, path: string): Promise<string> {
  return new TextDecoder().decode(await ports.files.read(`${docs}/${path}`, { mayBeOutside: true }));
}

/** A long one has parts: `?part=2`. Only a listed one is read. @throws {SvcmError} NOT_FOUND */
async function readResource(
  pages: Pages,
  caller: Caller,
  uri: string,
): Promise<{ readonly mimeType: string; readonly text: string }> {
  const [, whole = "", part = "1"] = /^([^?]+)(?:\?part=([1-9]\d{0,2}))?$/.exec(uri) ?? [];
  const found = (await listResources(pages)).find((one) => one.uri === whole);
  if (found === undefined)
    throw new SvcmError("NOT_FOUND", { details: "Accepted: a resource of the list, and the part that follows it." });
  const lines =
    found === CONTRACT
      ? toLines(await execute(contractShow, pages.ports, {}, caller), undefined).lines
      : (await readPage(pages, whole.slice(PAGES.length))).split("\n");
  let page = toPage({ heading: undefined, lines }, 0);
  for (let at = 1; at < Number(part); at += 1) page = toPage({ heading: undefined, lines }, page.next ?? lines.length);
  const more = page.next === undefined ? "" : `\n\nThe next part: ${whole}?part=${Number(part) + 1}`;
  return { mimeType: found.mimeType, text: page.text + more };
}

export interface Face {
  /** @param identityOf the caller of a connection or request */
  readonly factory: (identityOf: (context: Parameters<McpServerFactory>[0]) => Identity) => McpServerFactory;
  /** Resolves when no call runs: an apply that began goes through, also if its client is gone. */
  settled(): Promise<void>;
}

interface FaceOptions extends Pick<CallContext, "ports" | "log" | "docs" | "askNode"> {
  readonly version: string;
}

const MAX_CLIENT_NAME = 64;

export function createFace({ version, ...given }: FaceOptions): Face {
  const { ports } = given;
  const tools = listTools(version);
  const rate = new CallRate(new RefusalLog(ports));
  const context: CallContext = { ...given, tools, rate };
  const running = new Set<Promise<unknown>>();
  const track = <T>(call: Promise<T>): Promise<T> => {
    running.add(call);
    const forget = (): void => void running.delete(call);
    call.then(forget, forget);
    return call;
  };
  return {
    factory: (identityOf) => (connection) => {
      const identity = identityOf(connection);
      const capabilities = { tools: {}, resources: {} };
      const server = new Server({ name: "svcm", version }, { capabilities, instructions });
      server.setRequestHandler("tools/list", async ({ params }) => {
        requireFirstPage(params);
        return { tools: await describeTools(ports, tools, identity) };
      });
      server.setRequestHandler("tools/call", ({ params }, call) =>
        track(callTool(context, callerOf(identity, clientName(server, call)), params)),
      );
      server.setRequestHandler("resources/list", async ({ params }) => {
        requireFirstPage(params);
        return { resources: [...(await listResources(context))] };
      });
      server.setRequestHandler("resources/templates/list", ({ params }) => {
        requireFirstPage(params);
        return { resourceTemplates: [PART] };
      });
      server.setRequestHandler("resources/read", ({ params: { uri } }, call) =>
        track(readRecorded(context, callerOf(identity, clientName(server, call)), uri)),
      );
      return server;
    },
    async settled() {
      await Promise.allSettled(running);
      await rate.refusals.close();
    },
  };
}

/** Each list is whole, so no answer had a cursor. */
function requireFirstPage(params: { readonly cursor?: string | undefined } | undefined): void {
  if (params?.cursor === undefined) return;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "This list has no cursor: ask for it without one.");
}

/** The protocol has no result for a refusal here, so it is an error with the code. */
async function readRecorded(context: CallContext, caller: Caller, uri: string): Promise<ReadResourceResult> {
  const read = await recorded(context, caller, uri, () => readResource(context, caller, uri));
  if (!("refusal" in read)) return { contents: [{ uri, ...read }] };
  const { error, details = "" } = describeError(read.refusal).body;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${failureCode(read.refusal)}: ${error} ${details}`);
}

const NODE_SCHEMA = { type: "string", description: "A machine of the fleet. The refusal of an unknown one names all." };

async function describeTools({ facts }: Ports, tools: readonly Tool[], { grants }: Identity) {
  const hasFleet = (await facts.project())?.nats !== undefined;
  return tools
    .filter((tool) => isOffered(tool, grants))
    .map(({ name, description, inputSchema, isChange, isRemote }) => ({
      name,
      description,
      inputSchema: withNode(inputSchema, hasFleet && isRemote) as unknown as SdkTool["inputSchema"],
      annotations: { readOnlyHint: !isChange, destructiveHint: name === "apply", openWorldHint: false },
    }));
}

function withNode(schema: Tool["inputSchema"], isRemote: boolean): Tool["inputSchema"] {
  return isRemote ? { ...schema, properties: { ...schema.properties, node: NODE_SCHEMA } } : schema;
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
