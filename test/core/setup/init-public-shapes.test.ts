/** Shapes found in public repositories: what the team's own commands start is what the proposal says. */
import { expect, test } from "vitest";
import { detect } from "../../../src/core/setup/detect/detect.ts";
import { proposeLayout } from "../../../src/core/setup/detect/layout.ts";
import type { RunningApp } from "../../../src/core/setup/detect/pm2-file.ts";
import { js } from "../../support/own-projects.ts";

type Files = Readonly<Record<string, string>>;

const app = (name: string, script: string, more = ""): string => `{ name: "${name}", script: "${script}"${more} }`;
const scripts = (all: Files): string => JSON.stringify({ name: "m", scripts: all });
const BLOCKS = ", env: { NODE_ENV: 'development' }, env_production: { NODE_ENV: 'production' }";
const PRODUCTION = ", env: { NODE_ENV: 'production' }";

function propose(files: Files, running: readonly RunningApp[] = []) {
  const detection = detect({ files: new Map(Object.entries(files)), isCut: false }, running);
  const { layout } = proposeLayout(detection);
  const open = [...new Set(detection.undecided.map(({ file }) => file))].toSorted();
  return {
    ...layout,
    ecosystem: layout.services[""]?.ecosystem,
    env: layout.services[""]?.env,
    open,
    notes: detection.notUnderstood,
  };
}

interface Shape {
  readonly files: Files;
  readonly ecosystem: Readonly<Record<string, unknown>> | undefined;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly open?: readonly string[];
  readonly running?: readonly RunningApp[];
}

