import { expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { type Sample, type Telemetry, watchMachine } from "../../../src/core/metrics/telemetry.ts";

/** `unnamed`: nothing says which environment the machine is. */
const sampleOf = (environment: string) =>
  ({
    kind: "metrics",
    payload: { environment, ecosystem: environment === "unnamed" ? { code: "ENVIRONMENT_REQUIRED" } : {} },
  }) as unknown as Sample;

/** Gives 13 samples of the environment that was read at the start of each watch. */
function telemetryOf(read: () => string): Telemetry {
  return {
    environment: async () => read(),
    async *watch() {
      const environment = read();
      for (let at = 0; at < 13; at += 1) yield sampleOf(environment);
    },
  } as unknown as Telemetry;
}

async function environmentsOf(read: () => string): Promise<string[]> {
  const seen: string[] = [];
  for await (const sample of watchMachine(
    { telemetry: telemetryOf(read) },
    { intervalMs: 1 },
    new AbortController().signal,
  ))
    if (sample.kind === "metrics") seen.push(sample.payload.environment);
  return seen;
}

test("another environment is followed from the next look on", async () => {
  let reads = 0;
  const seen = await environmentsOf(() => ((reads += 1) === 1 ? "dev" : "production"));
  expect(seen).toEqual([...Array<string>(5).fill("dev"), ...Array<string>(13).fill("production")]);
});

test("a look that fails ends nothing, so alerts survive a half-written svcm.yaml", async () => {
  let reads = 0;
  const seen = await environmentsOf(() => {
    if ((reads += 1) === 2) throw new SvcmError("FACT_INVALID", { details: "svcm.yaml is half written." });
    return "dev";
  });
  expect(seen).toEqual(Array<string>(13).fill("dev"));
});

test("a machine that got its environment is compared from the next look on", async () => {
  let reads = 0;
  const seen = await environmentsOf(() => ((reads += 1) <= 2 ? "unnamed" : "dev"));
  expect(seen).toEqual([...Array<string>(5).fill("unnamed"), ...Array<string>(13).fill("dev")]);
});
