import { expect, test } from "vitest";
import { parseFields, selectFields, unknownFields } from "../../../src/commands/base.ts";

const ANSWER = { environment: "dev", processes: [{ name: "api", pid: 1, tree: { own: 2, all: 3 } }, { name: "b" }] };
const select = (fields: string) => selectFields(ANSWER, parseFields(fields));

test.each([
  ["environment", { environment: "dev" }],
  ["processes.name", { processes: [{ name: "api" }, { name: "b" }] }],
  ["processes.tree.own, environment", { environment: "dev", processes: [{ tree: { own: 2 } }, {}] }],
  ["processes", { processes: ANSWER.processes }],
  ["processes.name,processes", { processes: ANSWER.processes }],
  ["nope", {}],
])("%s", (fields, expected) => {
  expect(select(fields)).toEqual(expected);
});

test("a member of one element is known, one of none is not, and an empty list says nothing", () => {
  const unknown = (document: unknown, fields: string) => unknownFields(document, parseFields(fields));
  expect(unknown(ANSWER, "processes.pid,processes.pdi,toString")).toEqual(["processes.pdi", "toString"]);
  expect(unknown({ processes: [], why: null }, "processes.anything,why.code")).toEqual([]);
});
