/** Sentences about processes that PM2 calls online. */
import { expect, test } from "vitest";
import { countStates, silenceSentences, stateText } from "../../../src/core/running/state-text.ts";
import { record } from "../../support/process-record.ts";

test("states are counted in the order in which they come", () => {
  expect(countStates([])).toBe("PM2 has no processes.");
  expect(countStates([{ state: "online" }])).toBe("1 process of PM2: 1 online.");
  const three = ["online", "waiting", "online"].map((state) => ({ state }));
  expect(countStates(three)).toBe("3 processes of PM2: 2 online, 1 waiting.");
});

test.each([
  [null, "waiting"],
  ["next 03:00", "waiting, next 03:00"],
  ["by hand", "waiting by hand"],
  ["since 03:00", "waiting since 03:00"],
  ["bystanders", "waiting, bystanders"],
])("a state with the reason %j is %j", (reason, text) => {
  expect(stateText({ name: "waiting", reason })).toBe(text);
});

const problem = (code: string) => ({ problem: { code, details: "It hangs." } });

test.each<[string, readonly object[], readonly string[]]>([
  ["a process that hangs", [problem("PROCESS_HUNG")], ["It hangs."]],
  ["a process whose ends say the problem", [problem("PROCESS_FAILING")], []],
  ["one of two", [{}, problem("PROCESS_HUNG")], ["Id 1: It hangs."]],
  ["a doubt", [{ doubt: "Git is silent" }], ["svcm does not know if it works: Git is silent."]],
  ["a doubt that its state shows", [{ doubt: "x", reason: "x" }], []],
  ["the same doubt of two", [{ doubt: "x" }, { doubt: "x" }], ["svcm does not know if it works: x."]],
  ["nothing", [{}], []],
])("what may be silent: %s", (_what, states, sentences) => {
  const processes = states.map((_, pmId) => record({ pmId }));
  const stateOf = ({ pmId }: { readonly pmId: number }) => ({ problem: null, reason: null, ...states[pmId] });
  expect(silenceSentences(processes, stateOf as never)).toEqual(sentences);
});
