/** The service of docs/how-to/deploy.md under a real systemd, as another user, on a machine where no PM2 runs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { machineProblem, startMachine, checkoutFolder, type Machine } from "../support/systemd-machine.ts";

const problem = machineProblem();
const word = problem === undefined ? "" : ` (skipped: ${problem})`;
const page = readFileSync(join(checkoutFolder, "docs/how-to/deploy.md"), "utf8");
const [unit = "", timer = ""] = [...page.matchAll(/^```ini\n([^]*?)^```$/gm)].map(([, text = ""]) => text);
const SETTING = "KillMode=process\n";
const FILES = {
  "app.js": `require("http").createServer((_, response) => response.end(require("./version.js"))).listen(24811);`,
  "version.js": 'module.exports = "one";',
  "package.json": '{ "name": "shop" }',
  "ecosystem.config.js": 'module.exports = { apps: [{ name: "web", script: "app.js" }] };',
  "svcm.yaml": "version: 1\nenvironments: { production: [] }\necosystem: { production: ecosystem.config.js }\n",
};
const commit = (message: string): string =>
  `git -c user.name=ann -c user.email=ann@example.com commit --all --quiet --message ${message}`;

let machine: Machine;

async function root(command: string): Promise<string> {
  return (await machine.run(command)).out.trim();
}

async function deploy(command: string): Promise<string> {
  return (await machine.run(`cd /srv/shop; ${command}`, "deploy")).out.trim();
}

async function put(path: string, text: string): Promise<void> {
  await root(`echo ${Buffer.from(text).toString("base64")} | base64 -d > ${path}`);
}

/** Returns the exit code, what it says, and what the app answers. */
async function run(text: string): Promise<readonly string[]> {
  await put("/etc/systemd/system/shop-deploy.service", text);
  await root("systemctl daemon-reload; systemctl start shop-deploy");
  const result = await root("systemctl show shop-deploy --property=ExecMainStatus --value");
  const message = await root("journalctl --unit shop-deploy --no-pager --output cat");
  return [result, message, await root("curl --silent http://127.0.0.1:24811")];
}

beforeAll(async () => {
  if (problem !== undefined) return;
  machine = await startMachine();
  await root("useradd --create-home deploy; mkdir /srv/shop /srv/shop.git");
  for (const [name, text] of Object.entries(FILES)) await put(`/srv/shop/${name}`, text);
  await put("/usr/local/bin/svcm", `#!/bin/sh\nexec ${process.execPath} ${checkoutFolder}/bin/run.js "$@"\n`);
  await root("chmod 755 /usr/local/bin/svcm; chown -R deploy: /srv/shop /srv/shop.git");
  await deploy("git init --quiet --bare ../shop.git; git init --quiet --initial-branch=main; git add --all");
  await deploy(`${commit("one")}; git remote add origin /srv/shop.git; git push --quiet --set-upstream origin main`);
});
afterAll(() => (problem === undefined ? machine.end() : undefined));

test.skipIf(problem !== undefined)(
  `what it starts lives on, and without its setting it starts nothing${word}`,
  async () => {
    expect([unit.includes(SETTING), unit.includes("User=deploy")]).toEqual([true, true]);
    await put("/etc/systemd/system/shop-deploy.timer", timer);
    const names = "/etc/systemd/system/shop-deploy.service /etc/systemd/system/shop-deploy.timer";
    const [refused, message, answer] = await run(unit.replace(SETTING, ""));
    expect([refused, answer]).toEqual(["1", ""]);
    expect(message?.replaceAll(/\s+/g, " ")).toMatch(/would end with shop-deploy\.service, and every app with it/);
    expect(message).toContain("Nothing that runs was touched.");
    expect(await root("cat /home/deploy/.pm2/pm2.pid 2>&1")).toMatch(/No such file/);

    expect((await run(unit))[0]).toBe("0");
    expect(await root(`systemd-analyze verify ${names} 2>&1 | grep shop`)).toBe("");
    expect(await root("curl --silent --retry 5 --retry-connrefused http://127.0.0.1:24811")).toBe("one");
    await put("/srv/shop/version.js", 'module.exports = "two";');
    await deploy(`${commit("two")}; git push --quiet`);
    expect((await run(unit))[0]).toBe("0");
    expect(await root("curl --silent --retry 5 --retry-connrefused http://127.0.0.1:24811")).toBe("two");
  },
);
