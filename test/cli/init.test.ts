/** The words of `svcm init` about an existing svcm.yaml, and the commands that it names. */
import { expect, test } from "vitest";
import { svcm } from "../support/svcm.ts";
import { makeWorkspace } from "../support/workspace.ts";

const file = (name: string) => `module.exports = { apps: [{ name: "${name}", script: "a.js" }] };`;
const LAYOUT = "version: 1\nenvironments: { dev: [], production: [] }\necosystem: { production: a.config.js }\n";
const UNDECIDED = 'undecided:\n  - { file: b.config.js, environment: production, why: "nothing says" }\n';

test("a confirmation shows the lines that it removes, and its command works as it is printed", async () => {
  const { root, ports } = makeWorkspace({
    "a.config.js": file("a"),
    "b.config.js": file("a-b"),
    ".gitignore": ".svcm/\n",
    "svcm.yaml": `${LAYOUT}default: production\n${UNDECIDED}`,
  });
  const shown = await svcm(["init", "--confirm"], { root });
  expect(shown.stdout).toContain("Would remove from");
  expect(shown.stdout).toContain("\n- undecided:\n-   - { file: b.config.js");
  expect(shown.stdout).toContain("Here   production, the default of svcm.yaml\n");
  const [, next = ""] = /^Next: svcm (.*)$/m.exec(shown.stdout) ?? [];
  expect(next.replace(root, "ROOT")).toMatch(/^init --confirm .*--yes$/);
  const { stdout, code } = await svcm(["init", "--confirm", "--yes"], { root });
  expect({ code, next: /^(?:Open|Next).*/gm.exec(stdout)?.[0] }).toEqual({ code: 0, next: "Next: svcm doctor" });
  expect(new TextDecoder().decode(await ports.files.read(`${root}/svcm.yaml`))).toBe(`${LAYOUT}default: production\n`);
  // The decision is not asked again.
  expect((await svcm(["init"], { root })).stdout).not.toMatch(/^Open/m);
});
