import { EventEmitter, once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished } from "vitest";
import { serverOver } from "../console/monitoring-page.ts";
import { IDLE, pm2 } from "../support/pm2-daemon.ts";
import { hasTmux, watchTerminal } from "../support/watch-terminal.ts";
import { longTest } from "../support/runs.ts";

const CANARY = "canary-Kq7-51be20aa";

longTest.runIf(hasTmux)(
  "shows the details and the log of the selected process, of this machine and of a remote service",
  async () => {
    const own = pm2();
    onTestFinished(() => own.end());
    await own.startDaemon();
    const code = `const say = () => console.log("tick " + process.env.TOKEN_OF_TICK); say(); process.on("SIGUSR2", say);`;
    await own.run({ name: "ticks", code: `${code} ${IDLE}`, env: { TOKEN_OF_TICK: CANARY } });
    const server = await serverOver(own);
    for (const args of ["--interval 500", `--url http://127.0.0.1:${server.port}`]) {
      const window = await watchTerminal(args, { PM2_HOME: own.home }, ["80", "24"]);
      await window.shows(/ticks/);
      await window.press("Down");
      await window.shows(/> ticks/);
      await window.press("l");
      const first = await window.shows(/ticks.* tick /);
      const [ticks] = await own.link().list();
      process.kill(ticks!.pid!, "SIGUSR2");
      const count = first.split(" tick ").length;
      const followed = await window.shows(new RegExp(`(?:[^]* tick ){${count}}`));
      expect(followed).not.toContain(CANARY);
      await window.press("Escape");
      await window.shows(/> ticks/);
      await window.press("Enter");
      await window.shows(/ticks \(id 0\) {2}online[^]*Enter refresh/);
      await window.press("q");
      await window.shows(/ENDED 0/);
    }
  },
);

longTest.runIf(hasTmux)("details that arrive late do not replace the log that is open by then", async () => {
  const own = pm2();
  onTestFinished(() => own.end());
  await own.startDaemon();
  const code = `const say = () => console.log("tick"); say(); process.on("SIGUSR2", say);`;
  await own.run({ name: "ticks", code: `${code} ${IDLE}` });
  const { port, requested, answered, release } = await slowDetails((await serverOver(own)).port);
  const window = await watchTerminal(`--url http://127.0.0.1:${port}`, { PM2_HOME: own.home }, ["80", "24"]);
  await window.shows(/ticks/);
  await window.press("Down");
  await window.shows(/> ticks/);
  await window.press("Enter");
  await window.shows(/Reading/);
  await requested;
  await window.press("Escape");
  await window.shows(/> ticks/);
  await window.press("l");
  await window.shows(/ticks.* tick/);
  release();
  await answered;
  const [ticks] = await own.link().list();
  process.kill(ticks!.pid!, "SIGUSR2");
  expect(await window.shows(/(?:[^]* tick\b){2}/)).not.toContain("Enter refresh");
});

/** Forwards connections to a server, and delays the answer with the details of a process. */
async function slowDetails(to: number) {
  const moments = new EventEmitter();
  const [requested, released, answered] = ["requested", "released", "answered"].map((name) => once(moments, name));
  const pass = async (inner: Socket, first: Buffer): Promise<void> => {
    const outer = connect(to, "127.0.0.1", () => outer.write(first));
    inner.pipe(outer);
    onTestFinished(() => [inner, outer].forEach((socket) => void socket.destroy()));
    if (first.toString("latin1").startsWith("GET /api/runtime/process")) {
      moments.emit("requested");
      await released;
      outer.once("data", () => moments.emit("answered"));
    }
    outer.pipe(inner);
  };
  const server = createServer((inner) => void inner.once("data", (first: Buffer) => void pass(inner, first)));
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { port, requested, answered, release: () => moments.emit("released") };
}
