import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plainEnvironment, REPOSITORY } from "../support/command-line.ts";
import { install, pack, unpack, type Packed } from "../support/package.ts";
import { CONFIG_FOLDER, GOOD_ENV } from "../support/workspace.ts";
import { longTest, sampleOrAll } from "../support/runs.ts";

const MEBIBYTE = 1024 * 1024;
/** External: the package bundles every library that svcm uses. */
const LARGEST_PACKAGE = 2.6 * MEBIBYTE;

/** `commonjs` resolves modules as projects did before `exports`: with `typesVersions`. */
const MODULES: [module: string, more: object][] = [
  ["nodenext", {}],
  ["node16", {}],
  ["commonjs", { moduleResolution: "node10", ignoreDeprecations: "6.0" }],
];

const CHECKED = { skipLibCheck: false, skipDefaultLibCheck: true };

const folder = mkdtempSync(join(tmpdir(), "svcm-package-"));
const app = join(folder, "app");
let packed: Packed;

beforeAll(() => {
  packed = pack(folder);
  write("package.json", '{ "name": "app", "private": true }\n');
  // The tests of an ordinary run only read it.
  for (const put of sampleOrAll([install], [unpack])) put(app, join(folder, packed.filename));
  write(`${CONFIG_FOLDER}/.env.dev`, GOOD_ENV);
});

afterAll(() => rmSync(folder, { recursive: true }));

