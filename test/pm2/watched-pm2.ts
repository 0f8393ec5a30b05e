import { createRequire } from "node:module";
import { afterAll, beforeAll } from "vitest";
import { floorToSecond, type SvcmEvent } from "../../src/core/index.ts";
import { pm2 } from "../support/pm2-daemon.ts";
import { pm2Command } from "./event-scenes.ts";

const CLI = createRequire(import.meta.url).resolve("pm2/bin/pm2");

/** The app ends some time after SIGINT, so PM2's command waits that long. */
const SLOW = `process.on("SIGINT", () => setTimeout(() => process.exit(0), 900));
  process.send("ready"); setInterval(() => {}, 1e6);`;
export const slow = (name: string) => ({
  name,
  code: SLOW,
  wait_ready: true,
  listen_timeout: 20_000,
  kill_timeout: 20_000,
});
/** For a file of tests: the app `first` runs, and the feed has reported its start. */
export function watchedPm2() {
  const own = pm2();
  const ports = own.ports();
  const stop = new AbortController();
  let next: (wanted: Partial<SvcmEvent>) => Promise<SvcmEvent> = () => Promise.reject(new Error("no feed yet"));

  beforeAll(async () => {
    await own.startDaemon();
    // The feed begins with the first read, so the app must start before.
    const fromMs = floorToSecond(Date.now());
    const feed = ports.eventFeed.watch(stop.signal, { apps: [], fromMs })[Symbol.asyncIterator]();
    next = async (wanted) => {
      for (;;) {
        const { value, done } = (await feed.next()) as IteratorResult<SvcmEvent, undefined>;
        if (done === true) throw new Error("the feed ended");
        if (Object.entries(wanted).every(([key, expected]) => value[key as keyof SvcmEvent] === expected)) return value;
      }
    };
    // The feed has started to watch the machine by now.
    await own.run(slow("first"));
    await next({ app: "first", kind: "start" });
  });
  afterAll(async () => {
    stop.abort();
    await own.end();
  });

  const command = (...args: string[]) => pm2Command(own, CLI)(...args);
  const recordOf = async (name: string) => (await ports.processes.list()).find((record) => record.name === name)!;
  return { own, ports, command, recordOf, next: (wanted: Partial<SvcmEvent>) => next(wanted) };
}
