/** Small projects modelled on public ones, with the layout that a reader sees in them. */
export const CANARIES = ["canary-pw-1", "canary-token-2", "canarycanary3"];
const SECRETS = `DATABASE_URL=postgres://app:${CANARIES[0]}@localhost/app\nJWT_SECRET=${CANARIES[1]}\nSTRIPE_KEY=sk_live_${CANARIES[2]}xyz\n`;
export const app = (name: string, more = ""): string => `{ name: "${name}", script: "main.js"${more} }`;
export const js = (...apps: string[]): string => `module.exports = { apps: [${apps.join(", ")}] };\n`;
export const manifest = (dependencies: string, scripts = ""): string =>
  `{ "name": "app", "scripts": { ${scripts} }, "dependencies": { "${dependencies}": "1" } }`;

export interface OwnProject {
  readonly files: Readonly<Record<string, string>>;
  readonly layout: Readonly<Record<string, unknown>>;
  readonly starts: readonly Start[];
  /** Values that svcm shows, and the environment that has them. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Start {
  readonly environment: string;
  readonly service?: string;
  readonly apps: readonly string[];
  /** The arguments of each `pm2 start` that the team runs in the root. */
  readonly calls: readonly (readonly string[])[];
}

const BLOCKS = ', env: { NODE_ENV: "development", PORT: 3000 }, env_production: { NODE_ENV: "production", PORT: 80 }';

