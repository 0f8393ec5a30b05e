import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { commandLineCaller, execute, renderDiff, deploymentsDiff } from "../../../../src/core/index.ts";
import { makeRepository } from "../../../support/git.ts";
import { firstOrAll } from "../../../support/runs.ts";

const folder = fileURLToPath(new URL("../../../fixtures/deployments-diff/", import.meta.url));
const same = (text: string): string => text;
const plain = { bold: same, dim: same, red: same, yellow: same, green: same, cyan: same };

/** Each case is a folder with old.yaml, new.yaml and the expected reports. Either document may be absent. */
test.each(firstOrAll(readdirSync(folder)))("%s", async (name) => {
  const [old, young] = ["old.yaml", "new.yaml"].map((file) => filesOf(`${folder}${name}/${file}`));
  const repository = makeRepository(old ?? {});
  repository.git("rm", "-r", "--quiet", "--ignore-unmatch", ".");
  for (const [file, text] of Object.entries(young ?? {})) repository.write(file, text);
  const report = await execute(deploymentsDiff, repository.ports, { from: "HEAD" }, commandLineCaller());
  expect(report.from.commit).toBe(repository.git("rev-parse", "HEAD").trim());
  const commit = report.from.commit ?? "";
  const reports = {
    "expected.txt": await renderDiff(report, "text", plain),
    "expected.md": await renderDiff(report, "markdown", plain),
    "expected.json": JSON.stringify(report, null, 2),
  };
  for (const [file, text] of Object.entries(reports)) {
    const stable = text.replaceAll(commit, "<commit>").replaceAll(commit.slice(0, 10), "<commit>");
    expect(stable).not.toMatch(/canary/);
    await expect(`${stable}\n`).toMatchFileSnapshot(`${folder}${name}/${file}`);
  }
});

function filesOf(path: string): Record<string, string> {
  return existsSync(path) ? { "deployments.yaml": readFileSync(path, "utf8") } : {};
}
