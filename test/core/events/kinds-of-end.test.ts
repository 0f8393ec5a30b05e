import { explainZero } from "../../../src/core/events/causes.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SvcmEvent } from "../../../src/core/api/events.ts";
import { attributeEvents } from "../../../src/core/events/attribute-events.ts";
import { explainHeapErrors } from "../../../src/core/events/counted-ends.ts";
import { logEvents } from "../../../src/core/events/log-events.ts";
import { logEntry } from "../../../src/core/logs/log-line.ts";
import { withKernel } from "../../../src/core/events/sightings.ts";
import { explainZeroes } from "../../../src/core/events/collect-events.ts";
import { AT, kindsOfEnd, type KindOfEnd } from "./kinds-of-end.ts";

const HOME = "/home/deploy/.pm2";
const msOf = (second: number): number => Date.parse(`2026-11-22T04:42:${String(second).padStart(2, "0")}`);
const ENDS = new Set(["exit", "stop", "restart", "delete"]);

/** As `collectEvents` does, with plain values in place of the files. */
async function explain(kind: KindOfEnd): Promise<Omit<SvcmEvent, "at"> | undefined> {
  const entries = kind.lines.flatMap(([second, text]) => {
    const stamp = `2026-11-22T04:42:${String(second).padStart(2, "0")}`;
    return logEntry(`${stamp}: PM2 log: ${text}`) ?? [];
  });
  expect(entries).toHaveLength(kind.lines.length);
  const atMs = msOf(AT);
  const killed = [{ atMs, pid: 7, name: "node /srv/app.j" }];
  const seen = kind.kernel === "pid" ? [{ type: "memory-kill", atMs, pmId: 0, isNamed: true } as const] : [];
  const kernel = kind.kernel === undefined ? {} : { kills: 1, logged: killed };
  const programOf = () => ({ script: "/srv/app.js", interpreter: null });
  const tailOf = async () => ({ lines: kind.tail ?? ["Error: boom"], writtenMs: kind.hasErrors ? atMs + 400 : 0 });
  let events = await explainZeroes(withKernel(logEvents(entries), kernel, { seen, programOf }), {
    modeOf: () => undefined,
    isService: () => kind.isTask !== true,
    tailOf,
  });
  events = await explainHeapErrors(events, kind.tail === undefined ? async () => undefined : tailOf);
  const record = {
    id: "1",
    timestamp: new Date(msOf(AT + 1)).toISOString(),
    action: kind.action ?? "",
    source: "cli",
    outcome: "succeeded",
    ms: 2000,
    processes: [{ name: "api", pmId: 0, pm2Home: HOME }],
  } as const;
  const attributed = attributeEvents(events, kind.action === undefined ? [] : [record], HOME);
  return attributed.find(({ event }) => ENDS.has(event.kind))?.event;
}

test("there are at least 46 kinds", () => {
  expect(kindsOfEnd.length).toBeGreaterThanOrEqual(46);
});

test.each(kindsOfEnd)("$mode: $title is $cause, $certainty", async (kind) => {
  const { cause, certainty } = kind;
  expect(await explain(kind)).toMatchObject({ cause, certainty });
});

/** Evidence with one meaning: PM2's own words, a signal, the kernel's line of a recorded pid, an action of svcm. */
const PROVEN = new Set(["memory-limit", "watch", "signal", "oom-kill", "svcm"]);

test("only what has one meaning is certain, and two causes never leave the same evidence", () => {
  const found = new Map<string, string>();
  expect(kindsOfEnd).not.toHaveLength(0);
  for (const { title: _title, cause, certainty, ...evidence } of kindsOfEnd) {
    if (certainty === "certain") expect(PROVEN).toContain(cause);
    const key = JSON.stringify(evidence);
    const before = found.get(key) ?? cause;
    if (certainty === "certain") expect({ key, cause: before }).toEqual({ key, cause });
    found.set(key, cause);
  }
});

