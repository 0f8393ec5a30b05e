import { expect, test } from "vitest";
import { commandValues } from "../../../src/core/running/start-values.ts";

const SCRIPTS = {
  build: "NODE_ENV=test tsc",
  start: "npm run build && cross-env MODE=a npm run serve",
  serve: "MODE=b LEVEL='very high' PORT=${PORT:-80} node server.js",
};
const manifest = JSON.stringify({ scripts: SCRIPTS });

test.each([
  ["cross-env MODE=x node server.js", { MODE: "x" }],
  ["cross-env.js MODE=x LEVEL=y node server.js", { MODE: "x", LEVEL: "y" }],
  ["env MODE=x ./server", { MODE: "x" }],
  ["server.js MODE=x", {}],
  ["npm run start", { MODE: "b", LEVEL: "very high" }],
  ["npm-cli.js start", { MODE: "b", LEVEL: "very high" }],
  ["yarn serve", { MODE: "b", LEVEL: "very high" }],
  ["npm run none", {}],
])("%s", (line, values) => {
  expect(Object.fromEntries(commandValues(line, [], manifest).values)).toEqual(values);
});
