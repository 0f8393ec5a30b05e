/** An apply judges each process by its health, and gives the former definition back if one fails. */
import { writeFileSync } from "node:fs";
import { get } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { execute, rolloutApply, SvcmError, type Ports } from "../../src/core/index.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";

const caller = { source: "cli", grants: ["read", "write"] } as const;
let own: Pm2;
let ports: Ports;
let port: number;

/** Answers `/health` by MODE: as it should, with 500, not at all, or not for long. */
const APP = `
const { MODE, SVC_HTTP_PORT } = process.env;
const status = { bad: 500, missing: 404 }[MODE] ?? 200;
if (MODE !== "silent") require("node:http").createServer((request, response) => {
  response.writeHead(request.url === "/health" ? status : 200).end(JSON.stringify({ mode: MODE, pid: process.pid }));
}).listen(Number(SVC_HTTP_PORT), "127.0.0.1");
if (MODE === "dies") setTimeout(() => process.exit(7), 1500);
setInterval(() => {}, 1e6);`;

beforeAll(async () => {
  own = pm2();
  await own.startDaemon();
  ports = own.ports();
  writeFileSync(join(own.folder, "app.cjs"), APP);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
  await new Promise((resolve) => server.close(resolve));
});
afterAll(() => own.end());
beforeEach(() => apply("good"));

const apply = (MODE: string, more: object = {}) => {
  own.pm2Folder([{ name: "restapi", script: "./app.cjs", env: { MODE, SVC_HTTP_PORT: String(port) }, ...more }]);
  return execute(rolloutApply, ports, { environment: "dev", timeoutMs: 5000 }, caller);
};

const refusal = (done: Promise<unknown>): Promise<unknown> =>
  done.then(
    () => "done",
    (error: unknown) => (error instanceof SvcmError ? `${error.kind} ${error.body.code}: ${error.message}` : error),
  );

/** The mode of the process that serves. */
const served = (): Promise<string> =>
  new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path: "/", agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.once("end", () => resolve((JSON.parse(text) as { mode: string }).mode));
    }).once("error", reject);
  });

test.each([
  ["answers with 500", "bad", "HEALTH_STATUS", "answered with status 500"],
  ["does not listen", "silent", "HEALTH_UNREACHABLE", "has no answer: ECONNREFUSED"],
  ["dies after a while", "dies", "HEALTH_CRASHED", "It did not stay online"],
] as const)("a release that %s is taken back, and the former one serves again", async (_, mode, code, words) => {
  const refused = await refusal(apply(mode));
  expect(refused).toContain(`APPLY_REVERTED ${code}: restapi: restapi (id 0) is not healthy. `);
  expect(refused).toContain(words);
  expect(await served()).toBe("good");
});

test("a release without the path of its probe is judged by being online", async () => {
  expect(await refusal(apply("missing"))).toBe("done");
  expect(await served()).toBe("missing");
});

test("in a cluster, a bad release ends at its first instance, and the others go on serving", async () => {
  const cluster = { exec_mode: "cluster", instances: 2 };
  await apply("good", cluster);
  const before = await ports.processes.list();
  expect(await refusal(apply("bad", cluster))).toContain("APPLY_REVERTED HEALTH_STATUS");
  const after = await ports.processes.list();
  expect(after.map(({ status }) => status)).toEqual(["online", "online"]);
  // One process was replaced and came back; the other one was never touched.
  const pids = new Set(before.map(({ pid }) => pid));
  expect(after.filter(({ pid }) => pids.has(pid))).toHaveLength(1);
  expect(await served()).toBe("good");
});
