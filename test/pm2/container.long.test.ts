/** The recipe of the how-to, carried out: its steps in namespaces, pm2-runtime as first process, svcm beside it. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { plainEnvironment, REPOSITORY } from "../support/command-line.ts";
import { readDockerfile, startContainer } from "../support/container.ts";
import { freePort } from "../support/free-port.ts";
import { machineProblem } from "../support/systemd-machine.ts";
import { installNode } from "../support/node-program.ts";
import { pack } from "../support/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PAGE = readFileSync(join(REPOSITORY, "docs/how-to/containers.md"), "utf8");
const block = (language: string): string => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(PAGE)?.[1] ?? "";
const LIMITS = { bytes: 512 * 1024 * 1024, cores: 0.5 };

const WEB = `console.log("web listens");
process.on("SIGINT", () => setTimeout(() => { console.log("web drained"); process.exit(0); }, 300));
require("http").createServer((_, response) => response.end("shop\\n")).listen(process.env.PORT);
`;
/** It ends once, and PM2 starts it again. */
const WORKER = `const { existsSync, writeFileSync } = require("node:fs");
if (!existsSync("/tmp/again")) { writeFileSync("/tmp/again", ""); console.error("no queue"); process.exit(7); }
setInterval(() => {}, 1e6);
`;

/** The repository of a team, with its lockfile, and what must stay out of the image. */
async function repository(): Promise<string> {
  const [folder, packed] = [temporaryFolder(), temporaryFolder()];
  const { filename } = pack(packed);
  const registry = createServer((_, response) => response.end(readFileSync(join(packed, filename)))).listen(0);
  onTestFinished(() => void registry.close());
  const { port } = registry.address() as { port: number };
  const { version } = createRequire(import.meta.url)("pm2/package.json") as { version: string };
  const dependencies = { pm2: version, svcm: `http://127.0.0.1:${port}/${filename}` };
  const declared = [
    { name: "web", script: "web.js", exec_mode: "cluster", instances: "max", env: { PORT: await freePort() } },
    { name: "worker", script: "worker.js", treekill: true },
  ];
  const files = {
    "package.json": JSON.stringify({ name: "shop", version: "1.0.0", private: true, dependencies }),
    "ecosystem.config.js": `module.exports = ${JSON.stringify({ apps: declared })};\n`,
    "svcm.yaml": "version: 1\nenvironments: { production: [] }\necosystem: { production: ecosystem.config.js }\n",
    "web.js": WEB,
    "worker.js": WORKER,
    ".dockerignore": block("text"),
    ".env": "DATABASE_URL=postgres://shop:secret-word@db/shop\n",
    ".env.production": "PAGE_SIZE=50\n",
    ".git/config": "",
    "node_modules/of-the-machine/index.js": "",
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const args = ["install", "--package-lock-only", "--prefer-offline", "--no-audit", "--no-fund"];
  await promisify(execFile)("npm", args, { cwd: folder, env: plainEnvironment() });
  return folder;
}

const problem = machineProblem();
const word = problem === undefined ? "" : ` (skipped: ${problem})`;
test.skipIf(problem !== undefined)(`the recipe builds, runs, shows, and drains${word}`, async () => {
  const docker = readDockerfile(block("dockerfile"));
  const [, major = ""] = /^node:(\d+)-slim$/.exec(docker[0]!.rest) ?? [];
  const context = await repository();
  const node = join(installNode(temporaryFolder(), major), "node");
  const container = await startContainer(docker, { node, context }, LIMITS);
  onTestFinished(() => container.end());
  const exec = (command: string) => container.exec(command).catch(() => ({ code: -1, out: container.output() }));
  const svcm = async (command: string) => JSON.parse((await exec(`npx svcm ${command} --json 2>/dev/null`)).out);
  const states = async (): Promise<string[]> => {
    const { code, out } = await exec("npx svcm ls --json 2>/dev/null");
    if (code !== 0) return [out];
    const { processes } = JSON.parse(out) as { processes: { name: string; status: string; restartCount: number }[] };
    return processes.map(({ name, status, restartCount }) => `${name} ${status} ${restartCount}`).toSorted();
  };
  const webs = Array.from({ length: availableParallelism() }, () => "web online 0");
  await expect.poll(states, { interval: 1000 }).toEqual([...webs, "worker online 1"]);

  const first = await exec("tr '\\0' ' ' < /proc/1/cmdline; stat -c %U /proc/1; node --version; command -v ps; ls -A");
  expect(first.out).toContain(`pm2-runtime start ecosystem.config.js`);
  expect(first.out).toMatch(new RegExp(` node\nv${major}\\.`));
  expect(first.out).not.toMatch(/^(?:\.env.*|\.git|.*\/ps)$/m);
  expect((await exec("ls node_modules")).out).not.toContain("of-the-machine");

  const printed: string[] = [];
  for (const [, command = ""] of PAGE.matchAll(/^\$ docker exec shop (.*)$/gm)) {
    // The worker is the app that ended.
    const { code, out } = await exec(command.replace("why web", "why worker"));
    expect([command, code]).toEqual([command, 0]);
    printed.push(out);
  }
  expect(printed[0]).toContain("processes of PM2");
  expect(printed[1]).toMatch(/exit code 7[\s\S]*no queue/);
  expect(printed[2]).toContain("web listens");

  const { out: events } = await exec("npx svcm events");
  expect(events.replaceAll(/[\s›]+/g, " ").match(/There is no pm2\.log, as under pm2-runtime/g)).toHaveLength(1);
  expect(await svcm("boot")).toMatchObject({ verdict: "unknown", findings: [{ code: "BOOT_FOREGROUND" }] });
  expect(await svcm("daemon")).toMatchObject({ daemons: [{ pid: 1, isForeground: true, user: "node" }] });
  expect(await svcm("daemon renew")).toMatchObject({ code: "RENEW_REFUSED" });
  expect(await svcm("metrics show")).toMatchObject({ host: { memory: { totalBytes: LIMITS.bytes } } });
  expect((await exec("npx svcm metrics show")).out).toContain("512.0 MiB");
  expect((await exec("npx svcm ecosystem check -e production")).out).toContain("ECOSYSTEM_INSTANCES_CORES");
  expect((await exec("npx svcm restart worker")).code).toBe(0);

  expect(await container.stop()).toBe(0);
  expect(container.output()).toContain("web listens");
  expect(container.output().match(/web drained/g)?.length).toBeGreaterThanOrEqual(webs.length);
});
