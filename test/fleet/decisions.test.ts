/** Decisions of the fleet with plain values. */
import { expect, test } from "vitest";
import { judgeRecord, SvcmError } from "../../src/core/index.ts";
import { readProject } from "../../src/core/project/read.ts";
import { findAnswerState } from "../../src/fleet/fleet.ts";
import { connectionLost, withOutcome } from "../../src/fleet/link-api.ts";
import { readAnswer, waitRemotely } from "../../src/fleet/open-fleet.ts";
import { Places } from "../../src/fleet/settings.ts";
import { isSupportedVersion, requireSupportedVersion } from "../../src/fleet/identity.ts";
import { rolloutText } from "./support.ts";

test("a NATS server needs the version 2.10.27", () => {
  for (const version of ["2.10.27", "2.10.100", "2.11.0", "3.0.0-beta.1", "2.10.27-RC.1"])
    expect([version, isSupportedVersion(version)]).toEqual([version, true]);
  for (const version of ["2.10.26", "2.9.10", "1.99.99", "", "2", "dev", undefined])
    expect([version, isSupportedVersion(version)]).toEqual([version, false]);
  expect(() => requireSupportedVersion("2.9.10")).toThrow(/"2\.9\.10".*Accepted: 2\.10\.27 or newer/);
});

test("a user has a share of a node's places, and reads take none from changes", () => {
  const places = new Places();
  const taken = (kind: "read" | "write", user: string, count: number) =>
    Array.from({ length: count }, () => places.take(kind, user));
  const reads = taken("read", "bob", 8);
  expect(() => places.take("read", "bob")).toThrow("Accepted: 8 requests that read of a user at a time.");
  taken("read", "eve", 8);
  taken("read", "ann", 8);
  taken("read", "otto", 8);
  expect(() => places.take("read", "adam")).toThrow("Accepted: 32 requests that read at a time.");
  taken("write", "adam", 4);
  expect(() => places.take("write", "adam")).toThrow("Accepted: 4 changes of a user at a time.");
  reads[0]!();
  places.take("read", "bob");
});

test("a wait is requested again every five seconds, and ends when the node gives up", async () => {
  const requested: number[] = [];
  const wait = (timeoutMs: number, answer: (ms: number) => { ok: boolean; waitedMs: number }) =>
    waitRemotely(
      (input) => {
        const { timeoutMs: ms } = input as { timeoutMs: number };
        requested.push(ms);
        return Promise.resolve(answer(ms));
      },
      { timeoutMs },
      60_000,
    );
  let count = 0;
  expect(await wait(600_000, (ms) => ({ ok: (count += 1) === 3, waitedMs: ms }))).toMatchObject({ ok: true });
  expect(requested).toEqual([5_000, 5_000, 5_000]);
  expect(await wait(600_000, (ms) => ({ ok: false, waitedMs: ms - 1 }))).toMatchObject({ ok: false });
  expect(await wait(0, () => ({ ok: false, waitedMs: 0 }))).toMatchObject({ ok: false });
  expect(requested).toHaveLength(5);
});

const record = (more: object, text = rolloutText({ owner: "ed", ...more })) => ({
  user: "ed",
  seq: 1,
  text,
  isExpected: true,
});
const DEV = { environment: "dev", services: ["orders", "mail"] };

test("only a record of its writer, for its environment and services, counts", () => {
  const judge = (more: object, limits = {}, place = DEV) => {
    const judged = judgeRecord(record(more), place, limits);
    return judged.is === "void" ? judged.reason : judged.is;
  };
  expect(judge({})).toBe("rollout");
  expect(judge({ owner: "ann" })).toBe("it names another owner");
  expect(judge({}, {}, { ...DEV, environment: "production" })).toBe("it names another environment");
  expect(judge({ choices: { environment: "production" } })).toBe("it names another environment");
  const limits = { services: ["orders"] };
  expect(judge({ choices: { service: "orders" } }, limits)).toBe("rollout");
  for (const choices of [{}, { service: "mail" }])
    expect(judge({ choices }, limits)).toBe("it concerns a service that its writer may not change");
  expect(judgeRecord({ ...record({}), isExpected: false }, DEV, {})).toMatchObject({ is: "void" });
  for (const text of ["", "[]", "null", "7", '{"owner":"ed","environment":"dev"}', "{"])
    expect([text, judgeRecord(record({}, text), DEV, {}).is]).toEqual([text, "void"]);
});

test("a record that another version wrote is unreadable, not void: it holds the lock until its outcome", () => {
  for (const outcome of [null, "applied"])
    expect(judgeRecord(record({ outcome, format: 2 }), DEV, {})).toEqual({
      is: "unreadable",
      unreadable: { id: "r1", owner: "ed", isOpen: outcome === null },
    });
});

test("an answer of another form is refused, and so is a tag that would break the header of HTTP", () => {
  const state = { environment: null, processes: { error: "x" }, troubles: [], drift: null, host: null, release: null };
  expect(readAnswer("node.show", state)).toBe(state);
  const refusal = /has a form that this svcm does not know/;
  for (const result of [7, null, { ...state, name: "web-9" }, { ...state, state: "online" }])
    expect(() => readAnswer("node.show", result)).toThrow(refusal);
  for (const result of [7, null, true]) expect(() => readAnswer("process.list", result)).toThrow(refusal);
  const response = { environment: "dev", fileName: ".env.dev", editableKeys: [], values: {} };
  expect(readAnswer("env.read", { response, entityTag: '"abc_-"' })).toMatchObject({ response });
  for (const entityTag of ['"a\r\nx: 1"', "abc", 7])
    expect(() => readAnswer("env.read", { response, entityTag })).toThrow(refusal);
});

test("one key of two names is refused with both names", () => {
  const nkey = `U${"A".repeat(55)}`;
  const declared = { users: { ann: { role: "admin", nkey } }, nodes: { "web-1": { nkey }, "web-2": {}, "web-3": {} } };
  const { issues } = readProject(
    JSON.stringify({ version: 1, environments: { dev: [] }, nats: { url: "nats://h:4222", ...declared } }),
    "svcm.yaml",
  );
  expect(issues.map(({ message }) => message)).toEqual([
    expect.stringContaining("nats.nodes.web-1.nkey: it is the key of nats.users.ann too"),
  ]);
});

test("a node that takes a request without an answer is silent, also if its heartbeats have ended", () => {
  const stateAfter = (code: "NODE_TIMEOUT" | "NODE_UNREACHABLE") =>
    findAnswerState(new SvcmError("FLEET_FAILED", { code }), undefined, "1.0.0");
  expect([stateAfter("NODE_TIMEOUT"), stateAfter("NODE_UNREACHABLE")]).toEqual(["silent", "away"]);
});

test("only after a request for a change may one still be in progress", () => {
  const timeout = new SvcmError("FLEET_FAILED", { code: "NODE_TIMEOUT", details: "It did not answer." });
  const silent = new SvcmError("FLEET_FAILED", { code: "NODE_UNREACHABLE", details: "No svcm answers." });
  const texts = (kind: "read" | "write") =>
    [timeout, connectionLost(), silent].map((one) => String(withOutcome(one, kind)));
  expect(texts("read").filter((text) => text.includes("change"))).toEqual([]);
  expect(texts("write").map((text) => text.includes("A change may still be in progress."))).toEqual([
    true,
    true,
    false,
  ]);
});
