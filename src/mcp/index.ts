import { createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Access, Identity, Ports } from "../core/index.ts";
import type { AskNode } from "./recorded.ts";
import { quote } from "./render.ts";
import { createFace } from "./server.ts";

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
