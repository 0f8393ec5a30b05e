/** The five steps of docs/how-to/fleet.md, each command as it is printed, with two nodes on this machine. */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { plainEnvironment, REPOSITORY, RUN } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { hasNats, startNats } from "../support/nats-server.ts";
import { IDLE, pm2 } from "../support/pm2-daemon.ts";
import { GOOD_ENV } from "../support/workspace.ts";

const PAGE = readFileSync(join(REPOSITORY, "docs/how-to/fleet.md"), "utf8");
const STEPS = PAGE.split(/^## /m).filter((part) => /^\d\. /.test(part));
const blocksOf = (step: number, language: string): string[] =>
  Array.from(
    STEPS[step - 1]!.matchAll(new RegExp(`^\`\`\`${language}[^\n]*\n(.*?)^\`\`\``, "gms")),
    ([, body = ""]) => body,
  );
const APP = { name: "orders-api", script: "./app.cjs" };

test("the page has five steps", () => {
  expect(STEPS.map((step) => Number.parseInt(step, 10))).toEqual([1, 2, 3, 4, 5]);
});

test.skipIf(!hasNats)("the five steps lead from one machine to two (needs nats-server)", async () => {
  const own = pm2();
  onTestFinished(() => own.end());
  const root = own.folder;
  const port = await freePort();
  const at = (path: string): string => join(root, path);
  for (const folder of ["bin", "etc/nats", "etc/svcm", "lib", ".config"]) mkdirSync(at(folder), { recursive: true });
  writeFileSync(at("bin/svcm"), `#!/bin/sh\nexec "${process.execPath}" "${RUN}" "$@"\n`, { mode: 0o755 });
  for (const name of ["apt-get", "systemctl"]) writeFileSync(at(`bin/${name}`), "#!/bin/sh\n", { mode: 0o755 });
  const env = plainEnvironment({ HOME: root, PM2_HOME: own.home, PATH: `${at("bin")}:${process.env["PATH"]}` });
  /** The text of the page, with the folders and the address of this test. */
  const here = (text: string): string =>
    text
      .replaceAll("/etc/", `${at("etc")}/`)
      .replaceAll("/var/lib/nats", at("lib"))
      .replaceAll("tls://nats.internal:4222", `nats://127.0.0.1:${port}`)
      .replaceAll("0.0.0.0:4222", `"127.0.0.1:${port}"`)
      .replaceAll(/^tls \{.*\n/gm, "");
  const shell = (text: string) => {
    const ran = spawnSync("bash", ["-ec", here(text)], { cwd: root, env, encoding: "utf8" });
    expect([text, ran.status, ran.stderr.includes("Error:")], ran.stdout + ran.stderr).toEqual([text, 0, false]);
    return ran.stdout;
  };

  const keyOf = (file: string): string => shell(blocksOf(1, "sh")[0]!.replace("~/.config/svcm-ann.nk", file)).trim();
  const keys: Record<string, string> = {
    A: keyOf("~/.config/svcm-ann.nk"),
    B: keyOf("bob.nk"),
    C: keyOf("/etc/svcm/node.nk"),
    D: keyOf("/etc/svcm/other.nk"),
  };
  const declared = blocksOf(2, "yaml")[0]!.replaceAll(/U([ABCD])\1{50,}/g, (_, letter: string) => keys[letter] ?? "");
  const environments =
    "version: 1\nenvironments: { dev: [], staging: [], production: [] }\ndefault: production\necosystem: { production: pm2/ecosystem.production.config.cjs }\n";
  writeFileSync(
    at("svcm.yaml"),
    here(`${environments}env: { dev: .env.dev, staging: .env.staging, production: .env.production }\n${declared}`),
  );
  writeFileSync(at(".env.production"), GOOD_ENV);
  writeFileSync(at("app.cjs"), IDLE);
  own.pm2Folder([APP], "production");
  await own.startDeclared(APP.name, "production");

  shell(blocksOf(3, "sh")[0]!);
  const nats = await startNats(at("etc/nats-server.conf"));
  onTestFinished(() => void nats.kill("SIGKILL"));

  /** Resolves when the program is in the fleet. */
  const node = async (text: string): Promise<void> => {
    const child = spawn("bash", ["-ec", here(text)], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => void child.kill("SIGTERM"));
    let said = "";
    for await (const chunk of text.includes("svcm serve") ? child.stderr : child.stdout) {
      said += String(chunk);
      if (said.includes("in the fleet")) return;
    }
    throw new Error(`${text} ended: ${said}`);
  };
  const [setting = "", agent = "", serve = ""] = blocksOf(4, "sh")[0]!.split("\n");
  await node(`${setting}\nexec ${agent}`);
  await node(`${setting.replace("node.nk", "other.nk")}\nexec ${serve.replace("web-1", "web-2 --port 0")}`);

  const [look = "", ask = ""] = blocksOf(5, "sh");
  const [asAnn = ""] = look.split("\n");
  expect(shell(look)).toMatch(/^NODE .*\nweb-1 +online .*\nweb-2 +online /);
  const answers = shell(`${asAnn}\n${ask}`);
  expect(answers.match(/^web-\d$/gm)).toHaveLength(9);
  expect(answers).toContain("Restarted orders-api (id 0");
  expect(shell(`${asAnn}\nsvcm events --node web-1 --json`)).toContain('"missing": []');
});