test("an end without a command is never certain, whatever its code and its other evidence", async () => {
  const codes = fc.oneof(fc.constant(0), fc.integer({ min: -255, max: 255 }));
  await fc.assert(
    fc.asyncProperty(
      codes,
      fc.constantFrom("fork", "cluster"),
      fc.boolean(),
      fc.boolean(),
      async (code, mode, hasErrors, isRestarted) => {
        const start = [1, `App [api:0] starting in -${mode} mode-`] as const;
        const lines: (readonly [number, string])[] = [
          start,
          [AT, `App [api:0] exited with code [${code}] via signal [SIGINT]`] as const,
        ];
        if (isRestarted) lines.push([AT, start[1]]);
        const end = await explain({ title: "", mode, lines, hasErrors, cause: "unknown", certainty: "unknown" });
        expect(end?.certainty).not.toBe("certain");
        if (mode === "cluster" && code === 0) expect(["crash", "unknown"]).toContain(end?.cause);
        if (mode === "cluster" && code === 0) expect(end).not.toHaveProperty("exitCode");
      },
    ),
  );
});

test("one changed file explains one stop of a process, not the next command in the same second", () => {
  const lines = [
    [1, "App [api:0] starting in -fork mode-"],
    [5, "Change detected on path a.js for app api - restarting"],
    ...[1, 2].flatMap(() => [
      [5, "Stopping app:api id:0"],
      [5, "App [api:0] exited with code [0] via signal [SIGINT]"],
      [5, "App [api:0] starting in -fork mode-"],
    ]),
  ] as const;
  const entries = lines.flatMap(([second, text]) => logEntry(`2026-11-22T04:42:0${second}: PM2 log: ${text}`) ?? []);
  const causes = logEvents(entries).flatMap(({ event }) => (event.kind === "restart" ? [event.cause] : []));
  expect(causes).toEqual(["watch", "pm2-cli"]);
});

test.each([
  ["spawn /opt/node ENOENT", "Error: spawn /opt/node ENOENT"],
  [
    "ENOENT: no such file or directory, open '/x.log'",
    "Trace: [Error: ENOENT: no such file or directory, open '/x.log'] {",
  ],
])("a start that fails says why: %s", (message, line) => {
  const entries = [
    "log: App [api:0] exited with code [0] via signal [SIGKILL]",
    "log: App [api:0] starting in -fork mode-",
    `error: ${line}`,
  ];
  const events = logEvents(entries.flatMap((text) => logEntry(`2026-11-22T04:42:05: PM2 ${text}`) ?? []));
  const evidence = events[0]?.event.evidence ?? [];
  expect(evidence.at(-1)).toBe(`PM2 could not start it again: ${message}.`);
  expect(evidence).not.toContain("PM2 started it again.");
});

test.each<[Parameters<typeof explainZero>[0], Parameters<typeof explainZero>[1], string, string]>([
  ["fork", {}, "exit", "It ended with exit code 0."],
  ["fork", { hasFreshErrors: true }, "exit", "It ended with exit code 0."],
  ["cluster", {}, "unknown", "In cluster mode, PM2 writes exit code 0"],
  ["cluster", { hasFreshErrors: true }, "crash", "It wrote to its error log in that second."],
  ["cluster", { isRepeated: true, isRestarted: true }, "crash", "It ended so repeatedly, without a request."],
  ["cluster", { isRestarted: true }, "crash", "No command to PM2 came before it."],
  ["unknown", { isRestarted: true }, "unknown", "PM2 wrote exit code 0,"],
  ["unknown", { hasFreshErrors: true }, "crash", "It wrote to its error log in that second."],
])("an end with code 0 in %s mode, with %j, is %s", (mode, seen, cause, sentence) => {
  const found = explainZero(mode, seen);
  expect([found.cause, found.certainty]).toEqual([cause, cause === "unknown" ? "unknown" : "likely"]);
  expect(found.evidence[0]).toContain(sentence);
});
