/// <reference lib="dom" />
/** Faults of a night, under a real PM2: `svcm why` and the first card of the console name each of them. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createConnection, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { serverOver } from "../console/monitoring-page.ts";
import { openConsole } from "../console/open-console.ts";
import { canMount, mount } from "../support/machine.ts";
import { memoryGroup } from "../support/memory-group.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { svcm } from "../support/svcm.ts";

const CANARY = "canary-Oc5-51dd8a2e";
/** More do not fit into one look. */
const MOST_LINES = 10;
const READY = { wait_ready: true, listen_timeout: 60_000 };
const browser = useBrowser();
let own: Pm2;

interface Fault {
  readonly title: string;
  /** Named if the machine cannot cause the fault. */
  readonly needs?: string;
  /** Runs `app` and causes the fault. Answers false on a machine that cannot. */
  readonly cause: () => Promise<boolean | void>;
  /** Parts of sentences, in the order in which they are shown. */
  readonly says: readonly string[];
}

const run = (app: object): Promise<void> => own.run({ name: "app", env: { DB_PASSWORD: CANARY }, ...app });
const pid = async (): Promise<number> =>
  (await own.link().list()).find(({ name }) => name === "app")?.pid ?? Number.NaN;

const faults: readonly Fault[] = [
  {
    title: "a crash on start",
    cause: () => run({ max_restarts: 2, code: 'throw new Error("no module x, password=" + process.env.DB_PASSWORD);' }),
    says: ["ended: crash, exit code 1.", "PM2 gave up after 2 unstable restarts.", "no module x"],
  },
  {
    title: "a crash loop every nine seconds",
    cause: () => run({ code: 'setTimeout(() => { console.error("lost the database"); process.exit(7); }, 9000);' }),
    says: ["ended: crash, exit code 7.", "It had run for", "It ended by itself 3 times", "lost the database"],
  },
  {
    title: "a memory limit",
    cause: () => run({ max_memory_restart: "1M" }),
    says: ["memory limit.", "PM2 restarted it because it used", "of at most 1.0 MB."],
  },
  {
    title: "a kill by the kernel",
    needs: "root and a memory cgroup",
    cause: runOutOfMemory,
    says: ["killed by the kernel, out of memory, SIGKILL."],
  },
  { title: "a taken port", cause: takePort, says: ["ended: crash, exit code 1.", "is taken by node, pid"] },
  {
    title: "a process that hangs",
    cause: hang,
    says: ["It does not accept connections on port", "It may hang."],
  },
  {
    title: "a full disk",
    needs: "root, to mount a small disk",
    cause: fillDisk,
    says: ["ended: crash, exit code 1.", "Its error log says that a file system was full (ENOSPC)."],
  },
];

async function runOutOfMemory(): Promise<boolean> {
  const group = memoryGroup(`svcm-on-call-${process.pid}`, 48 * 2 ** 20);
  if (group === undefined) return false;
  const code = `process.on("SIGUSR2", () => { const kept = []; for (;;) kept.push(Buffer.alloc(1 << 20, 1)); });
    process.send("ready"); setInterval(() => {}, 1e6);`;
  await run({ ...READY, autorestart: false, code });
  onTestFinished(() => group.remove());
  group.add(await pid());
  process.kill(await pid(), "SIGUSR2");
  return true;
}

async function takePort(): Promise<void> {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await run({ max_restarts: 2, code: `require("node:net").createServer().listen(${port}, "127.0.0.1");` });
}

async function hang(): Promise<void> {
  const code = `const server = require("node:net").createServer(() => { for (;;); }).listen(0, "127.0.0.1", () => {
      require("node:fs").writeFileSync("hung-port", String(server.address().port));
      process.send("ready");
    });`;
  await run({ ...READY, code });
  const port = Number(readFileSync(join(own.folder, "hung-port"), "utf8"));
  // The first connection hangs the process, so the second one waits.
  const sockets = [createConnection(port, "127.0.0.1"), createConnection(port, "127.0.0.1")];
  for (const socket of sockets) socket.on("error", () => undefined);
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
}

async function fillDisk(): Promise<boolean> {
  if (!canMount) return false;
  mount(join(own.folder, "data"), "-t", "tmpfs", "-o", "size=1m", "tmpfs");
  await run({ max_restarts: 2, code: 'require("node:fs").writeFileSync("data/file", Buffer.alloc(2 ** 21));' });
  return true;
}

const isNamed = (text: string, says: readonly string[]): boolean => {
  const places = says.map((part) => text.indexOf(part));
  return places.every((place, index) => place > (places[index - 1] ?? -1));
};

test.skipIf(!hasBrowser).for(faults)("$title", { timeout: 300_000 }, async ({ cause, needs, says }, { skip }) => {
  own = pm2();
  onTestFinished(() => own.end());
  await own.startDaemon({ PM2_WORKER_INTERVAL: "200" });
  const { page } = await openConsole(browser, (await serverOver(own)).url, {});
  if ((await cause()) === false) return skip(needs);
  const why = () => svcm(["why", "app"], { root: own.folder, env: { PM2_HOME: own.home } });
  let answer = await why();
  while (!isNamed(answer.stdout, says)) answer = await why();
  expect(answer.stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(MOST_LINES);
  await page.locator("button.process-name[title=app]").click();
  const card = page.getByRole("region", { name: /^Why of app/ });
  for (const part of says) await card.getByText(part).first().waitFor();
  expect(await page.locator(".detail > section").first().getAttribute("aria-label")).toMatch(/^Why/);
  expect(answer.stdout + answer.stderr + (await page.content())).not.toContain(CANARY);
});
