/** Runs the commands of docs/how-to/fleet.md as printed, with two nodes on this machine. */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { plainEnvironment, REPOSITORY, RUN } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { hasNats, startNats } from "../support/nats-server.ts";
import { IDLE, pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { GOOD_ENV } from "../support/workspace.ts";

const PAGE = readFileSync(join(REPOSITORY, "docs/how-to/fleet.md"), "utf8");
const PARTS = PAGE.split(/^## /m);
/** @param part the beginning of its heading */
const blocksOf = (part: string, language: string): string[] =>
  Array.from(
    PARTS.find((text) => text.startsWith(part))!.matchAll(new RegExp(`^\`\`\`${language}[^\n]*\n(.*?)^\`\`\``, "gms")),
    ([, body = ""]) => body,
  );
const APP = { name: "orders-api", script: "./app.cjs" };

test("the page has a short way and five steps, followed by what a fleet can do", () => {
  expect(PARTS.filter((part) => part.includes("```sh")).map((part) => part.slice(0, 12))).toEqual([
    "The short wa",
    "1. Create a ",
    "3. Start a N",
    "4. Add each ",
    "5. See all m",
    "The events o",
    "Apply on one",
    "In the conso",
    "Prometheus\n\n",
  ]);
});

test.skipIf(!hasNats)("the steps of the page work, from one machine to two (needs nats-server)", async () => {
  const [own, other] = [pm2(), pm2()];
  onTestFinished(async () => void (await Promise.all([own.end(), other.end()])));
  const root = own.folder;
  const port = await freePort();
  const at = (path: string): string => join(root, path);
  for (const folder of ["bin", "etc/nats", "etc/svcm", "lib", ".config"]) mkdirSync(at(folder), { recursive: true });
  writeFileSync(at("bin/svcm"), `#!/bin/sh\nexec "${process.execPath}" "${RUN}" "$@"\n`, { mode: 0o755 });
  for (const name of ["apt-get", "systemctl"]) writeFileSync(at(`bin/${name}`), "#!/bin/sh\n", { mode: 0o755 });
  const env = plainEnvironment({ HOME: root, PM2_HOME: own.home, PATH: `${at("bin")}:${process.env["PATH"]}` });
  /** The text of the page with the folders and the address of this test. */
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

  const keyOf = (file: string): string => shell(blocksOf("1", "sh")[0]!.replace("~/.config/svcm-ann.nk", file)).trim();
  const keys: Record<string, string> = {
    A: keyOf("~/.config/svcm-ann.nk"),
    B: keyOf("bob.nk"),
    C: keyOf("/etc/svcm/node.nk"),
    D: keyOf("/etc/svcm/other.nk"),
  };
  const declared = blocksOf("2", "yaml")[0]!.replaceAll(/U([ABCD])\1{50,}/g, (_, letter: string) => keys[letter] ?? "");
  const environments =
    "version: 1\nenvironments: { dev: [], staging: [], production: [] }\ndefault: production\necosystem: { production: pm2/ecosystem.production.config.cjs }\n";
  const project = here(
    `${environments}env: { dev: .env.dev, staging: .env.staging, production: .env.production }\n${declared}`,
  );
  for (const machine of [own, other]) {
    writeFileSync(join(machine.folder, "svcm.yaml"), project);
    writeFileSync(join(machine.folder, ".env.production"), GOOD_ENV);
    writeFileSync(join(machine.folder, "app.cjs"), IDLE);
    machine.pm2Folder([APP], "production");
    await machine.startDeclared(APP.name, "production");
  }

  const [install, setup] = blocksOf("3", "sh") as [string, string];
  shell(install);
  const nats = await startNats(at("etc/nats-server.conf"));
  onTestFinished(() => void nats.kill("SIGKILL"));
  shell(setup);

  /** Resolves when the program has printed the words; the program keeps running. */
  const lasting = async (text: string, words: string, { folder, home }: Pm2 = own): Promise<void> => {
    const options = { cwd: folder, env: { ...env, PM2_HOME: home } };
    const child = spawn("bash", ["-ec", here(text)], { ...options, stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => void child.kill("SIGTERM"));
    let output = "";
    const told = text.includes("svcm serve") ? child.stderr : child.stdout;
    // A closed pipe would end the program at its next line.
    for await (const chunk of told.iterator({ destroyOnReturn: false })) {
      output += String(chunk);
      if (output.includes(words)) return void told.resume();
    }
    throw new Error(`${text} ended: ${output}`);
  };
  const [setting, agent, serve] = blocksOf("4", "sh")[0]!.split("\n") as [string, string, string];
  await lasting(`${setting}\nexec ${agent}`, "in the fleet");
  const second = `${setting.replace("node.nk", "other.nk")}\nexec ${serve.replace("web-1", "web-2 --port 0")}`;
  await lasting(second, "in the fleet", other);

  const [look = "", ask = ""] = blocksOf("5", "sh");
  const [asAnn = ""] = look.split("\n");
  // The first answer of a node loads its code, which a busy machine does slowly.
  shell(`${asAnn}\nsvcm nodes list --deadline 2m`);
  expect(shell(look)).toMatch(/^2 of 2 nodes online\.\nNODE .*\nweb-1 +online .*\nweb-2 +online /);
  const answers = shell(`${asAnn}\n${ask}`);
  expect(answers.match(/^web-\d$/gm)).toHaveLength(9);
  expect(answers).toContain("Restarted orders-api (id 0");

  const [list, exits, follow] = blocksOf("The events", "sh")[0]!.split("\n") as [string, string, string];
  await lasting(`${asAnn}\nexec ${follow}`, "web-2");
  expect(shell(`${asAnn}\n${list}`)).toMatch(/web-[12] +orders-api \(0\) +start/);
  expect(shell(`${asAnn}\n${exits}`)).toContain('"missing": []');

  for (const machine of [own, other]) machine.pm2Folder([{ ...APP, env: { PRICES: "new" } }], "production");
  const rolled = shell(`${asAnn}\n${blocksOf("Apply on one", "sh")[0]!}`);
  expect(rolled.match(/^web-\d: (?:applying|applied)/gm)).toEqual(
    ["web-1", "web-2"].flatMap((name) => [`${name}: applying`, `${name}: applied`]),
  );
  expect(rolled).toMatch(/^Rollout \S+ of production by ann: applied, begun /m);
});
