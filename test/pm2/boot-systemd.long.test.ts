/** Real boots: a second machine with systemd as its first process, which is rebooted. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BootReport } from "../../src/core/index.ts";
import { machineProblem, startMachine, checkoutFolder, type Machine } from "../support/systemd-machine.ts";

const problem = machineProblem();
const word = problem === undefined ? "" : ` (skipped: ${problem})`;
const svcm = `${process.execPath} ${checkoutFolder}/bin/run.js`;
const pm2 = `${process.execPath} ${checkoutFolder}/node_modules/pm2/bin/pm2`;
const UNIT = "svcm-pm2-deploy.service";

const APP = `const server = require("http").createServer((request, response) => {
  setTimeout(() => response.end("ok"), request.url === "/slow" ? 3000 : 0);
}).listen(Number(process.env.PORT));
process.on("SIGINT", () => server.close(() => process.exit(0)));`;
const ECOSYSTEM = `module.exports = { apps: [
  { name: "web", script: "app.js", instances: 2, exec_mode: "cluster", kill_timeout: 8000, env: { PORT: 24811, MODE: "a" } },
  { name: "api", script: "app.js", kill_timeout: 8000, env: { PORT: 24812 } },
  { name: "off", script: "app.js", env: { PORT: 24813 } },
  { name: "late", script: "late.js" },
  { name: "job", script: "job.js", autorestart: false, cron_restart: "0 3 1 1 *" },
] };`;
const FILES = {
  "app.js": APP,
  "late.js": "setInterval(() => {}, 1e6);",
  "job.js": 'require("fs").appendFileSync("/home/deploy/runs", "x"); process.exit(0);',
  "ecosystem.config.js": ECOSYSTEM,
  "svcm.yaml":
    "version: 1\nenvironments: { production: [] }\ndefault: production\necosystem: { production: ecosystem.config.js }\n",
};

let machine: Machine;

async function deploy(command: string): Promise<string> {
  return (await machine.run(`cd app; ${command}`, "deploy")).out;
}

async function root(command: string): Promise<string> {
  return (await machine.run(command)).out;
}

async function boot(): Promise<readonly string[]> {
  const { verdict, findings } = JSON.parse(await deploy(`${svcm} boot --json`)) as BootReport;
  return [verdict, ...findings.map(({ code }) => code)];
}

async function states(): Promise<string> {
  const list = JSON.parse(await deploy(`${svcm} list --json`)) as { processes: { name: string; status: string }[] };
  return list.processes
    .map(({ name, status }) => `${name} ${status}`)
    .toSorted()
    .join(", ");
}

const ALL = "api online, job stopped, late online, off stopped, web online, web online";

beforeAll(async () => {
  if (problem !== undefined) return;
  machine = await startMachine();
  await root("useradd --create-home deploy && mkdir /home/deploy/app");
  for (const [name, text] of Object.entries(FILES))
    await root(`echo ${Buffer.from(text).toString("base64")} | base64 -d > /home/deploy/app/${name}`);
  await root("chown -R deploy: /home/deploy/app");
  await deploy(`${pm2} start ecosystem.config.js && ${pm2} stop off`);
});
afterAll(() => (problem === undefined ? machine.end() : undefined));

test.skipIf(problem !== undefined)(`what the unit of svcm brings back, boot by boot${word}`, async () => {
  expect(await boot()).toEqual(["no", "UNIT_ABSENT", "BOOT_LIST_ABSENT"]);
  await deploy(`${svcm} boot save`);
  expect(await boot()).toEqual(["no", "UNIT_ABSENT"]);
  expect(await root(`cd /home/deploy/app; ${svcm} boot enable --user deploy`)).toContain(`Enabled ${UNIT}`);
  expect(await boot()).toEqual(["yes", "UNIT_OUTSIDE"]);

  // A daemon outside of the unit is left alone.
  await root(`systemctl start ${UNIT}`);
  expect(await root(`systemctl show ${UNIT} -p ExecMainStatus --value`)).toBe("75\n");
  expect(await states()).toBe(ALL);

  // At this shutdown, systemd ends the daemon and its apps together.
  await machine.reboot();
  expect(await root(`systemctl is-active ${UNIT}`)).toBe("active\n");
  expect(await states()).toBe(ALL);
  expect(await boot()).toEqual(["yes"]);
  expect(await root("cat /home/deploy/runs")).toBe("x");

  // From now on, the daemon is in the unit: requests in flight are answered.
  await root("rm /home/deploy/app/late.js");
  expect(await boot()).toEqual(["no", "BOOT_SCRIPT_GONE"]);
  for (const port of [24811, 24812])
    await root(
      `setsid -f curl --silent --max-time 20 --output /home/deploy/${port} http://127.0.0.1:${port}/slow; until ss -Htn state established dport = :${port} | grep -q .; do :; done`,
    );
  await machine.reboot();
  expect(await root("cat /home/deploy/24811 /home/deploy/24812")).toBe("okok");
  expect(await root(`systemctl show ${UNIT} -p StatusText --value`)).toBe("3 processes started, failed: late\n");
  expect(await root("curl --silent http://127.0.0.1:24811 http://127.0.0.1:24812")).toBe("okok");

  // A killed daemon comes back by itself.
  const pid = await root("cat /home/deploy/.pm2/pm2.pid");
  await root(
    `kill -9 ${pid}; until [ "$(systemctl show ${UNIT} -p MainPID --value)" != ${pid.trim()} ] && systemctl is-active --quiet ${UNIT}; do sleep 0.1; done`,
  );
  expect(await root("curl --silent http://127.0.0.1:24811 http://127.0.0.1:24812")).toBe("okok");

  // The unit is gone, and nothing starts any more.
  expect(await root(`${svcm} boot disable --user deploy`)).toContain(`Removed ${UNIT}`);
  expect(await root("ls /etc/systemd/system | grep -c pm2")).toBe("0\n");
  expect((await boot())[1]).toBe("UNIT_ABSENT");
  await machine.reboot();
  expect(await root("pgrep --count node")).toBe("0\n");
});

test.skipIf(problem !== undefined)(
  `PM2's own unit is replaced and comes back, and each fault of it is named before a boot${word}`,
  async () => {
    await root(`echo 'setInterval(() => {}, 1e6);' > /home/deploy/app/late.js`);
    await deploy(`${svcm} boot restore`);
    await root(`${pm2} startup systemd -u deploy --hp /home/deploy`);
    const unit = "/etc/systemd/system/pm2-deploy.service";
    expect(await boot()).toEqual(["no", "UNIT_OUTSIDE"]);
    await deploy(`${pm2} kill`);
    await root("systemctl restart pm2-deploy");
    expect(await boot()).toEqual(["yes"]);
    const faults = [
      ["s/^User=.*/User=root/", "UNIT_USER"],
      ["s/^Environment=PM2_HOME=.*/Environment=PM2_HOME=\\/srv\\/pm2/", "UNIT_HOME"],
      ["s/^Environment=PATH=.*/Environment=PATH=\\/nowhere/", "UNIT_NODE_GONE"],
      ["s/^ExecStart=.* resurrect/ExecStart=\\/gone\\/pm2 resurrect/", "UNIT_PROGRAM_GONE"],
    ] as const;
    for (const [edit, code] of faults) {
      await root(`cp ${unit} /root/kept; sed -i '${edit}' ${unit}`);
      expect([code, ...(await boot())]).toEqual([code, "no", code]);
      await root(`cp /root/kept ${unit}`);
    }
    await root("systemctl disable pm2-deploy");
    expect(await boot()).toEqual(["no", "UNIT_DISABLED"]);
    await root("systemctl enable pm2-deploy");

    expect(await root(`cd /home/deploy/app; ${svcm} boot enable --user deploy`)).toContain(
      "Disabled pm2-deploy.service",
    );
    expect(await root("systemctl is-enabled pm2-deploy")).toBe("disabled\n");
    expect(await root(`${svcm} boot disable --user deploy`)).toContain("Enabled pm2-deploy.service again.");
    expect(await root("systemctl is-enabled pm2-deploy")).toBe("enabled\n");
    await machine.reboot();
    expect(await states()).toBe(ALL);
    expect(await boot()).toEqual(["yes"]);
    await root(
      "systemctl stop pm2-deploy; systemctl disable pm2-deploy; rm /etc/systemd/system/pm2-deploy.service; systemctl daemon-reload",
    );
  },
);

test.skipIf(problem !== undefined)(`a unit of a user starts without a login, because it lingers${word}`, async () => {
  await deploy(`${svcm} boot restore`);
  expect(await deploy(`${svcm} boot enable`)).toContain("Enabled svcm-pm2.service");
  await machine.reboot();
  await machine.run("until systemctl --user is-active --quiet svcm-pm2; do sleep 0.1; done", "deploy");
  expect(await states()).toBe(ALL);
  expect(await boot()).toEqual(["yes"]);
  await root("mv /var/lib/systemd/linger/deploy /root/");
  expect(await boot()).toEqual(["no", "UNIT_NO_LINGER"]);
  await root("mv /root/deploy /var/lib/systemd/linger/");
  expect(await deploy(`${svcm} boot disable`)).toMatch(/^Removed svcm-pm2.service[\s\S]*lingering/);
  expect(await boot()).toEqual(["no", "UNIT_ABSENT"]);
  expect(await states()).toBe(ALL);
});
