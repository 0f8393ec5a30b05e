/** Runs the examples of `--help` as printed, in the repository of a shop without a running PM2. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { freePort } from "../support/free-port.ts";
import { makeShop } from "../support/shop.ts";
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
/** These run until they are stopped, start a PM2, or need a terminal, a release, systemd or a webhook. Other tests run them. */
const LASTING =
  /svcm (?:agent|alerts test|approve|daemon renew|deny|logs prune --heads|serve|nats join|metrics watch|apply|boot (?:disable|enable|restore)|deploy|rollback|rollout (?:resume|rollback|unlock)|releases show)|--follow|svcm (?:re)?start .*--ecosystem|nats init .*--start|^svcm why$/;

/** Another example revokes this token. */
const NEEDED = /token create ci-bot/;

/** The keys of these are those of the reference backend. */
const OF_REFERENCE = /svcm (?:startup|env profile)/;

const DEPLOYMENTS = `version: service-management.v1
service: { serviceKind: websocket-rest-api, runMode: dedicated-server, cloudProvider: self-hosted, ports: { rest: 3000, websocket: 3001 } }
interfaces:
  - { type: http-rest, entrypoint: src/interface/HTTP/items.ts, controller: ItemController.list }
  - { type: http-rest, entrypoint: src/interface/HTTP/events.ts, controller: EventController.list }
deployments:
  - { name: staging, deployTarget: dedicated-server, runtime: node22, pm2Profile: staging }
  - { name: edge, deployTarget: dedicated-server, runtime: node22 }
  - { name: production, deployTarget: dedicated-server, runtime: node22, pm2Profile: production }
`;

const isOfReference = (example: string): boolean => OF_REFERENCE.test(example);

longTest("examples work in a shop, or name what is missing on this machine", async () => {
  const root = temporaryFolder();
  makeShop(root, await freePort(), "keys allow PAGE_SIZE LOG_LEVEL");
  writeFileSync(join(root, "deployments.yaml"), DEPLOYMENTS);
  expect(failedExamples(root, (example) => !isOfReference(example))).toEqual([]);
});

longTest("examples of the startup contract work in the reference backend's repository", () => {
  const root = temporaryFolder();
  checkout(root);
  expect(failedExamples(root, isOfReference)).toEqual([]);
});

function failedExamples(root: string, isMeant: (example: string) => boolean): string[] {
  const home = temporaryFolder();
  mkdirSync(join(home, "bin"));
  writeFileSync(join(home, "bin/svcm"), `#!/bin/sh\nexec "${process.execPath}" "${RUN}" "$@"\n`, { mode: 0o755 });
  const env = plainEnvironment({ HOME: home, PM2_HOME: join(home, "pm2"), PATH: `${home}/bin:${process.env["PATH"]}` });
  const git = (...argv: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...argv], { cwd: root, env });
  git("init", "-q");
  for (const message of ["one", "two"]) {
    git("add", "--all");
    git("commit", "-q", "--allow-empty", "-m", message);
  }
  git("branch", "search-v2");
  for (const folder of ["schemas", ".claude/skills/svcm"]) mkdirSync(join(root, folder), { recursive: true });
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  const sample = new Set(everyThirdOrAll(examples));
  return examples
    .filter((example) => isMeant(example) && (sample.has(example) || NEEDED.test(example)) && !LASTING.test(example))
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
}
