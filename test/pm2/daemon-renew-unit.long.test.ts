/** A daemon that systemd started: a second machine, whose unit is restarted with another Node.js. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BootReport, DaemonReport } from "../../src/core/index.ts";
import { checkoutFolder, machineProblem, startMachine, type Machine } from "../support/systemd-machine.ts";

const problem = machineProblem();
const word = problem === undefined ? "" : ` (skipped: ${problem})`;
const [OLD, NEW, OTHER] = ["/opt/old/bin/node", "/opt/new/bin/node", "/opt/other/bin/node"];
const svcm = `${OLD} ${checkoutFolder}/bin/run.js`;
const pm2 = `${OLD} ${checkoutFolder}/node_modules/pm2/bin/pm2`;
const UNIT = "svcm-pm2-deploy.service";
const HOME = "/home/deploy/.pm2";

const FILES = {
  "app.js": `require("http").createServer((_request, response) => response.end("ok")).listen(Number(process.env.PORT));`,
  "picky.js": `if (process.execPath === "${OTHER}") process.exit(1); setInterval(() => {}, 1e6);`,
  "job.js": 'require("fs").appendFileSync("/home/deploy/runs", "x"); process.exit(0);',
  "ecosystem.config.js": `module.exports = { apps: [
    { name: "web", script: "app.js", instances: 2, exec_mode: "cluster", env: { PORT: 24821 } },
    { name: "api", script: "app.js", env: { PORT: 24822 }, kill_timeout: 3000 },
    { name: "picky", script: "picky.js" },
    { name: "off", script: "app.js" },
    { name: "job", script: "job.js", autorestart: false, cron_restart: "0 3 1 1 *" },
  ] };`,
};

let machine: Machine;
const root = (command: string): Promise<{ code: number; out: string }> =>
  machine.run(`cd /home/deploy/app; export PM2_HOME=${HOME}; ${command}`);
const deploy = (command: string): Promise<{ code: number; out: string }> => machine.run(`cd app; ${command}`, "deploy");
const json = async <T>(command: string): Promise<T> => JSON.parse((await deploy(`${svcm} ${command} --json`)).out) as T;

async function states(): Promise<string> {
  const { processes } = await json<{ processes: { name: string; status: string }[] }>("list");
  return processes
    .map(({ name, status }) => `${name} ${status}`)
    .toSorted()
    .join(", ");
}

/** Of the daemon, two of a cluster, and two apps in fork mode. */
async function nodes(): Promise<string> {
  const { out } = await root("for exe in /proc/[0-9]*/exe; do readlink $exe; done | grep /opt/ | sort | uniq -c");
  return out.trim();
}

const codes = async (command: "boot" | "daemon"): Promise<string[]> =>
  (await json<BootReport | DaemonReport>(command)).findings.map(({ code }) => code);

const ALL = "api online, job stopped, off stopped, picky online, web online, web online";
const allOf = (node: string): string => `5 ${node}`;

/** The whole machine is as it was except for the Node.js, and its user owns each file. */
async function expectAll(node: string): Promise<void> {
  expect(await states()).toBe(ALL);
  expect(await nodes()).toBe(allOf(node));
  expect((await root("cat /home/deploy/runs; curl --silent http://127.0.0.1:24821 http://127.0.0.1:24822")).out).toBe(
    "xokok",
  );
  expect((await root(`find ${HOME} ! -user deploy; ls ${HOME}/svcm/renew.json`)).out).toMatch(/^ls: .*No such file/);
}

beforeAll(async () => {
  if (problem !== undefined) return;
  machine = await startMachine();
  await machine.run(
    `useradd --create-home deploy && mkdir /home/deploy/app; for name in old new other; do mkdir -p /opt/$name/bin; cp ${process.execPath} /opt/$name/bin/node; done`,
  );
  for (const [name, text] of Object.entries(FILES))
    await root(`echo ${Buffer.from(text).toString("base64")} | base64 -d > ${name}`);
  await root("chown -R deploy: /home/deploy/app");
  await deploy(
    `export PATH=/opt/old/bin:$PATH; ${pm2} start ecosystem.config.js && ${pm2} stop off && ${svcm} boot save`,
  );
});
afterAll(() => (problem === undefined ? machine.end() : undefined));