export const projects: Readonly<Record<string, OwnProject>> = {
  "Express, env_production block": {
    files: {
      "package.json": manifest("express"),
      "ecosystem.config.js": js(app("api", BLOCKS)),
      ".env": `PORT=3000\n${SECRETS}`,
    },
    layout: {
      ecosystem: { dev: "ecosystem.config.js", production: { file: "ecosystem.config.js", env: "production" } },
      env: { dev: ".env", production: ".env" },
    },
    starts: [
      { environment: "dev", apps: ["api"], calls: [["ecosystem.config.js"]] },
      { environment: "prod", apps: ["api"], calls: [["ecosystem.config.js", "--env", "production"]] },
    ],
    env: { PORT: "3000" },
  },
  "Nest, layered env files": {
    files: {
      "package.json": manifest("@nestjs/core"),
      "ecosystem.config.cjs": js(app("nest", ', env: { NODE_ENV: "production" }')),
      ".env.development": `APP_PORT=7001\n${SECRETS}`,
      ".env.development.local": "APP_PORT=7002\n",
      ".env.production": "APP_PORT=7003\n",
    },
    layout: {
      ecosystem: { production: "ecosystem.config.cjs" },
      env: { dev: [".env.development", ".env.development.local"], production: ".env.production" },
    },
    starts: [{ environment: "production", apps: ["nest"], calls: [["ecosystem.config.cjs"]] }],
    env: { APP_PORT: "7003" },
  },
  "Next, called with --env": {
    files: {
      "package.json": manifest("next", '"deploy": "pm2 startOrReload ecosystem.config.js --env uat"'),
      "ecosystem.config.js": js(app("web", ", env_uat: { PORT: 1 }")),
      ".env.example": `NEXT_PUBLIC_API_URL=https://api.example.com\n${SECRETS}`,
    },
    layout: {
      ecosystem: { uat: { file: "ecosystem.config.js", env: "uat" } },
      env: { uat: ".env" },
      template: ".env.example",
    },
    starts: [{ environment: "uat", apps: ["web"], calls: [["ecosystem.config.js", "--env", "uat"]] }],
  },
  "Nuxt, JSON with comments": {
    files: {
      "package.json": manifest("nuxt"),
      "ecosystem.json":
        '{ /* PM2 reads it */ "apps": [{ "name": "nuxt", "script": "main.js", "env": { "PORT": 3000 } }] }',
    },
    layout: { ecosystem: { production: "ecosystem.json" } },
    starts: [{ environment: "production", apps: ["nuxt"], calls: [["ecosystem.json"]] }],
  },
  "YAML ecosystem file": {
    files: {
      "ecosystem.config.yml": "apps:\n  - name: api\n    script: main.js\n    env:\n      NODE_ENV: production\n",
    },
    layout: { ecosystem: { production: "ecosystem.config.yml" } },
    starts: [{ environment: "production", apps: ["api"], calls: [["ecosystem.config.yml"]] }],
  },
  "workers in separate files": {
    files: {
      "pm2/api.config.js": "",
      "pm2/ecosystem.api.config.js": js(app("api")),
      "pm2/ecosystem.worker.config.js": js('{ name: "worker", script: "worker.js" }'),
      "worker.js": "",
    },
    layout: { ecosystem: { production: ["pm2/ecosystem.api.config.js", "pm2/ecosystem.worker.config.js"] } },
    starts: [
      {
        environment: "production",
        apps: ["api", "worker"],
        calls: [["pm2/ecosystem.api.config.js"], ["pm2/ecosystem.worker.config.js"]],
      },
    ],
  },
  "a bot, process.json": {
    files: {
      "process.json": '{ "apps": [{ "name": "bot", "script": "main.js" }] }',
      ".env": `BOT_TOKEN=${CANARIES[1]}\nPREFIX=!\n`,
    },
    layout: { ecosystem: { production: "process.json" }, env: { production: ".env" } },
    starts: [{ environment: "production", apps: ["bot"], calls: [["process.json"]] }],
    env: { PREFIX: "!" },
  },
  "another interpreter beside Node": {
    files: {
      "ecosystem.config.js": js(app("api"), '{ name: "sh", script: "main.sh", interpreter: "bash" }'),
      "main.sh": "node main.js\n",
    },
    layout: { ecosystem: { production: "ecosystem.config.js" } },
    starts: [{ environment: "production", apps: ["api", "sh"], calls: [["ecosystem.config.js"]] }],
  },
  "monorepo with three services": {
    files: {
      "package.json": manifest("turbo"),
      "ecosystem.config.js": js(
        app("orders-api", ', cwd: "services/orders", env: { PORT: 1 }'),
        app("users-api", ', cwd: "./services/users", env: { PORT: 2 }'),
        app("gateway"),
      ),
      "services/orders/package.json": manifest("express"),
      "services/orders/.env": `PORT=1\n${SECRETS}`,
      "services/users/package.json": manifest("express"),
      "services/users/.env": "PORT=2\n",
    },
    layout: {
      services: {
        main: { ecosystem: { production: "ecosystem.config.js" }, apps: ["gateway"] },
        orders: {
          folder: "services/orders",
          ecosystem: { production: { file: "../../ecosystem.config.js", cwd: "../.." } },
          env: { production: ".env" },
          apps: ["orders-api"],
        },
        users: {
          folder: "services/users",
          ecosystem: { production: { file: "../../ecosystem.config.js", cwd: "../.." } },
          env: { production: ".env" },
          apps: ["users-api"],
        },
      },
    },
    starts: [
      {
        environment: "production",
        service: "orders",
        apps: ["orders-api"],
        calls: [["ecosystem.config.js", "--only", "orders-api"]],
      },
      {
        environment: "production",
        service: "main",
        apps: ["gateway"],
        calls: [["ecosystem.config.js", "--only", "gateway"]],
      },
    ],
  },
  "one file an environment": {
    files: {
      "ecosystem.dev.config.js": js(app("api", ', watch: true, env: { NODE_ENV: "development" }')),
      "ecosystem.prod.config.js": js(app("api", ', instances: "max", exec_mode: "cluster"')),
      ".env.staging": "PORT=1\n",
    },
    layout: {
      ecosystem: { dev: "ecosystem.dev.config.js", production: "ecosystem.prod.config.js" },
      env: { staging: ".env.staging" },
    },
    starts: [
      { environment: "dev", apps: ["api"], calls: [["ecosystem.dev.config.js"]] },
      { environment: "production", apps: ["api"], calls: [["ecosystem.prod.config.js"]] },
    ],
  },
  "process.env in the file": {
    files: {
      "ecosystem.config.js": js(
        app("api", ', env: { API_KEY: process.env.API_KEY, LOG_LEVEL: process.env.LOG_LEVEL || "info" }'),
      ),
      "main.js": "const { REGION } = process.env;",
    },
    layout: { ecosystem: { production: "ecosystem.config.js" } },
    starts: [{ environment: "production", apps: ["api"], calls: [["ecosystem.config.js"]] }],
  },
  dotenvx: {
    files: {
      "ecosystem.config.js": js(app("api")),
      ".env.production": `DOTENV_PUBLIC_KEY_PRODUCTION="03abcdef"\nSECRET="encrypted:BDq${CANARIES[2]}"\n`,
    },
    layout: {
      ecosystem: { production: "ecosystem.config.js" },
      env: { production: { file: ".env.production", encrypted: "dotenvx" } },
    },
    starts: [{ environment: "production", apps: ["api"], calls: [["ecosystem.config.js"]] }],
  },
};
