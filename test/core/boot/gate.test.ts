/** The processes of a saved list, each as PM2 shows it over the time after its start. */
import { expect, test } from "vitest";
import { waitForRestored } from "../../../src/core/boot/operations/saved-list.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import { record } from "../../support/process-record.ts";

const up = { status: "online", startedAt: 1, lastStartAt: 1 };

/** @param look the fields of the process after that time */
function restored(names: Readonly<Record<string, (ms: number) => Partial<ProcessRecord> | undefined>>) {
  let nowMs = 0;
  const ports = {
    clock: { elapsed: () => nowMs, now: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) },
    processes: {
      list: async () =>
        Object.values(names).flatMap((look, pmId) => {
          const fields = look(nowMs);
          return fields === undefined ? [] : [record({ pmId, pid: 100 + pmId, ...fields })];
        }),
    },
  };
  const started = Object.keys(names).map((name, pmId) => ({ name, pmId, outcome: "started", reason: null }) as const);
  return { ports: ports as never, started, elapsed: () => nowMs };
}

test("one that stays up has started, and one that ends has failed with the reason", async () => {
  const { ports, started } = restored({
    api: () => up,
    worker: (ms) => ({ ...up, ...(ms > 300 && { restartCount: 1, unstableRestarts: 1 }) }),
    gone: () => undefined,
  });
  expect(await waitForRestored(ports, started)).toMatchObject([
    { name: "api", outcome: "started", reason: null },
    { name: "worker", outcome: "failed", reason: expect.stringContaining("ended right after its start") },
    { name: "gone", outcome: "failed", reason: "PM2 no longer lists it" },
  ]);
});

test("one that is launched for longer than a minute has failed, and what PM2 refused stays as it is", async () => {
  const { ports, started, elapsed } = restored({ api: () => ({ ...up, status: "launching" }) });
  const refused = { name: "old", pmId: null, outcome: "failed", reason: "Script not found" } as const;
  expect(await waitForRestored(ports, [...started, refused])).toEqual([
    { name: "api", pmId: 0, outcome: "failed", reason: "PM2 still shows it as launching" },
    refused,
  ]);
  expect(elapsed()).toBeGreaterThan(60_000);
});

test.each([
  [59_000, 3000, "started"],
  [70_000, 3000, "failed"],
  [70_000, 20_000, "started"],
  [90_000, 20_000, "failed"],
])(
  "an app that is launched for %i ms, with a listen_timeout of %i ms, has %s",
  async (bootMs, listenTimeout, outcome) => {
    const { declaration } = record();
    const settings = { listenTimeout };
    const { ports, started } = restored({
      api: (ms) => ({ ...up, declaration: { ...declaration, settings }, ...(ms < bootMs && { status: "launching" }) }),
    });
    expect(await waitForRestored(ports, started)).toMatchObject([{ outcome }]);
  },
);