test.skipIf(problem !== undefined)(
  `PM2's own unit, whose Node.js is gone, becomes one of svcm with the present Node.js${word}`,
  async () => {
    await machine.run(`PATH=/opt/old/bin:$PATH ${pm2} startup systemd -u deploy --hp /home/deploy`);
    await deploy(`${pm2} kill`);
    await root("systemctl restart pm2-deploy");
    expect(await nodes()).toBe(allOf(OLD));
    await root("mv /opt/old /opt/gone");
    const gone = "/opt/gone/bin/node";
    const { code, out } = await deploy(`${gone} ${checkoutFolder}/bin/run.js daemon renew --node ${NEW}`);
    const [, command] = /only root may restart: sudo (.*)\.\n/.exec(out) ?? [];
    expect([code, command]).toEqual([
      3,
      `PM2_HOME=${HOME} ${gone} ${checkoutFolder}/bin/run.js daemon renew --node ${NEW}`,
    ]);
    const answer = await root(`env ${command}`);
    expect(answer).toMatchObject({ code: 0 });
    expect(answer.out).toContain(`systemd restarted ${UNIT}, which starts the daemon.\nIt replaces pm2-deploy.service`);
    expect(answer.out).toContain("Ids, restart counters and start times start again.");
    await root("mv /opt/gone /opt/old");
    await expectAll(NEW);
    expect(await codes("boot")).toEqual([]);
    expect((await root(`systemctl is-enabled ${UNIT} pm2-deploy; systemctl is-active ${UNIT} pm2-deploy`)).out).toBe(
      "enabled\ndisabled\nactive\ninactive\n",
    );
    await machine.reboot();
    await expectAll(NEW);
  },
);

test.skipIf(problem !== undefined)(
  `an app that cannot run with the new Node.js brings the unit of before back${word}`,
  async () => {
    const before = (await root(`cat /etc/systemd/system/${UNIT}`)).out;
    const { code, out } = await root(`${svcm} daemon renew --node ${OTHER}`);
    expect(out).toMatch(/^Error: picky did not start: .*\. svcm-pm2-deploy\.service, with its former Node\.js, runs/);
    expect([code, out]).toEqual([3, expect.stringContaining("RENEW_RETURNED")]);
    expect((await root(`cat /etc/systemd/system/${UNIT}`)).out).toBe(before);
    await expectAll(NEW);
  },
);

test.skipIf(problem !== undefined)(`after SIGKILL, the next run finishes it, or returns${word}`, async () => {
  const killed = async (): Promise<void> => {
    await root(
      `setsid -f sh -c 'echo $$ > /root/pid; exec ${svcm} daemon renew --node ${OLD}' >/root/out 2>&1; until [ -e ${HOME}/svcm/renew.json ]; do :; done; until systemctl list-jobs | grep -q ${UNIT}; do :; done; kill -9 $(cat /root/pid)`,
    );
    await root("until ! systemctl list-jobs --no-legend | grep -q .; do sleep 0.1; done");
    expect(await codes("daemon")).toContain("RENEW_UNFINISHED");
  };
  await killed();
  expect(await root(`${svcm} daemon renew --return`)).toMatchObject({ code: 0 });
  await expectAll(NEW);
  await killed();
  const { code, out } = await root(`${svcm} daemon renew --node ${OLD}`);
  expect([code, out]).toEqual([0, expect.stringContaining("This finished a renewal that was cut off")]);
  await expectAll(OLD);
});

test.skipIf(problem !== undefined)(`a user restarts the unit of that user without root${word}`, async () => {
  await root(`${svcm} boot disable; systemctl disable pm2-deploy; systemctl stop ${UNIT} pm2-deploy`);
  await root("rm /etc/systemd/system/*pm2*; systemctl daemon-reload");
  await deploy(`${svcm} boot enable && systemctl --user start svcm-pm2`);
  expect(await codes("boot")).toEqual([]);
  const { code, out } = await deploy(`${svcm} daemon renew --node ${NEW}`);
  expect([code, out]).toEqual([0, expect.stringContaining("systemd restarted svcm-pm2.service")]);
  await expectAll(NEW);
  expect((await root(`${svcm} daemon renew --node ${OLD}`)).out).toContain("run it as deploy");
  await expectAll(NEW);
});
