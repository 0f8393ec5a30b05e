/** The timer, the line for cron and the workflow of docs/how-to/deploy.md, run word for word. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { auditList, eventsList, execute, rolloutRollback } from "../../src/core/index.ts";
import { plainEnvironment, REPOSITORY, RUN } from "../support/command-line.ts";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { longTest } from "../support/runs.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";

const shop = shopUnderPm2();
const page = readFileSync(join(REPOSITORY, "docs/how-to/deploy.md"), "utf8");
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "gm"))].map(([, text = ""]) => text);
const [service = "", timer = ""] = blocks("ini");
const [cron = ""] = blocks("crontab");
const workflow = parse(blocks("yaml").find((text) => text.startsWith("name: deploy")) ?? "") as {
  readonly jobs: { readonly deploy: { readonly steps: readonly [{ readonly run: string }] } };
};
const bin = join(realpathSync(shop.own.folder), "bin");

/** In a shell with svcm in the PATH, and with the checkout at the place of the page. */
function shell(line: string) {
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "svcm"), `#!/bin/sh\nexec ${process.execPath} ${RUN} "$@"\n`);
  // As sshd runs it: the last word, in a shell of the user.
  writeFileSync(join(bin, "ssh"), '#!/bin/sh\necho "$1" > "$HOME/host"\nexec sh -c "$2"\n');
  for (const name of ["svcm", "ssh"]) chmodSync(join(bin, name), 0o755);
  const { HOME, PM2_HOME } = { HOME: shop.own.folder, PM2_HOME: shop.own.home };
  const env = plainEnvironment({ ...GIT_ENVIRONMENT, HOME, PM2_HOME, PATH: `${bin}:${process.env["PATH"]}` });
  const text = line.replaceAll("/srv/shop", shop.checkout);
  const { status, stdout, stderr } = spawnSync("sh", ["-c", text], { cwd: shop.own.folder, env, encoding: "utf8" });
  return { code: status, output: `${stdout}${stderr}` };
}

const setting = (name: string, text = service): string => new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1] ?? "";
const tick = () => shell(`cd ${setting("WorkingDirectory")} && ${setting("ExecStart")}`);

async function traces(): Promise<unknown> {
  const journal = readFileSync(join(shop.root, "records", `${shop.current()}.jsonl`), "utf8");
  const { records } = await execute(auditList, shop.ports, {}, { source: "cli", grants: ["admin", "read", "write"] });
  const { events } = await execute(eventsList, shop.ports, { kind: "deploy" }, caller);
  const processes = (await shop.ports.processes.list()).map(({ pid, restartCount }) => [pid, restartCount]);
  return [journal, records.length, events.length, processes];
}

longTest(
  "each turn of the timer deploys what was pushed, and without a new commit it writes and starts nothing",
  async () => {
    expect(tick().code).toBe(0);
    expect(await shop.answer()).toBe("1");
    const before = await traces();
    const idle = tick();
    expect([idle.code, idle.output, await traces()]).toEqual([
      0,
      expect.stringContaining("was running already"),
      before,
    ]);
    shop.publish({ VERSION: "2" });
    expect(tick().code).toBe(0);
    expect(await shop.answer()).toBe("2");

    shop.publish({ VERSION: "crash" });
    expect(tick().code).toBe(1);
    const failed = await traces();
    const left = tick();
    expect([left.code, left.output.replaceAll(/\s+/g, " "), await traces()]).toEqual([
      1,
      expect.stringMatching(
        /[0-9a-f]{7} "version crash" failed here, so it is left alone\. Nothing was changed\. The reason then: .*web/,
      ),
      failed,
    ]);

    shop.publish({ VERSION: "3" });
    expect(tick().code).toBe(0);
    await execute(rolloutRollback, shop.ports, {}, caller);
    expect([tick().code, await shop.answer()]).toEqual([1, "2"]);

    shop.publish({ VERSION: "4" });
    const [minute = "", ...rest] = cron.trim().split("cd ");
    expect(minute).toBe("* * * * * ");
    expect(shell(`cd ${rest.join("cd ")}`)).toEqual({ code: 0, output: "" });
    expect([await shop.answer(), readFileSync(join(shop.own.folder, "shop-deploy.log"), "utf8")]).toEqual([
      "4",
      expect.stringContaining('"version 4" is deployed'),
    ]);

    const commit = shop.publish({ VERSION: "5" });
    const run = workflow.jobs.deploy.steps[0].run.replace("${{ github.sha }}", commit);
    const deployed = shell(run);
    expect([deployed.code, await shop.answer()], deployed.output).toEqual([0, "5"]);
    expect(readFileSync(join(shop.own.folder, "host"), "utf8")).toBe("deploy@api.example.com\n");
  },
);

test.skipIf(spawnSync("systemd-analyze", ["--version"]).status !== 0)("systemd accepts the units", () => {
  const folder = join(shop.own.folder, "units");
  mkdirSync(folder);
  writeFileSync(join(folder, "shop-deploy.service"), service.replace("User=deploy", "User=root"));
  writeFileSync(join(folder, "shop-deploy.timer"), timer);
  const paths = ["shop-deploy.service", "shop-deploy.timer"].map((name) => join(folder, name));
  expect(execFileSync("systemd-analyze", ["verify", ...paths], { encoding: "utf8" })).toBe("");
});
