import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { inputs, type OperationId } from "../../../src/core/api/inputs.ts";
import { parseInput } from "../../../src/core/access/parse.ts";
import * as core from "../../../src/core/index.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { newestRecord } from "../../support/records.ts";

const folder = fileURLToPath(new URL("../../fixtures/deployments-edit/", import.meta.url));
const cases = readdirSync(folder).filter((name) => /\.before\.(?:yaml|json)$/.test(name));
const caller = { source: "cli", grants: ["read", "write"] } as const;

const operations = Object.values(core).filter(
  (value): value is core.Operation<unknown, core.DocumentEditResponse> =>
    typeof value === "object" && "run" in value && "access" in value && value.access === "write",
);

interface Change {
  readonly operation: OperationId;
  readonly input: object;
}

/**
 * Each case is `name.before.yaml`, `name.change.json` and the result, `name.after.yaml` or `name.refused.txt`. A missing
 * result is written, to be reviewed.
 */
test.each(cases)("%s", async (before) => {
  const name = before.replace(/\.before\.\w+$/, "");
  const { operation: id, input } = JSON.parse(readFileSync(`${folder}${name}.change.json`, "utf8")) as Change;
  const operation = operations.find((one) => one.id === id);
  if (!operation) throw new Error(`${id} is not an operation that writes`);
  const file = before.endsWith(".json") ? "deployments.json" : "deployments.yaml";
  const workspace = makeWorkspace({ [file]: readFileSync(folder + before) });
  const parsed = parseInput(inputs[id], { file, dryRun: false, ...input }, operation.refusal);
  const outcome = await core.execute(operation, workspace.ports, parsed, caller).catch((error: unknown) => error);
  const after = workspace.read(file);
  if (outcome instanceof Error) {
    expect(outcome).toBeInstanceOf(core.SvcmError);
    expect(after).toBe(readFileSync(folder + before, "utf8"));
    expect(await newestRecord(workspace.ports.audit, 10)).toMatchObject([{ outcome: "refused" }]);
    const { exitCode, body } = core.describeError(outcome);
    const lines = body.issues?.map(({ code, path, message }) => `${code} ${path.join(".")}: ${message}`);
    const refused = [`exit ${exitCode}`, ...(lines ?? [`${body.code}: ${body.details}`]), ""].join("\n");
    expectFile(`${name}.refused.txt`, refused.replaceAll(workspace.root, "<root>"));
  } else expectFile(before.replace(".before.", ".after."), after);
});

/** Compares bytes, because a snapshot of Vitest does not distinguish line breaks. */
function expectFile(name: string, content: string): void {
  if (!existsSync(folder + name) && !process.env["CI"]) writeFileSync(folder + name, content);
  expect(content).toBe(readFileSync(folder + name, "utf8"));
}
