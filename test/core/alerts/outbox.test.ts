/** Messages that wait for their receiver. Times are milliseconds after the first message. */
import { expect, test } from "vitest";
import type { Unsent } from "../../../src/core/alerts/alert-record.ts";
import { Outbox } from "../../../src/core/alerts/outbox.ts";
import type { AlertMessage } from "../../../src/core/api/alerts.ts";

const MADE = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const message = (text: string, madeMs = 0): AlertMessage => ({
  version: 1,
  text,
  state: "firing",
  rule: "not-online",
  subject: "api (0)",
  details: "",
  host: "one",
  workspace: "/srv",
  at: new Date(MADE + madeMs).toISOString(),
  since: new Date(MADE + madeMs).toISOString(),
  leftOut: 0,
});

interface Receivers {
  readonly webhook?: string | undefined;
  readonly command?: readonly string[] | undefined;
}

function open(declared: Receivers = { webhook: "HOOK" }, before: readonly Unsent[] = []) {
  const [sent, problems]: [string[], string[]] = [[], []];
  /** The error of each receiver that does not accept messages. */
  const away: { webhook?: string; command?: string } = {};
  const settings = {
    webhook: undefined,
    webhookSecret: undefined,
    command: undefined,
    heartbeat: undefined,
    rules: {},
  };
  const send = async ({ webhook, command }: Receivers, { text }: AlertMessage): Promise<void> => {
    for (const to of ["webhook", "command"] as const) {
      if ((to === "webhook" ? webhook : command) === undefined) continue;
      sent.push(`${to} ${text}`);
      if (away[to] !== undefined) throw new Error(away[to]);
    }
  };
  const onProblem = (error: unknown) => void problems.push(String(error));
  const outbox = new Outbox({ settings: { ...settings, ...declared }, notifier: { send }, onProblem }, before);
  return {
    outbox,
    away,
    problems,
    waiting: () => outbox.unsent.map((one) => `${one.to} ${one.message.text}`),
    /** Sent by this delivery. */
    deliver: async (ms: number) => {
      sent.length = 0;
      await outbox.deliver(MADE + ms, ms);
      return [...sent];
    },
  };
}

const BOTH = { webhook: "HOOK", command: ["notify"] };

test("each receiver that is declared gets each message once, in order", async () => {
  const { outbox, deliver, waiting, problems } = open(BOTH);
  outbox.add([message("first"), message("second")]);
  const all = ["webhook first", "command first", "webhook second", "command second"];
  expect(waiting()).toEqual(all);
  expect(await deliver(0)).toEqual(all);
  expect([waiting(), await deliver(1), problems]).toEqual([[], [], []]);
});

test("while the webhook is away its messages wait in order, are tried after a minute, and the command is not delayed", async () => {
  const { outbox, deliver, away, waiting } = open(BOTH);
  away.webhook = "ECONNREFUSED";
  outbox.add([message("first"), message("second")]);
  expect(await deliver(0)).toEqual(["webhook first", "command first", "command second"]);
  expect(waiting()).toEqual(["webhook first", "webhook second"]);
  delete away.webhook;
  expect(await deliver(MINUTE - 1)).toEqual([]);
  expect(await deliver(MINUTE)).toEqual(["webhook first", "webhook second"]);
  outbox.add([message("third", MINUTE)]);
  expect(await deliver(MINUTE + 1)).toEqual(["webhook third", "command third"]);
});

test("a command that fails is a problem each time and is not tried again", async () => {
  const { outbox, deliver, away, problems, waiting } = open({ command: ["notify"] });
  away.command = "exit 1";
  outbox.add([message("first"), message("second")]);
  expect(await deliver(0)).toEqual(["command first", "command second"]);
  expect([problems, waiting(), await deliver(2 * MINUTE)]).toEqual([["Error: exit 1", "Error: exit 1"], [], []]);
});

test("a webhook that is away is one problem until it was back or fails for another reason", async () => {
  const { outbox, deliver, away, problems } = open(BOTH);
  outbox.add([message("first")]);
  const fails = async (error: string | undefined, minutes: number): Promise<number> => {
    if (error === undefined) delete away.webhook;
    else away.webhook = error;
    await deliver(minutes * MINUTE);
    return problems.length;
  };
  expect([await fails("away", 0), await fails("away", 1), await fails("HTTP 500", 2)]).toEqual([1, 1, 2]);
  await fails(undefined, 3);
  outbox.add([message("second")]);
  expect(await fails("HTTP 500", 4)).toBe(3);
});

test("a message is late after a minute and left out after a day", async () => {
  const at = async (ms: number): Promise<string[]> => {
    const { outbox, deliver, waiting } = open();
    outbox.add([message("down.")]);
    const sent = await deliver(ms);
    expect(waiting()).toEqual([]);
    return sent;
  };
  const late = "webhook down. It was made at 2030-01-01T00:00:00Z, and could not be sent then.";
  expect(await at(MINUTE)).toEqual(["webhook down."]);
  expect(await at(MINUTE + 1)).toEqual([late]);
  expect(await at(DAY)).toEqual([late]);
  expect(await at(DAY + 1)).toEqual([]);
});

test("the newest hundred messages wait", () => {
  const { outbox, waiting } = open();
  outbox.add(Array.from({ length: 60 }, (_, at) => message(`${at}`)));
  outbox.add(Array.from({ length: 41 }, (_, at) => message(`${60 + at}`)));
  expect([waiting().length, waiting()[0], waiting().at(-1)]).toEqual([100, "webhook 1", "webhook 100"]);
});

test("of the messages of a former server, those to a receiver that svcm.yaml declares no longer are left out", async () => {
  const { deliver } = open({ command: ["notify"] }, [
    { to: "webhook", message: message("first") },
    { to: "command", message: message("first") },
  ]);
  expect(await deliver(0)).toEqual(["command first"]);
});

test("a delivery while another one runs sends nothing twice", async () => {
  const { outbox, deliver } = open();
  outbox.add([message("first")]);
  const [sent] = await Promise.all([deliver(0), outbox.deliver(MADE, 0)]);
  expect(sent).toEqual(["webhook first"]);
});
