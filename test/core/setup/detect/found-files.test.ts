/** PM2 files that no name and no command shows, and files that belong to another one. */
import { expect, test } from "vitest";
import { detect } from "../../../../src/core/setup/detect/detect.ts";
import { js } from "../../../support/own-projects.ts";

const found = (files: Readonly<Record<string, string>>) =>
  detect({ files: new Map(Object.entries(files)), isCut: false });

test("a .config.js that lists apps is a PM2 file, whatever its name is, and its variables are keys", () => {
  const { pm2, undecided, keys } = found({
    "main.config.js": js("{ name: 'game', script: './a.js', increment_var: 'PORT', env: { PORT: 1 } }"),
    "sub.config.js": js("{ name: 'game', script: './a.js', env: { PORT: 1, ROLE: 'sub' } }"),
    "monitor.config.cjs":
      "const apps = ['m'].map((m) => ({ name: m, script: `./${m}.js` })); module.exports = { apps, deploy };",
    // None of these is one: PM2 runs the first as a script, and the others list no app.
    "apps.js": js("{ name: 'x', script: 'x.js' }"),
    "nuxt.config.js": "export default { head: { script: [{ src: 'https://a/b.js' }] }, apps: true };",
    "tailwind.config.js": "module.exports = { content: ['apps/**/*.js'] }; // script: 'a.js', apps: []",
    "site.config.js": "module.exports = { apps: [{ name: 'a', url: '/a' }] };",
  });
  expect(pm2.map(({ path, isGuess }) => [path, isGuess])).toEqual([["monitor.config.cjs", true]]);
  expect(undecided.map(({ file }) => file)).toEqual(["main.config.js", "sub.config.js"]);
  expect(keys.map(({ key }) => key)).toEqual(["PORT", "ROLE"]);
});

test("a file from which the started one takes its apps does not count twice", () => {
  const inner = js("{ name: 'job', script: 'a.js', env: { /* as { schedule } in the log */ CRON_LINE: '1 * * * *' } }");
  const outer = 'module.exports = require("./ecosystem.config.cjs");';
  const start = (file: string) => JSON.stringify({ scripts: { start: `pm2 start ${file}` } });
  const files = { "ecosystem.config.cjs": inner, "ecosystem.config.js": outer };
  const { pm2, undecided, keys } = found({ ...files, "package.json": start("ecosystem.config.js") });
  expect(pm2.map(({ path }) => path)).toEqual(["ecosystem.config.js"]);
  expect(undecided).toEqual([]);
  expect(keys.map(({ key }) => key)).toEqual(["CRON_LINE"]);
  // The one that reads is the leftover.
  const other = found({ ...files, "package.json": start("ecosystem.config.cjs") });
  expect(other.undecided.map(({ file }) => file)).toEqual(["ecosystem.config.js"]);
});
