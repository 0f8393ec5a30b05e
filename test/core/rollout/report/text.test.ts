/** A plan as text for a terminal, and as Markdown for a comment. */
import { expect, test } from "vitest";
import type { Plan, PlanStep } from "../../../../src/core/api/rollout.ts";
import type { Paint } from "../../../../src/core/findings/text.ts";
import { renderPlan } from "../../../../src/core/rollout/report/render.ts";
import { makePlan, makeStep } from "./plan-text.ts";

const paintWith = (paint: (name: string, text: string) => string): Paint =>
  Object.fromEntries(
    ["bold", "dim", "red", "yellow", "green", "cyan"].map((name) => [name, (text: string) => paint(name, text)]),
  ) as unknown as Paint;
const plainPaint = paintWith((_, text) => text);
const shown = paintWith((name, text) => `${name}(${text})`);
const save = makeStep({ do: "save", app: "", pmIds: [], notes: ["DUMP_STALE"] });
const plan: Plan = makePlan({
  id: "p1",
  changed: true,
  steps: [
    makeStep({
      app: "web",
      notes: ["NO_PROBE", "PINNED"],
      why: [{ field: "script", key: null, state: "different", declared: "b", running: "a" }],
    }),
    makeStep({ app: "jobs", notes: ["NO_PROBE"] }),
    save,
  ],
  unchanged: ["same"],
  unknown: [{ app: "doubt", pmIds: [1], part: "code", reason: "x" }],
  undeclared: [{ name: "other", pmIds: [2], owned: false }],
  held: [{ name: "held", pmIds: [3], state: "stopped", by: null, since: null }],
  leftOut: [{ name: "svcm", pmIds: [4] }],
  issues: [{ code: "ECOSYSTEM_SCRIPT_MISSING", severity: "warning", path: [], message: "no script" }],
  summary: { start: 0, resume: 0, update: 2, scale: 0, replace: 0, remove: 0, register: 0 },
});
const lines = async (of: Plan, paint = plainPaint): Promise<string[]> =>
  (await renderPlan(of, "text", paint)).split("\n");

test("the text has the steps, the apps without a step, the issues, and the id", async () => {
  expect(await lines(plan)).toEqual([
    "dev: 2 to update.",
    "  e.config.cjs to PM2 of /pm2",
    "",
    "  ~ web: restart",
    "      script: a to b",
    expect.stringMatching(/^ {6}A rollback made the process read/),
    "  ~ jobs: restart",
    expect.stringMatching(/^ {2}web, jobs: No health probe/),
    "",
    expect.stringMatching(/^ {2}! held \(id 3\) is stopped/),
    expect.stringMatching(/^ {2}! svcm \(id 4\) differs/),
    expect.stringMatching(/^ {2}\? doubt: cannot tell/),
    expect.stringMatching(/^ {2}\? PM2 lists other/),
    "  = same",
    "  then PM2's list is saved for the next boot",
    expect.stringMatching(/^ {6}PM2's list was not saved/),
    "",
    "warning no script [ECOSYSTEM_SCRIPT_MISSING]",
    "",
    "Plan p1.",
  ]);
  expect(await lines(makePlan())).toEqual(["dev: nothing to do.", "  e.config.cjs to PM2 of /pm2"]);
});

test.each<[Partial<PlanStep>, string]>([
  [{ do: "start" }, "green(+ web)"],
  [{ do: "resume" }, "green(+ web)"],
  [{ do: "register" }, "green(+ web)"],
  [{ do: "remove" }, "red(- web)"],
  [{ do: "preflight" }, "green(? web)"],
  [{ do: "update" }, "green(~ web)"],
  [{ do: "scale", disruption: "gap" }, "yellow(~ web)"],
])("the sign of %j is %s", async (step, sign) => {
  expect((await lines(makePlan({ steps: [makeStep(step)] }), shown)).join("\n")).toContain(`  ${sign}:`);
});

test("what waits is marked, and what is as declared is not", async () => {
  const text = (await lines(plan, shown)).join("\n");
  for (const one of [
    "yellow(! held",
    "yellow(! svcm",
    "yellow(? doubt",
    "dim(? PM2 lists",
    "dim(= same)",
    "bold(dev: 2",
  ])
    expect(text).toContain(one);
});

test("Markdown has the same in code spans, and no sign", async () => {
  const text = await renderPlan(plan, "markdown", plainPaint);
  expect(text.split("\n")).toEqual([
    "### Plan for `dev`: 2 to update",
    "",
    "From `e.config.cjs` to PM2 of `/pm2`.",
    "",
    "- `web`: restart",
    "  - `script`: `a` to `b`",
    expect.stringMatching(/^ {2}- A rollback made the process read/),
    "- `jobs`: restart",
    expect.stringMatching(/^- `web`, `jobs`: No health probe/),
    "",
    expect.stringMatching(/^- `held` \(id 3\)/),
    expect.stringMatching(/^- `svcm` \(id 4\)/),
    expect.stringMatching(/^- `doubt`: cannot tell/),
    expect.stringMatching(/^- PM2 lists `other`/),
    "",
    "- **Warning** `no script` (`ECOSYSTEM_SCRIPT_MISSING`)",
    "",
    "Plan `p1`.",
  ]);
  expect(await renderPlan(makePlan(), "markdown", plainPaint)).toBe(
    "### Plan for `dev`: nothing to do\n\nFrom `e.config.cjs` to PM2 of `/pm2`.",
  );
});

test("a long plan fits into a comment, and says how many steps are left out", async () => {
  const long = (count: number): Plan =>
    makePlan({ steps: Array.from({ length: count }, (_, at) => makeStep({ app: String(at).padStart(165, "a") })) });
  // Each line has 200 characters and its end.
  const item = (await renderPlan(long(1), "markdown", plainPaint)).split("\n").at(-1) ?? "";
  const fitting = Math.floor(30_000 / (item.length + 1));
  expect(await renderPlan(long(fitting), "markdown", plainPaint)).not.toContain("more");
  expect(await renderPlan(long(fitting + 2), "markdown", plainPaint)).toMatch(/- and 2 more; `svcm plan` shows them$/);
});
