/**
 * After each of many random events, svcm's verdict is compared with what the processes really answer, and with what a
 * fresh start would answer. The oracle asks neither svcm nor PM2's record.
 */
import { expect, test } from "vitest";
import { randomNumbers } from "../support/random.ts";
import { Historian } from "./historian.ts";
import { happenings } from "./histories.ts";

const COUNT = Number(process.env["SVCM_HISTORIES"] ?? 60);
const SEED = Number(process.env["SVCM_HISTORIES_SEED"] ?? 20_261_126);
/** Half of the time is spent waiting for a process. */
const LANES = Number(process.env["SVCM_HISTORIES_LANES"] ?? 2);
const LENGTH = 5;
/** On a loaded machine; on an idle one, a history takes a tenth of it. */
const MAX_HISTORY_MS = 300_000;

async function tellHistory(historian: Historian, seed: number): Promise<void> {
  const random = randomNumbers(seed);
  const told: string[] = [];
  for (let at = 0; at < LENGTH; at += 1) {
    const happening = happenings[Math.floor(random() * happenings.length)]!;
    told.push(happening.title);
    await happening.act(historian.world, random);
    await historian.examine(`seed ${seed}: ${told.join("; ")}`);
  }
  await historian.applyAndExamine(`seed ${seed}: ${told.join("; ")}; apply`);
}

test(
  `${COUNT} histories: svcm never says that nothing is to be done while something else runs`,
  async () => {
    const seeds = Array.from({ length: COUNT }, (_, index) => SEED + index);
    const verdicts = { same: 0, changed: 0, unknown: 0 };
    const faults: string[] = [];
    let told = 0;
    const tell = (fault: string): void => {
      faults.push(fault);
      console.error(fault);
    };
    /** A history that breaks off leaves an unknown state, so the next one gets a separate world. */
    const runLane = async (): Promise<void> => {
      let historian: Historian | undefined;
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        try {
          historian ??= await Historian.begin({ verdicts, tell });
          await tellHistory(historian, seed);
        } catch (error) {
          tell(`seed ${seed} breaks off: ${String(error)}`);
          await historian?.end();
          historian = undefined;
        }
        told += 1;
        if (told % 10 === 0) console.info(`${told} histories, verdicts: ${JSON.stringify(verdicts)}`);
      }
      await historian?.end();
    };
    await Promise.all(Array.from({ length: LANES }, runLane));
    console.info(`${told} histories, verdicts: ${JSON.stringify(verdicts)}`);
    expect(faults).toEqual([]);
  },
  COUNT * MAX_HISTORY_MS,
);
