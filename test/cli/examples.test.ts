/** Runs the examples of `--help` as printed, in a checkout of this repository without a running PM2. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { checkout } from "../support/checkout.ts";
import { plainEnvironment, REPOSITORY, RUN } from "../support/command-line.ts";
import { everyThirdOrAll, longTest } from "../support/runs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Manifest {
  readonly commands: Readonly<Record<string, { readonly examples?: readonly string[]; readonly pluginName?: string }>>;
}

const { commands } = JSON.parse(readFileSync(join(REPOSITORY, "oclif.manifest.json"), "utf8")) as Manifest;
const examples = Object.values(commands)
  .flatMap(({ examples: all = [] }) => all)
  .map((example) => example.replaceAll("<%= config.bin %>", "svcm"));
/** These run until they are stopped, start a PM2 with the backend, or need a release, systemd or a webhook. Other tests run them. */
const LASTING =
  /svcm (?:agent|alerts test|deny|serve|nats join|metrics watch|apply|boot (?:disable|enable|restore)|deploy|rollback|rollout (?:resume|rollback|unlock)|releases show)|--follow|svcm (?:re)?start .*--ecosystem/;

/** Another example revokes this token. */
const NEEDED = /token create ci-bot/;

longTest("examples work, or name what is missing on this machine", () => {
  const [root, home] = [temporaryFolder(), temporaryFolder()];
  checkout(root);
  mkdirSync(join(home, "bin"));
  writeFileSync(join(home, "bin/svcm"), `#!/bin/sh\nexec "${process.execPath}" "${RUN}" "$@"\n`, { mode: 0o755 });
  const env = plainEnvironment({ HOME: home, PM2_HOME: join(home, "pm2"), PATH: `${home}/bin:${process.env["PATH"]}` });
  const git = (...argv: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...argv], { cwd: root, env });
  git("init", "-q");
  for (const message of ["one", "two"]) {
    git("add", "deployments.yaml", "config", "apps/backend-template/src/config");
    git("commit", "-q", "--allow-empty", "-m", message);
  }
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  const sample = new Set(everyThirdOrAll(examples));
  const failed = examples
    .filter((example) => (sample.has(example) || NEEDED.test(example)) && !LASTING.test(example))
    .flatMap((example) => {
      git("checkout", "-q", "--", ".");
      const { status, stdout, stderr } = spawnSync("sh", ["-c", example], {
        cwd: root,
        env,
        encoding: "utf8",
        input: "",
      });
      const isWithoutPm2 = /\nPM2_NOT_RUNNING |"code": "PM2_NOT_RUNNING"|, and PM2 does not answer\./.test(
        stderr + stdout,
      );
      const isWrong = status !== 0 && status !== 1;
      const isUnknown = /^WRONG_USAGE|^COMMAND_NOT_FOUND|_NOT_FOUND /m.test(stderr);
      return isWithoutPm2 || !(isWrong || isUnknown) ? [] : [`${example}: ${stderr}`];
    });
  expect(failed).toEqual([]);
});
