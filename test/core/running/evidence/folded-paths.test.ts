import { expect, test } from "vitest";
import { foldPaths } from "../../../../src/core/running/evidence/folded-paths.ts";

const PLACE = { file: "/srv/apps/api/src/server.js", cwd: "/srv/apps/api" };
const fold = (text: string) => foldPaths(text, PLACE);

test.each([
  ['require(path.join(__dirname, "..", "..", "..", "lib", "x"))', "/srv/lib/x"],
  ["require(path.resolve(__dirname, '../../../shared/x.js'))", "/srv/shared/x.js"],
  ['require(join(\n  __dirname, // here\n  "..",\n  "../../lib/x",\n))', "/srv/lib/x"],
  ['require(__dirname + "/../../../lib/x")', "/srv/lib/x"],
  ["require(`${__dirname}/../../../lib/x`)", "/srv/lib/x"],
  ["require(`${path.dirname(__dirname)}/../../lib/x`)", "/srv/lib/x"],
  ['const ROOT: string = path.resolve(__dirname, "../../..");\nrequire(path.join(ROOT, "lib", "x"))', "/srv/lib/x"],
  ['const ROOT = path.resolve(__dirname, "../../..");\nrequire(ROOT + "/lib/x")', "/srv/lib/x"],
  ['await import(new URL("../../../lib/x.mjs", import.meta.url))', "/srv/lib/x.mjs"],
  ['import(new URL("../../../lib/x.mjs", import.meta.url).href as string)', "/srv/lib/x.mjs"],
  ['import(path.join(import.meta.dirname, "..", "..", "..", "lib/x.mjs"))', "/srv/lib/x.mjs"],
  [
    'const here = path.dirname(fileURLToPath(import.meta.url));\nimport(join(here, "..", "..", "../lib/x.mjs"))',
    "/srv/lib/x.mjs",
  ],
  ['new Worker(path.join(__dirname, "..", "..", "worker", "main.js"))', "/srv/apps/worker/main.js"],
  ['new worker_threads.Worker(new URL("../../worker/main.js", import.meta.url))', "/srv/apps/worker/main.js"],
  ['fork(path.join(process.cwd(), "..", "worker", "main.js"))', "/srv/apps/worker/main.js"],
  ['fork("../worker/main.js")', "/srv/apps/worker/main.js"],
  ['require(require.resolve("../../../lib/x"))', "/srv/lib/x"],
  ['require("/opt/shop/lib/x.js")', "/opt/shop/lib/x.js"],
])("%s loads it", (text, path) => {
  expect(fold(text).modules).toContain(path);
});

test.each([
  'require("express")',
  "require(name)",
  'require(path.join(folder, "..", "lib"))',
  'require(path.join(process.env.ROOT, "../lib"))',
  'require(["..", "lib"].join("/"))',
  'const ROOT = __dirname; { const ROOT = find(); require(ROOT + "/../lib") }',
])("%s names nothing that is known", (text) => {
  expect(fold(text)).toMatchObject({ modules: [], folders: [] });
});

test.each([
  ['require(path.join(__dirname, "../../../plugins", name))', "/srv/plugins"],
  ["import(`../../../plugins/${name}.js`); join(a)", "/srv/plugins"],
  ["import(`${__dirname}/../../../plugins/${kind}/${name}.js`)", "/srv/plugins"],
  ['const folder = path.join(__dirname, "..", "../..", "plugins");\nrequire(folder + "/" + name)', "/srv/plugins"],
  ['for (const one of list) require(path.join(__dirname, "../../../plugins", `v${one}.js`))', "/srv/plugins"],
])("%s loads a module of the folder", (text, folder) => {
  expect(fold(text)).toMatchObject({ modules: [], folders: [folder] });
});

test("a file that is read or named counts, one that is written is named as such, and a name that is not known is neither", () => {
  const text = `
    fs.readFile("../names.txt");
    const rates = path.join(__dirname, "..", "..", "..", "rates.json");
    readFileSync("/proc/self/status");
    fs.writeFileSync(path.join(__dirname, "../../../state.json"), text);
    fs.readFileSync(path.join(__dirname, "../../..", name));
  `;
  expect(fold(text)).toMatchObject({
    modules: [],
    folders: [],
    files: ["/srv/apps/names.txt", "/srv/rates.json", "/srv/state.json"],
    written: ["/srv/state.json"],
  });
});