const shapes: Readonly<Record<string, Shape>> = {
  "a variable after --env is no environment": {
    files: {
      "ecosystem.development.config.js": js(app("back-development", "a.js", ", env: {}")),
      "ecosystem.staging.config.js": js(app("back-staging", "a.js", ", env_staging: { PORT: 2 }")),
      "deploy.sh": "pm2 startOrRestart ecosystem.${env}.config.js --env ${env}\n",
    },
    ecosystem: {
      dev: "ecosystem.development.config.js",
      staging: { file: "ecosystem.staging.config.js", env: "staging" },
    },
  },
  "a variable after --only starts the app that is named for the environment": {
    files: {
      "ecosystem.config.js": js(
        app("shop", "a.js", BLOCKS),
        app("shop-staging", "a.js", BLOCKS + ", env_staging: {}"),
        app("shop-dev", "a.js", BLOCKS),
      ),
      ".github/workflows/deploy.yml": '      - run: pm2 reload ecosystem.config.js --only "$APP" --env "$ENV"\n',
    },
    ecosystem: {
      dev: { file: "ecosystem.config.js", only: ["shop-dev"] },
      staging: { file: "ecosystem.config.js", env: "staging", only: ["shop-staging"] },
      production: { file: "ecosystem.config.js", env: "production", only: ["shop"] },
    },
  },
  "an encrypted copy for Git is no env file": {
    files: {
      "ecosystem.config.js": js(app("api", "a.js", PRODUCTION)),
      ".env.production.gpg": "",
      ".env.example": "A=1\n",
    },
    ecosystem: { production: "ecosystem.config.js" },
    env: { production: ".env" },
  },
  "a workflow ci-cd.yml does not deploy to an environment ci": {
    files: {
      "ecosystem.config.js": js(app("api", "a.js", PRODUCTION)),
      ".github/workflows/ci-cd.yml": "      - run: sudo pm2 restart ecosystem.config.js\n",
    },
    ecosystem: { production: "ecosystem.config.js" },
  },
  "a job of a workflow names its environment, and a caller counts before a name": {
    files: {
      "ecosystem.config.cjs": js(app("web", "a.js", `${PRODUCTION}, env_development: { PORT: 1 }`)),
      "ecosystem.dev.config.cjs": js(app("web", "nuxt", ", env: { NODE_ENV: 'development' }")),
      ".github/workflows/deploy.yml": [
        "jobs:",
        "  deploy_production:",
        "    steps:",
        "      - run: pm2 reload ecosystem.config.cjs",
        "  deploy_development:",
        "    steps:",
        "      - run: pm2 reload ecosystem.config.cjs --update-env",
      ].join("\n"),
    },
    ecosystem: { dev: "ecosystem.config.cjs", production: "ecosystem.config.cjs" },
  },
  "a call without an environment is none for dev, so the file that is named for dev has it": {
    files: {
      "ecosystem.config.cjs": js(app("web", "a.js", `${PRODUCTION}, env_development: { PORT: 1 }`)),
      "ecosystem.dev.config.cjs": js(app("web", "nuxt", ", env: { NODE_ENV: 'development' }")),
      "deploy.sh": "pm2 reload ecosystem.config.cjs\n",
    },
    ecosystem: { dev: "ecosystem.dev.config.cjs", production: "ecosystem.config.cjs" },
  },
  "files that are named for an environment are no services, even if each has its deploy script": {
    files: {
      "ecosystem.config.js": js(app("cmv", "s.js", BLOCKS)),
      "ecosystem.staging.config.js": js(app("cmv-staging", "s.js", ", env_staging: { PORT: 2 }")),
      "ecosystem.production.config.js": js(app("cmv-production", "s.js", ", env_production: { PORT: 1 }")),
      "deploy.sh": "pm2 start ecosystem.config.js --env production\n",
      "deploy-staging.sh": "pm2 start ecosystem.staging.config.js --env staging\n",
      "deploy-production.sh": "pm2 start ecosystem.production.config.js --env production\n",
    },
    ecosystem: {
      dev: "ecosystem.config.js",
      staging: { file: "ecosystem.staging.config.js", env: "staging" },
      production: { file: "ecosystem.production.config.js", env: "production" },
    },
  },
  "one app with a name for each environment is not started twice in one": {
    files: {
      "package.json": scripts({
        "pm2:start": "pm2 start ecosystem.config.js",
        "pm2:dev": "pm2 start ecosystem.dev.config.js",
      }),
      "deploy.sh": "pm2 start ecosystem.config.js --env production\npm2 start ecosystem.config.js --env development\n",
      "ecosystem.config.js": js(app("hafi-socket", "node", ", env_production: {}, env_development: {}")),
      "ecosystem.dev.config.js": js(app("hafi-socket-dev", "node", ", cwd: '/dev-workspace'")),
    },
    ecosystem: {
      dev: "ecosystem.dev.config.js",
      production: { file: "ecosystem.config.js", env: "production" },
    },
  },
  "a line that a script prints starts nothing": {
    files: {
      "ecosystem.config.js": js(app("api", "a.js", PRODUCTION)),
      "ecosystem.monitoring.config.js": js(app("monitoring", "m.js", PRODUCTION)),
      "deploy.sh": "pm2 start ecosystem.config.js\n",
      "setup.sh": '    echo "2. Start it with: pm2 start ecosystem.monitoring.config.js"\n',
    },
    ecosystem: { production: "ecosystem.config.js" },
    open: ["ecosystem.monitoring.config.js"],
  },
  "a script that writes a command into another script starts it": {
    files: {
      Dockerfile: "RUN echo 'cd /app && pm2 start ecosystem.config.js --env production' >> /app/start.sh\n",
      "ecosystem.config.js": js(app("api", "a.js", BLOCKS)),
    },
    ecosystem: { dev: "ecosystem.config.js", production: { file: "ecosystem.config.js", env: "production" } },
  },
  "a compose file in a folder dev starts the file for dev": {
    files: {
      ".docker/dev/ecosystem.config.js": js(app("back-dev", "a.js")),
      ".docker/prod/ecosystem.config.js": js(app("back-prod", "a.js")),
      ".docker/dev/docker-compose.yml": "    command: sh -c 'pm2-runtime start ./.docker/dev/ecosystem.config.js'\n",
      ".docker/prod/docker-compose.yml": "    command: sh -c 'pm2-runtime start ./.docker/prod/ecosystem.config.js'\n",
    },
    ecosystem: { dev: ".docker/dev/ecosystem.config.js", production: ".docker/prod/ecosystem.config.js" },
  },
  "a file that a caller names is found, whatever its name": {
    files: {
      "package.json": scripts({
        "start:prod": "pm2 start config/production.config.js",
        "worker:prod": "pm2 start servers.json",
      }),
      "config/production.config.js": js(app("api", "a.js")),
      "servers.json": '{ "apps": [{ "name": "worker", "script": "w.js" }] }',
    },
    ecosystem: { production: ["config/production.config.js", "servers.json"] },
  },
  "a file that computes its apps is kept, since PM2 runs it": {
    files: {
      "package.json": scripts({ "start:prod": "pm2 start ecosystem.config.cjs" }),
      "ecosystem.config.cjs": "module.exports = require('./build/apps.cjs');\n",
    },
    ecosystem: { production: "ecosystem.config.cjs" },
  },
  "a file with a section deploy only declares no app": {
    files: { "ecosystem.config.js": "module.exports = { deploy: { production: { host: 'h' } } };\n" },
    ecosystem: undefined,
  },
  "a README that starts another file contradicts a name": {
    files: {
      "README.md": "    pm2 start ecosystem.config.js\n",
      "ecosystem.config.js": js(app("market", "a.js", PRODUCTION)),
      "ecosystem.production.config.js": js(app("market-prod", "a.js", PRODUCTION)),
    },
    ecosystem: undefined,
    open: ["ecosystem.config.js", "ecosystem.production.config.js"],
  },
  "what runs decides before a README and a name": {
    files: {
      "README.md": "    pm2 start ecosystem.config.js\n",
      "ecosystem.config.js": js(app("market", "a.js", PRODUCTION)),
      "ecosystem.production.config.js": js(app("market-prod", "a.js", PRODUCTION)),
    },
    running: [{ name: "market", cwd: ".", script: "a.js" }],
    ecosystem: { production: "ecosystem.config.js" },
  },
  "a script that is started without the file leaves the file undecided": {
    files: {
      "package.json": scripts({ "start-cluster": 'pm2 kill && pm2 start index.js --name="drdp" -i max' }),
      "process.json": '{ "apps": [{ "name": "worker", "script": "index.js" }] }',
      "index.js": "",
    },
    ecosystem: undefined,
    open: ["process.json"],
  },
  "of files in parts and one for all, those that are started count, and nothing is lost": {
    files: {
      "deploy.sh": "pm2 start apps/api/ecosystem.config.cjs\npm2 start apps/web/ecosystem.config.cjs\n",
      "apps/api/ecosystem.config.cjs": js(app("api", "api.js", ", cwd: '/srv/api'")),
      "apps/web/ecosystem.config.cjs": js(app("web", "web.js", ", cwd: '/srv/web'")),
      "ecosystem.config.cjs": js(app("api", "api.js", ", cwd: '/srv/api'"), app("web", "web.js", ", cwd: '/srv/web'")),
    },
    ecosystem: { production: ["apps/api/ecosystem.config.cjs", "apps/web/ecosystem.config.cjs"] },
  },
  "an app of a file that shares nothing with the one that is started is not lost": {
    files: {
      "deploy.sh": "pm2 start one.config.js\n",
      "one.config.js": js(app("api", "api.js")),
      "both.config.js": js(app("api", "api.js"), app("web", "web.js")),
      "pm2.web.config.js": js(app("web", "web.js")),
    },
    ecosystem: { production: "one.config.js" },
    open: ["pm2.web.config.js"],
  },
  "a target of Nx starts a file in the root, for an environment": {
    files: {
      "apps/api/project.json": JSON.stringify({
        targets: { live: { command: "pm2 startOrReload ./apps/api/ecosystem.config.js --env production" } },
      }),
      "apps/api/package.json": '{ "name": "api" }',
      "apps/api/ecosystem.config.js": js(app("api", "dist/apps/api/main.js", ", env_production: {}")),
    },
    ecosystem: { production: { file: "apps/api/ecosystem.config.js", env: "production" } },
  },
  "an old file of a folder that the root's file already covers is not joined": {
    files: {
      "package.json": scripts({ "start:prod": "pm2 start ecosystem.config.cjs --env production" }),
      "apps/api/package.json": '{"name":"api"}',
      "apps/api/README.md": "    pm2 start ecosystem.config.cjs\n",
      "apps/api/ecosystem.config.cjs": js(app("torrents", "src/t.js", ", cwd: '/root/torrents'")),
      "ecosystem.config.cjs": js(app("tv-api", "src/s.js", `, cwd: appFolder('api')${BLOCKS}`)),
    },
    ecosystem: { dev: "ecosystem.config.cjs", production: { file: "ecosystem.config.cjs", env: "production" } },
    open: ["apps/api/ecosystem.config.cjs"],
  },
};

