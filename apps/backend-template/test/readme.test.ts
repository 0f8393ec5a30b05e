import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import ports from "../../../pm2/ports.json" with { type: "json" };
import { firstOrAll, longTest } from "../../../test/support/runs.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { carriedDrivers } from "../src/process/startup-plan.ts";

const TEMPLATE = join(import.meta.dirname, "..");
const REPOSITORY = join(TEMPLATE, "../..");
const readme = readFileSync(join(TEMPLATE, "README.md"), "utf8");

test("the table of variables lists the variables that the code reads beside the startup plan", () => {
  const files = readdirSync(join(TEMPLATE, "src"), { recursive: true, encoding: "utf8" });
  const source = files
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(TEMPLATE, "src", file), "utf8"))
    .join("\n");
  const read = [
    ...source.matchAll(/(?:env\[|readPort\(env, |readPort\(process\.env, |readInteger\(env, |urlKey: )"(SVC_\w+)"/g),
  ].map(([, key]) => key);
  const [, table = ""] = readme.split("| variable ");
  const listed = [...table.matchAll(/^\| `(SVC_\w+)`/gm)].map(([, key]) => key);
  expect(listed).toHaveLength(new Set(read).size);
  expect(new Set(listed)).toEqual(new Set(read));
});

test("the listed database drivers are those that the template supports", () => {
  for (const key of ["SVC_DATABASE_DRIVER", "SVC_REALTIME_API_DATABASE_DRIVER"] as const) {
    const carried = carriedDrivers()[key]?.join(", ");
    expect(readme).toMatch(new RegExp(`^\\| \`${key}\` +\\| ${carried}; the others are refused`, "m"));
  }
});

const scripts = [
  ["dev:grpc", /^gRPC on .*, REST \(express\) on http:/],
  ["dev:http", /^REST \(express\) on http:/],
  ["prod:http", /^REST \(express\) on http:/],
  ["dev:websocket", /^WebSocket \(memory\) and REST \(express\) on http:/],
] as const;

const places = scripts.flatMap(([script, says]) => [
  [script, "the repository", says, REPOSITORY] as const,
  [script, "the template", says, TEMPLATE] as const,
]);

longTest.each(firstOrAll(places))("npm run %s in %s starts one interface alone", async (script, _, says, cwd) => {
  expect(readme).toContain(`${script}\``);
  const env = {
    PATH: process.env["PATH"],
    SVC_HTTP_PORT: "0",
    SVC_GRPC_PORT: "0",
    SVC_KEYVALUESTORAGE_DRIVER: "inmemory",
  };
  const child = spawn("npm", ["run", "--silent", script], { cwd, env, detached: true });
  let output = "";
  const ended = new Promise((resolve) => child.once("close", resolve));
  const started = new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()) && says.test(output) && resolve());
  });
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await Promise.race([started, ended]);
  // npm, its shell and the backend are one process group.
  if (child.exitCode === null) process.kill(-(child.pid ?? 0), "SIGTERM");
  await ended;
  expect(output).toMatch(says);
});

test("the documented commands create an account", () => {
  const folder = temporaryFolder();
  const [, section = ""] = readme.split("## Ask for credentials\n");
  const [, block = ""] = /```sh\n([\s\S]*?)```/.exec(section) ?? [];
  const [, make = ""] = block.trim().split("\n");
  const { status, stderr } = spawnSync("bash", ["-c", make.replace(">> users", `>> ${folder}/users`)], {
    cwd: TEMPLATE,
  });
  expect({ status, stderr: stderr.toString() }).toMatchObject({ status: 0 });
  expect(readFileSync(join(folder, "users"), "utf8")).toMatch(/^alice:\$scrypt\$ln=15,r=8,p=3\$\S+\n$/);
});

test("the ports are those of the development profile", () => {
  for (const port of Object.values(ports)) expect(readme).toMatch(new RegExp(`\\bon ${port}\\b`));
});
