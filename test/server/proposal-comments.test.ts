import { expect, test } from "vitest";
import { openMcp } from "../../src/mcp/index.ts";
import { overHttp } from "../support/mcp-client.ts";
import { createToken } from "../support/tokens.ts";
import { repository, testServer } from "./support.ts";

test("a proposal of values shows neither its program nor a viewer a comment of the env file", async () => {
  const files = repository({
    ".env.dev":
      "SVC_HTTP_FRAMEWORK=express # password canary1\n# SVC_REALTIME_API=no # canary2\nSVC_WEBSOCKET_CLUSTER=a#canary3\n",
  });
  const robot = await createToken(files.root, "robot", "viewer", { propose: true });
  const vera = await createToken(files.root, "vera", "viewer");
  const { url } = await testServer({
    repository: files,
    openMcp: (ports, log, askNode) =>
      Promise.resolve(openMcp({ ports, version: "1.2.3", log, docs: import.meta.dirname, askNode })),
  });
  const values = { SVC_HTTP_FRAMEWORK: "fastify", SVC_REALTIME_API: "yes" };
  const answer = await (await overHttp(url, robot)).call("propose", { kind: "env.write", environment: "dev", values });
  const list = await fetch(`${url}/api/proposals`, { headers: { authorization: `Bearer ${vera}` } });
  const shown = await list.text();
  expect(shown).toContain(".env.dev:1 + SVC_HTTP_FRAMEWORK=fastify # …");
  expect(shown).toContain(".env.dev:2 - # SVC_REALTIME_API=no # …");
  expect(answer.words + answer.data + shown).not.toContain("canary");
});
