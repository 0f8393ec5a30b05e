import { expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { forgetEnded } from "../../../src/core/approvals/forget-ended.ts";

/** The answers of each look; the signal comes with the last sleep. */
async function play(answers: readonly (Error | undefined)[]) {
  const stop = new AbortController();
  const forgotten: number[] = [];
  let nowMs = 0;
  const clock = {
    now: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
      if (forgotten.length < answers.length) return;
      stop.abort();
      throw new Error("aborted");
    },
  };
  const forget = async (atMs: number) => {
    const answer = answers[forgotten.length];
    forgotten.push(atMs);
    if (answer !== undefined) throw answer;
  };
  await forgetEnded({ clock, proposals: async () => ({ forget }) } as never, stop.signal);
  return forgotten;
}

test("proposals that have ended are forgotten each ten minutes until the signal, whatever one look finds", async () => {
  const minutes = (count: number) => count * 10 * 60_000;
  const refusal = new SvcmError("PM2_FAILED", { details: "no" });
  expect(await play([undefined, refusal, undefined])).toEqual([minutes(1), minutes(2), minutes(3)]);
  const defect = new TypeError("defect");
  await expect(play([defect])).rejects.toBe(defect);
});
