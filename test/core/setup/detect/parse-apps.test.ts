import { expect, test } from "vitest";
import { parseApps, type Pm2App } from "../../../../src/core/setup/detect/parse-apps.ts";

const NO_APP: Pm2App = {
  name: undefined,
  source: "",
  folder: undefined,
  script: undefined,
  cwd: undefined,
  ports: [],
};

const CASES: readonly [string, string, string, readonly Partial<Pm2App>[]][] = [
  [
    "braces, quotes and comments in strings",
    "ecosystem.config.js",
    `module.exports = { apps: [
      { name: "a}", script: "a.js", args: "--json '{ \\"name\\": 1 }' // no comment", env: { PORT: 3000 } },
      /* { name: "gone", script: "gone.js" } */
      { script: "./services/b.js", cwd: __dirname, name: \`b\` }, // { script: "c.js" }
    ] }`,
    [
      { name: "a}", source: '"a}"', script: "a.js", ports: ["3000"] },
      { name: "b", source: "`b`", script: "services/b.js", cwd: ".", folder: "." },
    ],
  ],
  [
    "calls, templates and regular expressions",
    "pm2.config.cjs",
    `const path = require("node:path"); const not = /\\{ script: "x" \\}/;
    const app = (n, port) => ({ name: \`svc-\${n}\`, script: path.join("dist", n, "main.js"), env: { PORT: port } });
    module.exports = [app("a", 1), { ...base, script: "w.js", cwd: path.join(__dirname, "services", "orders"), port: "4000" }];`,
    [
      { source: "`svc-${n}`", folder: "dist", script: undefined },
      { source: '"w.js"', script: "w.js", cwd: "services/orders", folder: "services/orders", ports: ["4000"] },
    ],
  ],
  [
    "ES modules with await",
    "ecosystem.config.mjs",
    'const { name } = await import("./x.js"); export default { apps: [{ name, script: "npm", args: ["run", "api"] }] };',
    [{ source: '"npm"', script: "npm run api" }],
  ],
  [
    "JSON with comments",
    "ecosystem.json",
    '{ "apps": [ // one\n { "name": "a", "script": "a.js", }, ] }',
    [{ name: "a", source: '"a"', script: "a.js" }],
  ],
  ["YAML", "pm2.yaml", "apps:\n  - script: a.js # { script: b.js }\n", [{ name: "a", source: '"a"', script: "a.js" }]],
  ["text that is no program", "ecosystem.config.js", "module.exports = { apps: [ { script: ", []],
  ["text that is nested too deeply", "ecosystem.config.js", "[".repeat(100_000), []],
  ["no YAML", "pm2.yaml", "apps: [", []],
];

test.each(CASES)("init reads apps of a file with %s", (_, path, text, apps) => {
  expect(parseApps(path, text)).toEqual(apps.map((app) => ({ ...NO_APP, ...app })));
});
