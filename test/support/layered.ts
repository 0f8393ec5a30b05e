/** A repository with a `svcm.yaml`, env files in layers, and a secret in every file. */
const app = (name: string, env: object): string => JSON.stringify({ name, script: "./app.js", env });

/** Each environment has a lower layer; `dev` and `production` share theirs. */
export const LAYERED = {
  "svcm.yaml": `version: 1
environments: { dev: [], production: [prod], qa: [] }
env: { dev: [.env, .env.local], production: [.env, .env.production], qa: [qa/base.env, qa/.env] }
ecosystem: { dev: dev.config.cjs, qa: qa.config.cjs }
keys:
  PORT: { kind: port, tier: read-only }
  LOG_LEVEL: { kind: enum, values: [debug, info, warn], tier: editable, default: warn }
  TITLE: { kind: text, tier: editable }
  API_URL: { kind: url, tier: read-only }
  DATABASE_URL: { kind: connection-url }
`,
  ".env": "PORT=3000\nLOG_LEVEL=info\nDATABASE_URL=postgres://u:canary-database@db/x\n",
  ".env.local": "# mine, canary-comment\nLOG_LEVEL=debug\nTITLE='it is #1'\nOWN_SECRET=canary-own\n",
  ".env.production": "LOG_LEVEL=warn\nAPI_URL=https://u:canary-url@api.example.com\n",
  "qa/base.env": "LOG_LEVEL=info\nTITLE=qa\nTOKEN=canary-base\n",
  "qa/.env": "PORT=4000\nTOKEN=canary-qa\n",
  "dev.config.cjs": `module.exports = { apps: [${app("api", { FROM: "ecosystem", LOG_LEVEL: "warn", PASSWORD: "canary-ecosystem" })}] };`,
  "qa.config.cjs": `module.exports = { apps: [${app("api", { FROM: "api" })}, ${app("worker", { FROM: "worker" })}] };`,
} as const;
