/** Machines in random states: what svcm boot says of each is what its real boot then shows. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BootReport } from "../../src/core/index.ts";
import { randomNumbers } from "../support/random.ts";
import { checkoutFolder, machineProblem, startMachine, type Machine } from "../support/systemd-machine.ts";

const problem = machineProblem();
const word = problem === undefined ? "" : ` (skipped: ${problem})`;
const svcm = `${process.execPath} ${checkoutFolder}/bin/run.js`;
const pm2 = `${process.execPath} ${checkoutFolder}/node_modules/pm2/bin/pm2`;
const STATES = 10;
const SEED = 20_261_127;

const UNITS = ["none", "svcm", "pm2", "svcm, disabled", "pm2, as root"] as const;
const LISTS = [
  "saved",
  "absent",
  "cut off",
  "of another value",
  "before a stop",
  "before a start",
  "script gone",
] as const;
const DAEMONS = ["inside", "outside"] as const;

interface State {
  readonly unit: (typeof UNITS)[number];
  readonly list: (typeof LISTS)[number];
  readonly daemon: (typeof DAEMONS)[number];
}

function statesOf(seed: number): State[] {
  const random = randomNumbers(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  return Array.from({ length: STATES }, (_, at) => ({
    // Each kind of unit occurs, and half of them may come back.
    unit: at < UNITS.length ? (UNITS[at] as State["unit"]) : pick(["svcm", "pm2"] as const),
    list: at % 3 === 1 ? "saved" : pick(LISTS),
    daemon: pick(DAEMONS),
  }));
}

let machine: Machine;
const root = async (command: string): Promise<string> => (await machine.run(command)).out;
const deploy = async (command: string): Promise<string> => (await machine.run(`cd app; ${command}`, "deploy")).out;

beforeAll(async () => {
  if (problem !== undefined) return;
  machine = await startMachine();
  await root("useradd --create-home deploy && mkdir /home/deploy/app && chown deploy: /home/deploy/app");
});
afterAll(() => (problem === undefined ? machine.end() : undefined));

/** Names, states and a value, as PM2's own list has them; without a daemon it is empty. */
async function running(): Promise<string> {
  const text = await deploy(`pgrep -u deploy -f 'God Daemon' >/dev/null && ${pm2} jlist --silent`);
  const json = text.split("\n").find((line) => line.startsWith("["));
  const list = JSON.parse(json ?? "[]") as { name: string; pm2_env: { status: string; MODE?: string } }[];
  return list
    .map(({ name, pm2_env: { status, MODE } }) => `${name} ${status} ${MODE}`)
    .toSorted()
    .join(", ");
}

const TEXT = "setInterval(() => {}, 1e6);";

async function arrange({ unit, list, daemon }: State): Promise<void> {
  await root(
    `systemctl stop 'svcm-pm2-*' 'pm2-*'; systemctl disable pm2-deploy svcm-pm2-deploy; rm -f /etc/systemd/system/*pm2*; systemctl daemon-reload; pkill -9 -u deploy; true`,
  );
  await root(`rm -rf /home/deploy/.pm2; for name in a b c; do echo '${TEXT}' > /home/deploy/app/$name.js; done`);
  await deploy(`for name in a b c; do MODE=one ${pm2} start $name.js; done; ${pm2} stop c`);
  if (unit.startsWith("svcm")) await root(`${svcm} boot enable --user deploy`);
  if (unit.startsWith("pm2")) await root(`${pm2} startup systemd -u deploy --hp /home/deploy`);
  await deploy(`${svcm} boot save`);
  const name = unit.startsWith("svcm") ? "svcm-pm2-deploy" : "pm2-deploy";
  if (daemon === "inside" && unit !== "none") await root(`su deploy -c '${pm2} kill'; systemctl restart ${name}`);
  if (unit === "svcm, disabled") await root(`systemctl disable ${name}`);
  if (unit === "pm2, as root")
    await root(`sed -i 's/^User=.*/User=root/' /etc/systemd/system/${name}.service; systemctl daemon-reload`);
  const changes: Readonly<Record<State["list"], string>> = {
    saved: "true",
    absent: "rm .pm2/dump.pm2* .pm2/svcm/boot.json",
    "cut off": "truncate -s -9 .pm2/dump.pm2; rm -f .pm2/dump.pm2.bak",
    "of another value": `MODE=two ${pm2} restart a --update-env`,
    "before a stop": `${pm2} stop b`,
    "before a start": `${pm2} start c`,
    "script gone": "rm app/b.js",
  };
  await machine.run(`cd /home/deploy; ${changes[list]}`, "deploy");
}

test.skipIf(problem !== undefined)(
  `the verdict on each of ${STATES} machines is what its boot shows${word}`,
  async () => {
    const verdicts: string[] = [];
    for (const state of statesOf(SEED)) {
      await arrange(state);
      const before = await running();
      const { verdict, findings } = JSON.parse(await deploy(`${svcm} boot --json`)) as BootReport;
      const codes = findings.filter(({ severity }) => severity === "error").map(({ code }) => code);
      await machine.reboot();
      await root("until ! systemctl list-jobs --no-legend | grep -q .; do sleep 0.2; done");
      const isBack = (await running()) === before;
      // Outside of PM2's own unit, the shutdown decides it: "PM2 may save the apps as stopped".
      const isOpen = verdict === "unknown" || codes.join() === "UNIT_OUTSIDE";
      const answer = isOpen ? "open" : verdict;
      verdicts.push(answer);
      expect([state, codes, answer === "open" || (answer === "yes") === isBack]).toEqual([state, codes, true]);
    }
    expect(new Set(verdicts)).toContain("yes");
    expect(new Set(verdicts)).toContain("no");
  },
);
