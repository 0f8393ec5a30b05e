/** Projects in the shapes that teams have. Each says how its team starts it, and one change of each kind that it knows. */
export interface Shape {
  readonly files: Readonly<Record<string, string>>;
  /** Links, by path. */
  readonly links?: Readonly<Record<string, string>>;
  /** The path of the folder that is the repository's root, if Git's is above it. */
  readonly folder?: string;
  /** The services whose processes answer. */
  readonly services: readonly string[];
  /** Apps that end by themselves. */
  readonly jobs?: readonly string[];
  /** Changes after which an app answers something else, once it is started again. */
  readonly changes: Readonly<Record<string, Change>>;
  /** Changes of which only the team knows whether the app reads them when it starts. */
  readonly doubts?: Readonly<Record<string, Change>>;
  /** Changes after which nothing is to be done. */
  readonly harmless?: Readonly<Record<string, Change>>;
}

export interface Change {
  readonly app?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly removed?: readonly string[];
  readonly commit?: boolean;
}

const answers = (code: string): string => `const fs = require("node:fs"), path = require("node:path");
fs.writeFileSync(path.join(process.env.ANSWERS, process.env.name + "-" + process.pid), String(${code}));
setInterval(() => {}, 1e6);
`;
const ENV = "env: { ANSWERS: process.env.HOME + '/answers' }, pmx: false";
const file = (...apps: readonly string[]): string => `const path = require("node:path");
module.exports = { apps: [${apps.map((app) => `{ ${app}, ${ENV} }`).join(", ")}] };
`;
const LAYOUT = "version: 1\nenvironments: { production: [] }\necosystem: { production: ecosystem.config.js }\n";
const RUNS = 'require("node:fs").appendFileSync(process.env.ANSWERS + "/runs-" + process.env.name, "run\\n");';
const module2 = { "lib/part.js": 'module.exports = "two";\n' };
const module3 = { "lib/part.js": 'module.exports = "three";\n' };

const plain = {
  "svcm.yaml": LAYOUT,
  ".gitignore": "node_modules/\n.svcm/\nlogs/\n*.log\n",
  "server.js": answers('require("./lib/part.js")'),
  "lib/part.js": 'module.exports = "one";\n',
};

