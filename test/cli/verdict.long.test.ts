/** One list of the first and the last line that each command prints, in a shop whose worker has crashed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { REPOSITORY } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { endProcesses } from "../support/pm2-daemon.ts";
import { makeShop } from "../support/shop.ts";
import { svcmProgram } from "../support/svcm.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ROWS = `
status | ls | show worker | show api | logs worker -n 2 | why worker | why api | why | events | metrics show
plan | releases | releases show RELEASE | rollback --dry-run
start worker --ecosystem | restart api | reload api | stop worker | wait api | run nightly | delete worker | start ghost
env get | env get --app api | env get GHOST | env set PAGE_SIZE=30 --dry-run | env set PAGE_SIZE=30 | env set PAGE_SIZE=x
env unset PAGE_SIZE --dry-run | env diff dev production | env check | env run --app ghost -- true | env template --check
keys list | keys confirm PAGE_SIZE | keys set-tier editable PAGE_SIZE | startup check rest
keys allow PAGE_SIZE | keys hide PAGE_SIZE | keys add GREETING | mute worker | note worker noted
check | validate | doctor | boot | explain PM2_NOT_RUNNING | explain GHOST
ecosystem show | ecosystem drift | ecosystem check
targets list | targets validate | targets remove ghost --yes | interfaces list | interfaces validate | config show | config validate
diff | migrate
audit | approve | deny ABCDEFGH | token create bob --role viewer | token list | token revoke bob | alerts test | daemon | metrics history
logs usage | logs prune --dry-run | logs rotate --dry-run | boot save
nodes list | nodes show a | rollout status | nats check
apply --app ghost --yes | scale ghost 2
`
  .split(/[|\n]/)
  .map((row) => row.trim())
  .filter((row) => row !== "");

/** Documents, streams, questions and what must not run in a test: no verdict belongs before them. */
const WITHOUT_VERDICT = new Set(
  `agent boot:disable boot:enable boot:restore completion config:set daemon:renew deploy env:edit env:export env:profile:apply env:profile:list
  env:profile:show init interfaces:add interfaces:edit interfaces:remove matrix:show mcp metrics:watch nats:config nats:init nats:join nats:key
  nats:setup rollout:resume rollout:rollback rollout:unlock schema serve skill targets:add targets:duplicate targets:edit`.split(
    /\s+/,
  ),
);

const home = temporaryFolder(afterAll);
afterAll(() => endProcesses(home));

/** Applies, kills the worker, which PM2 restarts, and returns the release. */
async function play(run: (row: string) => Promise<{ readonly stdout: string }>): Promise<string> {
  await run("apply --yes");
  interface Listed {
    readonly processes: readonly { readonly name: string; readonly pid: number }[];
  }
  const { processes } = JSON.parse((await run("ls --json")).stdout) as Listed;
  process.kill(processes.find(({ name }) => name === "worker")?.pid ?? 0, "SIGKILL");
  await run("wait worker");
  const { releases } = JSON.parse((await run("releases --json")).stdout) as { releases: { id: string }[] };
  return releases[0]?.id ?? "";
}

test("each command begins with a verdict, and ends with a next step where something is wrong", async () => {
  const root = temporaryFolder();
  makeShop(root, await freePort());
  const env = { PM2_HOME: home, NODE_ENV: "dev", TZ: "Asia/Kolkata" };
  const run = (row: string) => svcmProgram(row.split(" "), { root, env });
  const list = [];
  const bad = [];
  const release = await play(run);
  for (const row of ROWS) {
    const { code, stdout, stderr } = await run(row.replace("RELEASE", release));
    const lines = (stdout === "" ? stderr : stdout).split("\n").filter((line) => line.trim() !== "");
    const [first = "", last = ""] = [lines[0], lines.at(-1)];
    list.push(
      `svcm ${row}\n  ${code}  ${masked(first, root)}\n     ${lines.length > 1 ? masked(last, root) : ""}`.trimEnd(),
    );
    if (/^[A-Z]{2,}(?: [A-Z]+)* {2,}|^(?:warning|error|info) |^\S+:\d+:\d+ /.test(first)) bad.push(`${row}: ${first}`);
    if ((code ?? 0) !== 0 && stdout === "" && !/\(svcm explain|Next: /.test(last))
      bad.push(`${row}: ends with ${last}`);
  }
  await expect(`${list.join("\n")}\n`).toMatchFileSnapshot("__snapshots__/first-and-last-lines.txt");
  expect(bad).toEqual([]);
});

test("the list has every command", () => {
  const { commands } = JSON.parse(readFileSync(join(REPOSITORY, "oclif.manifest.json"), "utf8")) as {
    commands: Record<string, { hidden?: boolean }>;
  };
  const ids = Object.keys(commands).filter((id) => commands[id]?.hidden !== true && id !== "help");
  const listed = (id: string): boolean => ROWS.some((row) => `${row} `.startsWith(`${id.replaceAll(":", " ")} `));
  expect(ids.filter((id) => !listed(id) && !WITHOUT_VERDICT.has(id))).toEqual([]);
  expect([...WITHOUT_VERDICT].filter((id) => !ids.includes(id) || listed(id))).toEqual([]);
});

function masked(line: string, root: string): string {
  return line
    .replaceAll(root, "<root>")
    .replaceAll(home, "<home>")
    .replaceAll(/Disk \/\S*:/g, "Disk <mount>:")
    .replaceAll(/\d{8}-\d{6}-[0-9a-f]{4}/g, "<release>")
    .replaceAll(/\b[0-9a-f]{4}-[0-9a-f]{4}\b/g, "<plan>")
    .replaceAll(/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\+\d\d:\d\d)?/g, "<local time>")
    .replaceAll(/\b(?=[0-9a-f]*\d)[0-9a-f]{10}\b/g, "<commit>")
    .replaceAll(/\b\d+(?:\.\d+)? (?:KiB|MiB|GiB|B)\b/g, "<size>")
    .replaceAll(/\b\d+(?:\.\d+)? ?(?:ms|s|m|h|d|%)(?: \d+s)?\b/g, "<time>")
    .replaceAll(/pid \d+/g, "pid <pid>")
    .replaceAll(/\bsvcm_[\w-]{20,}/g, "<token>")
    .replaceAll(/(?<= {2,})\d[\d.]*(?: %)?(?= {2}|$)/g, "<number>")
    .replace(/^(?:<home>|\/).* {2}-$/, "<a daemon of the machine>")
    .replaceAll(/ {2,}/g, "  ");
}
