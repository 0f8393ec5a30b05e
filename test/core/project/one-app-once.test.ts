/** The same app of the same file exists once, whatever `svcm.yaml` says. */
import { symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commandLineCaller, ecosystemCheck, ecosystemShow, execute, rolloutPlan } from "../../../src/core/index.ts";
import { sourcesOf } from "../../../src/core/pm2/ecosystem-file.ts";
import { readProject } from "../../../src/core/project/read.ts";
import { chooseServices } from "../../../src/core/project/resolve.ts";
import { makeWorkspace } from "../../support/workspace.ts";

const caller = commandLineCaller();
const HEAD = "version: 1\nenvironments: { production: [prod], staging: [] }\n";

function claims(services: string): (string | undefined)[][] {
  const { value, issues } = readProject(`${HEAD}${services}`, "svcm.yaml");
  expect(issues).toEqual([]);
  return sourcesOf("/r", chooseServices(value, undefined), "production").map(({ service, apps, except }) => [
    service,
    apps?.join("+") ?? "all",
    except.join("+"),
  ]);
}

describe("two entries for one start", () => {
  test("a service that names an app gets it, and the whole file of another service is without it", () => {
    expect(
      claims(`services:
  main: { ecosystem: { production: ecosystem.config.js } }
  api: { folder: api, ecosystem: { production: { file: ../ecosystem.config.js, cwd: .. } }, apps: [api] }`),
    ).toEqual([
      ["main", "all", "api"],
      ["api", "api", ""],
    ]);
  });

  test("of two services with the same whole file, or the same name, the first one has the apps", () => {
    expect(
      claims(`services:
  one: { ecosystem: { production: [a.config.js, ./a.config.js] } }
  two: { ecosystem: { production: { file: a.config.js, cwd: . } } }`),
    ).toEqual([["one", "all", ""]]);
    expect(
      claims(`services:
  one: { ecosystem: { production: a.config.js }, apps: [x, y] }
  two: { ecosystem: { production: a.config.js }, apps: [y, z] }`),
    ).toEqual([
      ["one", "x+y", ""],
      ["two", "z", ""],
    ]);
  });

  test("only limits an entry as pm2 start --only does", () => {
    expect(claims("ecosystem: { production: { file: a.config.js, only: [web] } }\napps: [web, api]")).toEqual([
      ["", "web", ""],
    ]);
  });
});

describe("a contradiction is an error with its position", () => {
  const issuesOf = (services: string) => readProject(`${HEAD}${services}`, "svcm.yaml").issues;

  test.each([
    [
      "another --env",
      "ecosystem:\n  production: [{ file: a.config.js, env: production }, { file: a.config.js, env: staging }]\n",
      { path: ["ecosystem", "production", 1], at: { line: 4 } },
    ],
    [
      "another folder",
      "services:\n  a: { ecosystem: { production: a.config.js } }\n  b: { folder: b, ecosystem: { production: ../a.config.js }, apps: [b] }\n",
      { path: ["services", "b", "ecosystem", "production"], at: { line: 5 } },
    ],
  ])("the same app with %s", (_, text, expected) => {
    expect(issuesOf(text)).toMatchObject([{ code: "FACT_REFERENCE", severity: "error", ...expected }]);
  });

  test("a file that names its apps after its folder, and other apps of one file, do not contradict", () => {
    expect(
      issuesOf(
        "services:\n  a: { folder: a, ecosystem: { production: ../x.config.js } }\n  b: { folder: b, ecosystem: { production: ../x.config.js } }\n",
      ),
    ).toEqual([]);
    expect(
      issuesOf(
        "ecosystem:\n  production: [{ file: a.config.js, env: one, only: [a] }, { file: a.config.js, env: two, only: [b] }]\n",
      ),
    ).toEqual([]);
  });
});

const app = (name: string, more = ""): string => `{ name: "${name}", script: "./${name}.js"${more} }`;
const js = (...apps: string[]): string => `module.exports = { apps: [${apps.join(", ")}] };`;

function repository(svcm: string, files: Readonly<Record<string, string>>) {
  return makeWorkspace({ "svcm.yaml": `${HEAD}default: production\n${svcm}`, ...files });
}

test("a link to a file that another entry names adds no app", async () => {
  const workspace = repository("ecosystem: { production: [a.config.js, b.config.js] }\n", {
    "a.config.js": js(app("a")),
    "a.js": "",
  });
  const { ports } = workspace;
  symlinkSync("a.config.js", workspace.path("b.config.js"));
  const { apps } = await execute(ecosystemShow, ports, {}, caller);
  expect(apps.map(({ name }) => name)).toEqual(["a"]);
});

test("svcm plan reports what svcm ecosystem check refuses and would start something else", async () => {
  const { ports } = repository("ecosystem: { production: [a.config.js, b.config.js] }\n", {
    "a.config.js": js(app("shop", ", env: { PORT: 3001 }"), app("worker", ", env: { PORT: 3002 }")),
    "b.config.js": js(app("shop-staging", ", env: { PORT: 3001 }"), app("worker", ", env: { PORT: 3003 }")),
    ...Object.fromEntries(["shop", "worker", "shop-staging"].map((name) => [`${name}.js`, ""])),
  });
  const codes = async (apps?: string[]): Promise<string[]> => {
    const { issues } = await execute(rolloutPlan, ports, { apps }, caller);
    return issues.filter(({ severity }) => severity === "error").map(({ code }) => code);
  };
  const { issues } = await execute(ecosystemCheck, ports, {}, caller);
  const refused = ["ECOSYSTEM_NAME_DUPLICATE", "ECOSYSTEM_PORT_COLLISION"];
  expect(
    issues
      .map(({ code }) => code)
      .filter((code) => refused.includes(code))
      .toSorted(),
  ).toEqual(refused);
  expect((await codes()).toSorted()).toEqual(refused);
  expect(await codes(["shop"])).toEqual(["ECOSYSTEM_PORT_COLLISION"]);
});

test("one port on two addresses is not a collision", async () => {
  const { ports } = repository("ecosystem: { production: a.config.js }\n", {
    "a.config.js": js(
      app("a", ', env: { PORT: 1, HOST: "127.0.0.1" }'),
      app("b", ', env: { PORT: 1, HOST: "127.0.0.2" }'),
    ),
    "a.js": "",
    "b.js": "",
  });
  const { issues } = await execute(ecosystemCheck, ports, {}, caller);
  expect(issues.filter(({ code }) => code === "ECOSYSTEM_PORT_COLLISION")).toEqual([]);
});
