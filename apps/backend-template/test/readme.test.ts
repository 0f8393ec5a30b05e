/** What the README lists is what the code does. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import ports from "../../../pm2/ports.json" with { type: "json" };
import { runToEnd } from "./entrypoint.ts";

const TEMPLATE = join(import.meta.dirname, "..");
const readme = readFileSync(join(TEMPLATE, "README.md"), "utf8");

test("the table of variables has what the code reads beside the startup plan", () => {
  const files = readdirSync(join(TEMPLATE, "src"), { recursive: true, encoding: "utf8" });
  const source = files
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(TEMPLATE, "src", file), "utf8"))
    .join("\n");
  const read = [...source.matchAll(/(?:env\[|portOf\(env, |portOf\(process\.env, )"(SVC_\w+)"/g)].map(([, key]) => key);
  const [, table = ""] = readme.split("| variable ");
  const listed = [...table.matchAll(/^\| `(SVC_\w+)`/gm)].map(([, key]) => key);
  expect(listed).toHaveLength(new Set(read).size);
  expect(new Set(listed)).toEqual(new Set(read));
});

test("the database drivers are those that the template carries", async () => {
  const { stderr } = await runToEnd("rest", { SVC_DATABASE_DRIVER: "Oracle" });
  const [, carried] = /it has: ([\w, ]+)\./.exec(stderr) ?? [];
  expect(readme).toMatch(new RegExp(`^\\| \`SVC_DATABASE_DRIVER\` +\\| ${carried}; the others are refused`, "m"));
});

test("the ports are those of the development profile", () => {
  for (const port of Object.values(ports)) expect(readme).toMatch(new RegExp(`\\bon ${port}\\b`));
});