export const shapes: Readonly<Record<string, Shape>> = {
  "fork, a module beside the script": {
    files: { ...plain, "ecosystem.config.js": file('name: "api", script: "server.js"') },
    services: ["api"],
    changes: {
      "committed module": { app: "api", files: module2, commit: true },
      "uncommitted module": { app: "api", files: module3 },
    },
    harmless: {
      documentation: { files: { "README.md": "more\n" }, commit: true },
      log: { files: { "api.log": "line\n" } },
    },
  },
  "cluster with several instances": {
    files: {
      ...plain,
      "ecosystem.config.js": file('name: "api", script: "server.js", exec_mode: "cluster", instances: 2'),
    },
    services: ["api"],
    changes: { "committed module": { app: "api", files: module2, commit: true } },
  },
  "a service beside a job and a task": {
    files: {
      ...plain,
      "job.js": `${RUNS} process.exit(0);\n`,
      "ecosystem.config.js": file(
        'name: "api", script: "server.js"',
        'name: "nightly", script: "job.js", autorestart: false, cron_restart: "0 3 1 1 *"',
        'name: "migrate", script: "job.js", autorestart: false',
      ),
    },
    services: ["api"],
    jobs: ["nightly", "migrate"],
    changes: { "committed module": { app: "api", files: module2, commit: true } },
  },
  "a job in cluster mode": {
    files: {
      ...plain,
      "job.js": `${RUNS} process.exit(0);\n`,
      "ecosystem.config.js": file(
        'name: "api", script: "server.js"',
        'name: "nightly", script: "job.js", exec_mode: "cluster", instances: 1, autorestart: false, cron_restart: "0 3 1 1 *"',
      ),
    },
    services: ["api"],
    jobs: ["nightly"],
    changes: { "committed module": { app: "api", files: module2, commit: true } },
  },
  "releases behind a link, cwd at the link": {
    files: {
      "svcm.yaml": LAYOUT,
      "releases/1/server.js": answers('"one"'),
      "releases/2/server.js": answers('"two"'),
      "ecosystem.config.js": file('name: "api", cwd: path.join(__dirname, "current"), script: "server.js"'),
    },
    links: { current: "releases/2" },
    services: ["api"],
    changes: { "link back to the older release": { app: "api", links: { current: "releases/1" } } },
  },
  "releases behind a link, only the script through it": {
    files: {
      "svcm.yaml": LAYOUT,
      "releases/1/server.js": answers('"one"'),
      "releases/2/server.js": answers('"two"'),
      "ecosystem.config.js": file('name: "api", cwd: __dirname, script: "./current/server.js"'),
    },
    links: { current: "releases/2" },
    services: ["api"],
    changes: { "link back to the older release": { app: "api", links: { current: "releases/1" } } },
  },
  "npm start": {
    files: {
      ...plain,
      "package.json": '{ "name": "shop", "version": "1.0.0", "scripts": { "start": "node server.js" } }\n',
      "ecosystem.config.js": file('name: "api", script: "npm", args: "start"'),
    },
    services: ["api"],
    changes: { "committed module": { app: "api", files: module2, commit: true } },
  },
  "a shell script that starts Node": {
    files: {
      ...plain,
      "start.sh": "exec node server.js\n",
      "ecosystem.config.js": file('name: "api", script: "start.sh", interpreter: "bash"'),
    },
    services: ["api"],
    changes: { "committed module": { app: "api", files: module2, commit: true } },
  },
  dotenv: {
    files: {
      ...plain,
      "svcm.yaml": `${LAYOUT}env: { production: .env }\nkeys: { PAGE_SIZE: { kind: number, tier: editable } }\n`,
      ".env": "PAGE_SIZE=20\n",
      "server.js": answers('/PAGE_SIZE=(\\d+)/.exec(require("node:fs").readFileSync(__dirname + "/.env", "utf8"))[1]'),
      "ecosystem.config.js": file('name: "api", script: "server.js"'),
    },
    services: ["api"],
    changes: { "value in .env": { app: "api", files: { ".env": "PAGE_SIZE=50\n" } } },
  },
  "env files that no environment names": {
    files: {
      ...plain,
      ".gitignore": ".env*\n.svcm/\n",
      ".env": "A=1\n",
      ".env.shared": "B=1\n",
      ".env.staging": "B=1\n",
      "server.js": answers(
        '[".env", ".env.shared", ".env.vault"].map((path) => fs.existsSync(path) ? fs.readFileSync(path, "utf8") : "").join("")',
      ),
      "ecosystem.config.js": file('name: "api", script: "server.js"'),
    },
    services: ["api"],
    changes: {},
    doubts: {
      "a shared one": { app: "api", files: { ".env.shared": "B=2\n" } },
      "a new one": { app: "api", files: { ".env.vault": "C=1\n" } },
      "a removed one": { app: "api", removed: [".env"] },
    },
    harmless: { "that of another environment": { files: { ".env.staging": "B=2\n" } } },
  },
  "settings outside of the folder": {
    files: {
      ...plain,
      "../etc/api.yaml": "1\n",
      "../etc/mail/local.json": "1\n",
      "../etc/mail/mail.log": "1\n",
      "server.js": answers(
        'fs.readFileSync(process.env.NODE_CONFIG_DIR ? process.env.NODE_CONFIG_DIR + "/local.json" : process.argv[2], "utf8")',
      ),
      "ecosystem.config.js": `const env = { ANSWERS: process.env.HOME + "/answers" };
module.exports = { apps: [
  { name: "api", script: "server.js", args: "../etc/api.yaml", env, pmx: false },
  { name: "mail", script: "server.js", env: { ...env, NODE_CONFIG_DIR: "../etc/mail" }, pmx: false },
] };
`,
    },
    services: ["api", "mail"],
    changes: {},
    doubts: {
      "a file that an argument names": { app: "api", files: { "../etc/api.yaml": "2\n" } },
      "a file of a folder that a variable names": { app: "mail", files: { "../etc/mail/local.json": "2\n" } },
    },
    harmless: { "a log beside it": { files: { "../etc/mail/mail.log": "2\n" } } },
  },
  "a build that Git ignores": {
    files: {
      ...plain,
      ".gitignore": "dist/\n.svcm/\n",
      "src/main.ts": "export {};\n",
      "dist/main.js": answers('"built 1"'),
      "ecosystem.config.js": file('name: "api", script: "dist/main.js"'),
    },
    services: ["api"],
    changes: { build: { app: "api", files: { "dist/main.js": answers('"built 2"') } } },
  },
  "a monorepo with a workspace package": {
    files: {
      "svcm.yaml":
        "version: 1\nenvironments: { production: [] }\nservices:\n  api: { folder: services/api, ecosystem: { production: { file: ../../ecosystem.config.js, cwd: ../.. } }, apps: [api] }\n  mail: { folder: services/mail, ecosystem: { production: { file: ../../ecosystem.config.js, cwd: ../.. } }, apps: [mail] }\n",
      ".gitignore": "node_modules/\n.svcm/\n",
      "package.json": '{ "name": "shop", "private": true, "workspaces": ["services/*", "packages/*"] }\n',
      "packages/shared/package.json": '{ "name": "shared", "main": "index.js" }\n',
      "packages/shared/index.js": 'module.exports = "shared 1";\n',
      "services/api/package.json": '{ "name": "api", "dependencies": { "shared": "*" } }\n',
      "services/api/server.js": answers('require("shared")'),
      "services/mail/package.json": '{ "name": "mail" }\n',
      "services/mail/server.js": answers('require("./part.js")'),
      "services/mail/part.js": 'module.exports = "one";\n',
      "ecosystem.config.js": file(
        'name: "api", cwd: "services/api", script: "server.js"',
        'name: "mail", cwd: "services/mail", script: "server.js"',
      ),
    },
    links: { "node_modules/shared": "../packages/shared" },
    services: ["api", "mail"],
    changes: {
      "a module of one service": {
        app: "mail",
        files: { "services/mail/part.js": 'module.exports = "two";\n' },
        commit: true,
      },
      "the shared package": {
        app: "api",
        files: { "packages/shared/index.js": 'module.exports = "shared 2";\n' },
        commit: true,
      },
    },
  },
  "a subfolder of a work tree": {
    files: Object.fromEntries(
      Object.entries({ ...plain, "ecosystem.config.js": file('name: "api", script: "server.js"') }).map(
        ([path, text]) => [`backend/${path}`, text],
      ),
    ),
    folder: "backend",
    services: ["api"],
    changes: {
      "committed module": { app: "api", files: { "backend/lib/part.js": 'module.exports = "two";\n' }, commit: true },
    },
    harmless: { "another part of the repository": { files: { "frontend/page.js": "1\n" }, commit: true } },
  },
  "time: true and restart_delay": {
    files: {
      ...plain,
      "ecosystem.config.js": file('name: "api", script: "server.js", time: true, restart_delay: 100'),
    },
    services: ["api"],
    changes: { "committed module": { app: "api", files: module2, commit: true } },
  },
};