test.each(Object.entries(shapes))("%s", (_, { files, ecosystem, env, open = [], running }) => {
  const found = propose(files, running);
  expect(found.ecosystem).toEqual(ecosystem);
  expect(found.open).toEqual(open);
  if (env !== undefined) expect(found.env).toEqual(env);
});

test("no default where environments start the same program under different names", () => {
  const named = {
    "ecosystem.staging.config.js": js(app("api-staging", "dist/main.js")),
    "ecosystem.production.config.js": js(app("api", "dist/main.js")),
  };
  expect(propose(named).default).toBeUndefined();
  expect(propose({ ...named, "ecosystem.staging.config.js": js(app("mock", "mock.js")) }).default).toBe("staging");
});

test("--only of a script names apps of the service alone", () => {
  const { services } = propose({
    "package.json": scripts({ a: "pm2 start pm2.json --only server", b: "pm2 start pm2.json --only worker,gone" }),
    "server/package.json": '{"name":"server"}',
    "server/.env.example": "PORT=1\n",
    "worker/package.json": '{"name":"worker"}',
    "worker/.env.example": "PORT=2\n",
    "pm2.json":
      '{ "apps": [{ "name": "server", "script": "a.js", "cwd": "server" }, { "name": "worker", "script": "a.js", "cwd": "worker" }, { "name": "rest", "script": "r.js", "cwd": "worker" }] }',
  });
  expect(services["server"]?.ecosystem).toEqual({ production: { file: "../pm2.json", cwd: "..", only: ["server"] } });
  expect(services["worker"]?.ecosystem).toEqual({ production: { file: "../pm2.json", cwd: "..", only: ["worker"] } });
});

test("an undecided file names only those that declare its app", () => {
  const { undecided } = detect(
    {
      files: new Map([
        ["apps/api/ecosystem.config.js", js(app("api", "a.js", ", cwd: '/srv/api'"))],
        ["apps/web/ecosystem.config.js", js(app("web", "w.js", ", cwd: '/srv/web'"))],
        ["ecosystem.config.js", js(app("api", "a.js", ", cwd: '/srv/api'"), app("web", "w.js", ", cwd: '/srv/web'"))],
      ]),
      isCut: false,
    },
    [],
  );
  expect(undecided.map(({ why }) => why?.split(";")[0])).toEqual([
    "declares api, as ecosystem.config.js does",
    "declares web, as ecosystem.config.js does",
    "declares api, as apps/api/ecosystem.config.js does",
  ]);
});
