/**
 * Ten thousand wrong guesses of a secret by a search, and right ones among them: neither the counters of an answer nor
 * the distribution of its time differs. Each kind of secret is guessed: one that svcm knows, in two spellings, and
 * two that only their form shows.
 */
import { expect, test } from "vitest";
import { quietApp } from "../support/quiet-app.ts";
import { runningPm2 } from "../support/running-pm2.ts";

const { own } = runningPm2();
const KNOWN = "canary-of-a-guess-7f3a";
const KINDS = {
  known: KNOWN,
  encoded: Buffer.from(KNOWN).toString("base64"),
  token: "ghp_q7Zt3mXw9KfB2vNc8RdL",
  parameter: "sig=Zk3vT9pQw2",
} as const;
const LINES = 1000;
const WRONG = 10_000;
const RIGHT = 400;
/** Of a normal distribution; with these counts, a difference of a tenth of the deviation shows. */
const MAX_Z = 4;

interface Guess {
  readonly kind: keyof typeof KINDS;
  readonly grep: string;
  readonly isRight: boolean;
}

test("a right guess of a secret looks like a wrong one", { timeout: 1_800_000 }, async () => {
  const line = (at: number): string =>
    `connect postgres://shop:${KNOWN}@db/shop ${KINDS.encoded}, ${KINDS.token}, GET /a?${KINDS.parameter} failed ${at}\n`;
  const plain = (at: number): string => `request ${at} was answered in ${at % 90} ms by a worker\n`;
  const text = Array.from({ length: LINES }, (_, at) => (at % 5 === 0 ? line(at) : plain(at))).join("");
  await quietApp(own, "guessed", text, { env: { DB_PASSWORD: KNOWN } });
  const { logs } = own.ports();
  const counters = new Set<string>();
  // On a machine with other work, any answer may end at its limit of time.
  const cut = { right: [] as number[], wrong: [] as number[] };
  const times = new Map<string, { readonly right: number[]; readonly wrong: number[] }>();
  for (const { kind, grep, isRight } of guesses()) {
    const before = performance.now();
    const answer = await logs.read({ app: "guessed", limit: 5, grep, isBounded: true });
    const ms = performance.now() - before;
    cut[isRight ? "right" : "wrong"].push(Number(answer.truncated));
    counters.add(JSON.stringify([answer.truncated ? null : answer.scannedBytes, answer.lines.length]));
    const ofKind = times.get(kind) ?? { right: [], wrong: [] };
    times.set(kind, ofKind);
    ofKind[isRight ? "right" : "wrong"].push(ms);
  }
  await logs.close();
  expect([...counters].filter((one) => !one.startsWith("[null"))).toHaveLength(1);
  expect([...counters].every((one) => one.endsWith(",0]"))).toBe(true);
  const samples = [...times, ["truncated", cut] as const];
  const verdicts = samples.map(([kind, { right, wrong }]) => [kind, zOfRanks(right, wrong)] as const);
  console.log(`z of the ranks of right guesses: ${verdicts.map(([kind, z]) => `${kind} ${z.toFixed(2)}`).join(", ")}`);
  for (const [kind, z] of verdicts) expect([kind, Math.abs(z) < MAX_Z]).toEqual([kind, true]);
});

/** Right ones among wrong ones of the same length, so that warming up and load concern both. */
function* guesses(): Generator<Guess> {
  const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];
  const every = WRONG / RIGHT;
  for (let at = 0; at < WRONG; at += 1) {
    const kind = kinds[at % kinds.length]!;
    const secret = KINDS[kind];
    const length = 6 + (at % (secret.length - 6));
    yield { kind, grep: `${secret.slice(0, length - 1)}~`, isRight: false };
    if (at % every < 1) yield { kind: kinds[((at / every) % kinds.length) | 0]!, ...rightGuess(at / every, kinds) };
  }
}

function rightGuess(turn: number, kinds: readonly (keyof typeof KINDS)[]): Omit<Guess, "kind"> {
  const secret = KINDS[kinds[(turn % kinds.length) | 0]!];
  return { grep: secret.slice(0, 6 + (turn % (secret.length - 6))), isRight: true };
}

/** Mann and Whitney's test: how far the ranks of the right guesses are from those of the wrong ones. */
function zOfRanks(right: readonly number[], wrong: readonly number[]): number {
  const sorted = wrong.toSorted((a, b) => a - b);
  const below = (value: number): number => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle]! < value) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const notAbove = (value: number): number => below(value + Number.EPSILON * Math.max(1, value));
  const u = right.reduce((sum, value) => sum + (below(value) + notAbove(value)) / 2, 0);
  const [m, n] = [right.length, wrong.length];
  return (u - (m * n) / 2) / Math.sqrt((m * n * (m + n + 1)) / 12);
}
