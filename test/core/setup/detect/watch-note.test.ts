import { expect, test } from "vitest";
import { detectPm2Files } from "../../../../src/core/setup/detect/detect.ts";

test.each([
  ["watch: true", true],
  ['"watch": ["src"]', true],
  ["watch: process.env.NODE_ENV !== 'production'", true],
  ["watch: false", false],
  ["// watch: true", false],
  ['ignore_watch: ["logs"]', false],
])("init says that its svcm.yaml restarts a watched app: %s", (field, isWatched) => {
  const text = `module.exports = { apps: [{ name: "w", script: "a.js",\n${field}\n}] };`;
  const files = new Map([["ecosystem.config.js", text]]);
  const { notUnderstood } = detectPm2Files({ root: "/r", files, isCut: false } as never, []);
  const notes = notUnderstood.filter(({ what }) => what.startsWith("PM2 watches files"));
  expect(notes.map(({ line }) => line)).toEqual(isWatched ? [2] : []);
});