function run(cwd: string, program: string, ...args: string[]): string {
  return execFileSync(program, args, {
    cwd,
    env: plainEnvironment(),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

function svcm(...args: string[]): string {
  return run(app, join(app, "node_modules/.bin/svcm"), ...args);
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(app, file)), { recursive: true });
  writeFileSync(join(app, file), text);
}

describe("the package", () => {
  test("contains all files that it needs, and neither sources nor tests", () => {
    const paths = packed.files.map(({ path }) => path);
    expect(
      paths.filter((path) =>
        /^(?:src|test|bench|scripts|docs\/pictures|\.)|\.test\.|\.map$|code-cache|tsconfig|bin\/dev/.test(path),
      ),
    ).toEqual([]);
    expect(paths).toEqual(
      expect.arrayContaining([
        "bin/run.js",
        "dist/launch.cjs",
        "dist/console/index.html",
        "dist/THIRD-PARTY-NOTICES.txt",
        "LICENSE",
        "oclif.manifest.json",
      ]),
    );
    console.log(`package: ${(packed.size / MEBIBYTE).toFixed(2)} MiB, ${paths.length} files`);
    expect(packed.size).toBeLessThan(LARGEST_PACKAGE);
  });

  test("is the only output of npm pack", () => {
    const copy = join(folder, "copy");
    for (const part of ["package.json", "README.md", "LICENSE", ".npmrc", "bin/run.js"]) {
      cpSync(join(REPOSITORY, part), join(copy, part));
    }
    const pjson = JSON.parse(readFileSync(join(copy, "package.json"), "utf8")) as { scripts: Record<string, string> };
    expect(pjson.scripts["prepack"]).toBe("npm run build");
    const scripts = { ...pjson.scripts, build: "echo building" };
    writeFileSync(join(copy, "package.json"), JSON.stringify({ ...pjson, scripts }));
    expect(run(copy, "npm", "pack")).toBe(`${packed.filename}\n`);
  });

  longTest(
    "without PM2, what reads files works, what needs PM2 says how to install it, and one on PATH is found",
    () => {
      const shop = join(app, "shop");
      write("shop/svcm.yaml", "version: 1\nenvironments: { dev: [] }\necosystem: { dev: ecosystem.config.js }\n");
      write("shop/ecosystem.config.js", 'module.exports = { apps: [{ name: "worker", script: "worker.js" }] };\n');
      write("shop/worker.js", "setInterval(() => {}, 1000);\n");
      const runIn = (path: string, ...args: string[]) => {
        const env = plainEnvironment({
          PM2_HOME: join(shop, "home"),
          PATH: `${dirname(process.execPath)}:/usr/bin:/bin:${path}`,
        });
        const { stdout } = spawnSync(join(app, "node_modules/.bin/svcm"), [...args, "--json"], {
          cwd: shop,
          env,
          encoding: "utf8",
        });
        return JSON.parse(stdout) as object;
      };
      expect(runIn("", "ecosystem", "show")).toMatchObject({ apps: [{ name: "worker" }] });
      expect(runIn("", "check")).toMatchObject({ passed: true, files: ["svcm.yaml", "ecosystem.config.js"] });
      expect(JSON.stringify(runIn("", "check"))).toContain("ECOSYSTEM_PM2_NOT_ASKED");
      expect(runIn("", "plan")).toMatchObject({ steps: [{ do: "start", app: "worker" }, { do: "save" }] });
      expect(runIn("", "doctor", "--offline")).toMatchObject({ facts: { pm2: { refused: [] }, pm2Version: null } });
      expect(runIn("", "start", "worker", "--ecosystem")).toMatchObject({ code: "PM2_LOAD_FAILED" });
      const bin = join(app, "bin");
      mkdirSync(bin);
      symlinkSync(join(REPOSITORY, "node_modules/pm2/bin/pm2"), join(bin, "pm2"));
      expect(runIn(bin, "doctor", "--offline")).toMatchObject({ facts: { pm2: { code: { by: "PATH" } } } });
      expect(JSON.stringify(runIn(bin, "check"))).not.toContain("ECOSYSTEM_PM2_NOT_ASKED");
    },
  );

  test("brings no other package, and every PM2 suits it", () => {
    const pjson = JSON.parse(readFileSync(join(app, "node_modules/svcm/package.json"), "utf8")) as object;
    expect(pjson).not.toHaveProperty("dependencies");
    expect(pjson).toMatchObject({ peerDependencies: { pm2: "*" }, peerDependenciesMeta: { pm2: { optional: true } } });
  });

  longTest("runs without any other package installed", () => {
    expect(svcm("--version")).toMatch(/^svcm\//);
    expect(svcm("--help")).toContain("Change ");
    expect(svcm("env", "get", "SVC_HTTP_FRAMEWORK")).toBe("express\n");
    expect(JSON.parse(svcm("env", "get", "--json"))).toMatchObject({ environment: "dev", fileName: ".env.dev" });
  });
});

longTest("without PM2, the package reads env files, and says what to install for processes", () => {
  write("pm2/ecosystem.dev.config.cjs", 'module.exports = { apps: [{ name: "api", script: "/bin/true" }] };');
  const { status, stderr } = spawnSync(join(app, "node_modules/.bin/svcm"), ["process", "start", "--ecosystem"], {
    cwd: app,
    env: plainEnvironment({ PM2_HOME: join(folder, "home"), PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }),
    encoding: "utf8",
  });
  const value = svcm("env", "get", "SVC_HTTP_FRAMEWORK");
  expect({ status, stderr }).toEqual({
    status: 3,
    stderr: expect.stringMatching(
      /^Error: PM2 is not installed: .*\nHint: Install the PM2 of your team: npm install pm2 .*\nPM2_LOAD_FAILED/,
    ) as string,
  });
  expect(value).toBe("express\n");
});

describe("svcm/startup", () => {
  const use =
    'const { mayStart } = checkStartup("rest", { SVC_HTTP_FRAMEWORK: "express" });\nconsole.log(typeof mayStart);\n';

  test("can be imported and required", () => {
    write("use.mjs", `import { checkStartup } from "svcm/startup";\n${use}`);
    write("use.cjs", `const { checkStartup } = require("svcm/startup");\n${use}`);
    expect(run(app, process.execPath, "use.mjs")).toBe("boolean\n");
    expect(run(app, process.execPath, "use.cjs")).toBe("boolean\n");
  });
});

describe("svcm/client", () => {
  const use = 'console.log(typeof connect, new ServiceError("A", "b").code);\n';

  test("can be imported and required", () => {
    write("client.mjs", `import { connect, ServiceError } from "svcm/client";\n${use}`);
    write("client.cjs", `const { connect, ServiceError } = require("svcm/client");\n${use}`);
    expect(run(app, process.execPath, "client.mjs")).toBe("function A\n");
    expect(run(app, process.execPath, "client.cjs")).toBe("function A\n");
  });

  test("needs no library and no module of Node.js, so a browser can load it", () => {
    const source = readFileSync(join(app, "node_modules/svcm/dist/lib/esm/client.js"), "utf8");
    expect(source).not.toMatch(/\bimport\b[^(]*\bfrom\b|\bimport\s*\(|\brequire\(|\bBuffer\b|\bprocess\./);
  });
});

describe("svcm/startup and svcm/client", () => {
  const startup = `import { checkStartup, type StartupDecision } from "svcm/startup";
export const decision: StartupDecision = checkStartup("rest", { SVC_HTTP_FRAMEWORK: "express" });
// @ts-expect-error There is no such entrypoint.
checkStartup("smtp", {});
`;
  const client = `import { connect, type ActionResult, type MetricsFrame } from "svcm/client";
const client = connect({ url: "http://127.0.0.1:3200" });
export const result: Promise<ActionResult> = client.act({ action: "restart", name: "api" });
export const cores = ({ payload }: MetricsFrame): number => payload.host.cpu.coreCount;
// @ts-expect-error There is no such action.
void client.act({ action: "delete", name: "api" });
`;

  longTest.each(MODULES)("have types for import and require, under %s", (module, more) => {
    const files = Object.entries({ startup, client }).flatMap(([name, typed]) =>
      ["mts", "cts"].map((extension) => {
        write(`${name}.${extension}`, typed);
        return `${name}.${extension}`;
      }),
    );
    const options = { module, target: "es2023", strict: true, noEmit: true, types: [], ...CHECKED, ...more };
    write("tsconfig.json", JSON.stringify({ compilerOptions: options, files }));
    expect(run(app, process.execPath, join(REPOSITORY, "node_modules/typescript/bin/tsc"), "-p", app)).toBe("");
  });
});
