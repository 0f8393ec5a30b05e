import { mkdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readEnvFileContents, startCommand, readStartCommand } from "../../../src/core/running/env-files.ts";
import { makeWorkspace } from "../../support/workspace.ts";

const CASES: readonly (readonly [
  name: string,
  start: { readonly script?: string; readonly args?: readonly string[]; readonly env?: Record<string, string> },
  files: Readonly<Record<string, string>>,
  expected: readonly string[],
])[] = [
  ["an argument of dotenv", { args: ["dotenv_config_path=../config/api.env"] }, {}, ["config/api.env"]],
  ["a variable of dotenv", { env: { DOTENV_CONFIG_PATH: ".env.live" } }, {}, ["api/.env.live"]],
  ["arguments without a file", { args: ["--port", "1", "$HOME/.env"] }, {}, []],
  [
    "npm start",
    npm("start"),
    manifest({ start: "node --env-file=../config/api.env --env-file-if-exists .env.own a.js" }),
    ["config/api.env", "api/.env.own"],
  ],
  [
    "pnpm run, with flags",
    { script: "/usr/bin/pnpm", args: ["--silent", "run", "live"] },
    manifest({ live: "dotenv -e '../live.env' -- node a.js" }),
    ["live.env"],
  ],
  [
    "scripts that run others",
    npm("run", "live"),
    manifest({
      prelive: "env-cmd -f ./pre.env node b.js",
      live: "npm run a:b -- --x && echo",
      "a:b": "DOTENV_CONFIG_PATH=x node -r dotenv/config a.js dotenv_config_path=own.env",
    }),
    ["api/own.env", "api/x", "api/pre.env"],
  ],
  [
    "several files of a wrapper",
    npm("start"),
    manifest({ start: "dotenvx run -f a.env -f b.env -- node a.js -f data.json; dotenv run --file c.env,d.env -- b" }),
    ["api/a.env", "api/b.env", "api/c.env", "api/d.env"],
  ],
  [
    "a wrapper as the script",
    { script: "/srv/node_modules/.bin/dotenv", args: ["-e", "../live.env", "--", "node", "a.js"] },
    {},
    ["live.env"],
  ],
  [
    "the file of a wrapper",
    { script: "/srv/node_modules/dotenv-cli/cli.js", args: ["-e", "../live.env", "node", "a.js"] },
    {},
    ["live.env"],
  ],
  [
    "that of another one",
    { script: "/srv/node_modules/env-cmd/bin/env-cmd.js", args: ["-f", "a.env", "./b"] },
    {},
    ["api/a.env"],
  ],
  [
    "the commands of other package managers, and no script that is not there",
    npm("start"),
    manifest({
      start: "yarn a && pnpm run -s b; npm run none",
      a: "node --env-file=a.env x",
      b: "node --env-file=b.env x",
    }),
    ["api/a.env", "api/b.env"],
  ],
  [
    "a script that begins like a hook",
    npm("start"),
    manifest({ prestart: "node --env-file=p.env x", start: 7 }),
    ["api/p.env"],
  ],
  ["a path with a variable", npm("start"), manifest({ start: "node --env-file=$HOME/a.env --env-file '' x" }), []],
  ["another script", npm("start"), manifest({ start: "node a.js", live: "node --env-file=live.env a.js" }), []],
  ["a manifest that cannot be read", npm("start"), { "api/package.json": "{" }, []],
  ["scripts that run each other", npm("start"), manifest({ start: "npm run b", b: "npm start" }), []],
  [
    "a shell script",
    { script: "start.sh" },
    {
      "api/start.sh":
        "set -a; . ./live.env\nsource ../config/b.env.local\n. ~/.nvm/nvm.sh\n. $X/c.env\n. venv/bin/activate\n",
    },
    ["api/live.env", "config/b.env.local"],
  ],
];

function npm(...args: string[]) {
  return { script: "/usr/bin/npm", args };
}

function manifest(scripts: Readonly<Record<string, unknown>>) {
  return { "api/package.json": JSON.stringify({ scripts }) };
}

test.each(CASES)(
  "the env files of a start: %s",
  async (_, { script = "server.js", args = [], env = {} }, files, expected) => {
    const workspace = makeWorkspace({ "api/server.js": "", ...files });
    const path = (file: string): string => workspace.path(file);
    const interpreter = script.endsWith(".sh") ? "bash" : "node";
    const absolute = script.startsWith("/") ? script : path(`api/${script}`);
    const command = startCommand({ args, env, interpreter, script: absolute, cwd: path("api") });
    const { envFiles } = await readStartCommand(workspace.ports, command);
    expect(envFiles.toSorted()).toEqual(expected.map(path).toSorted());
  },
);

test.each([
  ["next, by its file", "/srv/node_modules/next/dist/bin/next", ["dev", "-p", "1"], {}, [".next"]],
  ["next, with an option before", "/srv/node_modules/.bin/next", ["--turbo", "dev"], {}, [".next"]],
  ["npx", "/usr/bin/npx", ["next", "dev"], {}, [".next"]],
  ["npm run", "/usr/bin/npm", ["run", "dev"], { dev: "PORT=1 next dev & wait" }, [".next"]],
  ["Nuxt", "/usr/bin/npm", ["run", "dev"], { dev: "nuxt dev --host" }, [".nuxt"]],
  ["Astro", "/srv/node_modules/.bin/astro", ["dev"], {}, [".astro"]],
  ["Vite without a command", "/usr/bin/npm", ["start"], { start: "vite --host" }, [".svelte-kit", ".react-router"]],
  ["Vite with its command", "/srv/node_modules/vite/bin/vite.js", ["dev"], {}, [".svelte-kit", ".react-router"]],
  ["a build that Vite serves", "/usr/bin/npm", ["start"], { start: "vite preview --port 80" }, []],
  ["a build of Nuxt", "/usr/bin/npm", ["start"], { start: "nuxt preview" }, []],
  ["a server in production", "/srv/node_modules/.bin/next", ["start"], {}, []],
  ["another script", "/usr/bin/npm", ["start"], { start: "next start", dev: "next dev" }, []],
  ["another program", "/srv/next-devtools.js", ["dev"], {}, []],
])("what a development server compiles: %s", async (_name, script, args, scripts, expected) => {
  const workspace = makeWorkspace({ "package.json": JSON.stringify({ scripts }) });
  const command = startCommand({ args, env: {}, interpreter: "node", script, cwd: workspace.root });
  expect((await readStartCommand(workspace.ports, command)).compiled).toEqual(expected);
});

test("env files are read as digests, and one that is absent is distinguished from one that cannot be read", async () => {
  const workspace = makeWorkspace({ ".env": "A=1\nB='2' # two\n" });
  const path = (name: string): string => workspace.path(name);
  mkdirSync(path("folder"));
  writeFileSync(path("latin"), Buffer.from([0x41, 0x3d, 0xe9]));
  const paths = [".env", "none", "folder", "latin", ".env"].map((name) => path(name));
  const found = await readEnvFileContents(workspace.ports, paths, (value) => `<${value}>`);
  expect([...found]).toEqual([
    [path(".env"), { A: "<1>", B: "<2>" }],
    [path("none"), null],
    [path("folder"), undefined],
    [path("latin"), undefined],
  ]);
  const defect = new TypeError("defect");
  const files = { ...workspace.ports.files, read: () => Promise.reject(defect) };
  await expect(readEnvFileContents({ files }, [path(".env")], (value) => value)).rejects.toBe(defect);
});
