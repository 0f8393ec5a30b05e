/** Records invented samples, ten minutes apart, and prints `done <n>` when sample n is on the disk. */
import { nodeHistoryFiles } from "../../../src/core/history/history-files.node.ts";
import { frameExamples } from "../../../src/core/api/frame-examples.ts";
import { createRecorder } from "../../../src/core/history/recorder.ts";
import type { Ports, Sample } from "../../../src/core/index.ts";
import { systemClock } from "../../../src/core/files/host.ts";

const [folder = "", first = "0"] = process.argv.slice(2);
const [example] = frameExamples.metrics;

async function* watch(): AsyncGenerator<Sample> {
  for (let number = Number(first); ; number += 1) {
    const collectedAt = new Date(Date.UTC(2030, 0, 1) + number * 600_000).toISOString();
    process.stdout.write(`begin ${number}\n`);
    if (example !== undefined) yield { kind: "metrics", payload: { ...example.payload, collectedAt } };
    process.stdout.write(`done ${number}\n`);
  }
}

const ports = { clock: systemClock, historyFiles: nodeHistoryFiles(folder), telemetry: { watch } };
createRecorder(ports as unknown as Ports).start("flag");
