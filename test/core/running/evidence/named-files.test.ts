/** Files that belong to an app, or to another one, by what its programs and packages name. No process runs. */
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { findImports } from "../../../../src/core/running/evidence/imports.ts";
import { siblingPaths } from "../../../../src/core/running/evidence/siblings.ts";
import { Budget } from "../../../../src/core/running/evidence/walk.ts";
import { findWorkspaceLinks } from "../../../../src/core/running/evidence/workspace-links.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { write } from "./scenes.ts";

type Files = Readonly<Record<string, string>>;

describe("the files outside of apps/api that its programs name", () => {
  /** Programs of the unit, and files around it. */
  function imports(own: Files, around: Files, budget = new Budget(10_000), folder: string | undefined = "apps/api") {
    const root = temporaryFolder();
    const unit = join(root, "apps/api");
    write(root, around);
    write(unit, own);
    const files = Object.keys(own).map((path) => ({ absolute: join(unit, path), kind: "file", path }));
    const of = { folder: folder && unit, files, place: { cwd: null, script: null } };
    return findImports(of as never, budget).map((path) => relative(root, path));
  }

  test.each<[string, string, readonly string[]]>([
    ["a file", 'require("../../lib/a.js")', ["lib/a.js"]],
    ["a file without its ending", "import x from '../../lib/a'", ["lib/a.js"]],
    ["the index of a folder", "require(`../../lib/b`)", ["lib/b/index.ts"]],
    ["the source of a file that is compiled later", 'import("../../lib/c.mjs")', ["lib/c.mts"]],
    ["data", 'require("../../lib/data.json")', ["lib/data.json"]],
    ["a file that is not there", 'require("../../lib/none.js")', []],
    ["a folder without an index", 'require("../../lib")', []],
    ["a file of its own folder", 'require("./own.js"); require("../api/own.js")', []],
    ["a package", 'require("../../node_modules/x/index.js")', []],
    ["a text with a variable", "require(`../../lib/${name}.js`)", []],
    ["what such a file names in turn", 'require("../../lib/deep.js")', ["lib/a.js", "lib/deep.js"]],
  ])("%s", (_what, text, expected) => {
    const around = {
      "lib/a.js": "",
      "lib/b/index.ts": "",
      "lib/c.mts": "",
      "lib/data.json": "{}",
      "lib/deep.js": 'require("./a.js"); require("../apps/api/own.js")',
      "node_modules/x/index.js": "",
    };
    expect(imports({ "server.js": text, "own.js": "" }, around)).toEqual(expected);
  });

  test("are named from a folder below by as many steps up", () => {
    const around = { "lib/a.js": "", "apps/b.js": "" };
    expect(imports({ "src/x/server.js": 'require("../../../../lib/a.js")' }, around)).toEqual(["lib/a.js"]);
    expect(imports({ "src/server.js": 'require("../../b.js")' }, around)).toEqual(["apps/b.js"]);
  });

  test("are named by programs alone, and not by a file of more than a megabyte", () => {
    const text = 'require("../../lib/a.js")';
    expect(imports({ "notes.md": text }, { "lib/a.js": "" })).toEqual([]);
    expect(imports({ "big.js": text + " ".repeat(2 ** 20 - text.length) }, { "lib/a.js": "" })).toEqual(["lib/a.js"]);
    expect(imports({ "big.js": text + " ".repeat(2 ** 20) }, { "lib/a.js": "" })).toEqual([]);
  });

  const ALIASES = {
    "lib/a.js": "",
    "lib/util.ts": "",
    "base.json": '{"compilerOptions":{"baseUrl":"lib","paths":{"#*":["*"]}}}',
  };
  test.each<[string, string, string, readonly string[]]>([
    ["with a star", '{"compilerOptions":{"paths":{"@lib/*":["../../lib/*"]}}}', '"@lib/a.js"', ["lib/a.js"]],
    ["with an end", '{"compilerOptions":{"paths":{"@*/x":["../../lib/*"]}}}', '"@util/x"; "@a.js/y"', ["lib/util.ts"]],
    ["of one name", '{"compilerOptions":{"paths":{"util":["../../lib/util.ts"]}}}', '"util"', ["lib/util.ts"]],
    ["and no other name", '{"compilerOptions":{"paths":{"util":["../../lib/util.ts"]}}}', '"utils"; "x/util"', []],
    ["with a base", '{"compilerOptions":{"baseUrl":"../../lib","paths":{"~/*":["./*"]}}}', '"~/a"', ["lib/a.js"]],
    ["of the file that it extends", '{"extends":"../../base"}', '"#a.js"', ["lib/a.js"]],
    ["of a package that it extends", '{"extends":"base"}', '"#a.js"', []],
    [
      "in JSON with comments",
      '{ // "x"\n /* y */ "compilerOptions":{"paths":{"util":["../../lib/util.ts",],},}}',
      '"util"',
      ["lib/util.ts"],
    ],
    ["in a damaged file", "{", '"util"', []],
    ["that are no list", '{"compilerOptions":{"paths":{"util":"../../lib/util.ts"}}}', '"util"', []],
  ])("are named by an alias of tsconfig.json: %s", (_what, config, text, expected) => {
    expect(imports({ "server.ts": `import x from ${text}`, "tsconfig.json": config }, ALIASES)).toEqual(expected);
  });

  test("are missing without a folder or without time", () => {
    const [own, around] = [{ "server.js": 'require("../../lib/a.js")' }, { "lib/a.js": "" }];
    expect(imports(own, around, new Budget(0))).toEqual([]);
    expect(imports(own, around, new Budget(10_000), "")).toEqual([]);
  });

  test("are all programs directly in a folder whose names are known only at run time", () => {
    const text =
      'const { join } = require("path"); for (const name of names) require(join(__dirname, "../../plugins", name))';
    const plugin = {
      "plugins/a.js": 'require("../lib/a.js")',
      "lib/a.js": "",
      "plugins/notes.md": 'require("../lib/b.js")',
      "lib/b.js": "",
    };
    expect(imports({ "server.js": text }, plugin)).toEqual(["lib/a.js", "plugins"]);
  });
});

describe("what is built for another app", () => {
  const MAIN = "dist/apps/api/main.js";
  function siblings(files: Files, script = MAIN, others: readonly string[] = ["dist/apps/web/main.js"]) {
    const root = temporaryFolder();
    write(root, { [MAIN]: "1", "dist/apps/web/main.js": "1", ...files });
    const isOther = siblingPaths({
      unit: root,
      script: join(root, script),
      others: others.map((one) => join(root, one)),
    });
    const paths = ["dist/apps/web/main.js", "apps/web/a.ts", MAIN, "apps/api/a.ts", "apps/webs/a.ts", "libs/a.ts"];
    return paths.filter(isOther);
  }
  const WEB = ["dist/apps/web/main.js", "apps/web/a.ts"];

  test.each<[string, readonly string[], Files]>([
    ["is its folder of builds and its sources", WEB, {}],
    ["is part of this app if a program names the folder", [], { [MAIN]: 'load("apps/web/x")' }],
    ["is part of this app if a program joins its parts", [], { [MAIN]: "join('apps', `web`)" }],
    ["is not if a program names one of the parts", WEB, { [MAIN]: 'join("apps", name)' }],
    ["is part of this app if a program may leave its folder", [], { [MAIN]: 'require("../web/main.js")' }],
    ["is part of this app if a program joins a step up", [], { [MAIN]: 'join(__dirname, "..", name)' }],
    [
      "is part of this app if a program in a folder below leaves it",
      [],
      { "dist/apps/api/x/a.js": 'require("../../web")' },
    ],
    ["is not if that one stays in its folder", WEB, { "dist/apps/api/x/a.js": 'require("../main.js")' }],
    ["is not if what names it is no program", WEB, { "dist/apps/api/a.md": "apps/web ../" }],
  ])("%s", (_what, expected, files) => {
    expect(siblings(files)).toEqual(expected);
  });

  test("is nothing for an app that is not in a folder of builds, without another app, or with one elsewhere", () => {
    expect(siblings({}, "apps/api/main.js")).toEqual([]);
    expect(siblings({}, MAIN, [])).toEqual([]);
    expect(siblings({}, MAIN, ["dist/apps/none/main.js"])).toEqual([]);
    expect(
      siblings({ "web/main.js": "1", "build/web/main.js": "1" }, MAIN, ["web/main.js", "build/web/main.js"]),
    ).toEqual([]);
    expect(siblings({ "dist/apps/api/v2/main.js": "1" }, MAIN, ["dist/apps/api/v2/main.js"])).toEqual([]);
    expect(siblings({}, MAIN, [MAIN])).toEqual([]);
  });
});

describe("the local packages of an app", () => {
  function links(files: Files, linked: Files = {}) {
    const root = temporaryFolder();
    write(root, files);
    for (const [path, target] of Object.entries(linked)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      symlinkSync(target, join(root, path));
    }
    return [...findWorkspaceLinks(join(root, "api"))].map(
      ([link, target]) => `${relative(root, link)} ${relative(root, target)}`,
    );
  }
  const uses = (name: string, source = "*", member = "dependencies") =>
    JSON.stringify({ [member]: { [name]: source } });
  const LINK = { "node_modules/lib": "../libs/lib" };
  const LIB = { "libs/lib/package.json": "{}" };

  test.each<[string, Files, Files, readonly string[]]>([
    ["by a link above it", { "api/package.json": uses("lib"), ...LIB }, LINK, ["node_modules/lib libs/lib"]],
    [
      "but none that only its development needs",
      { "api/package.json": uses("lib", "*", "devDependencies"), ...LIB },
      LINK,
      [],
    ],
    [
      "that it may need",
      { "api/package.json": uses("lib", "*", "optionalDependencies"), ...LIB },
      LINK,
      ["node_modules/lib libs/lib"],
    ],
    [
      "and those that such a package needs",
      { "api/package.json": uses("lib"), "libs/lib/package.json": uses("deep"), "libs/deep/package.json": uses("lib") },
      { ...LINK, "libs/lib/node_modules/deep": "../../deep" },
      ["node_modules/lib libs/lib", "libs/lib/node_modules/deep libs/deep"],
    ],
    ["but none of the registry", { "api/package.json": uses("x"), "node_modules/x/package.json": "{}" }, {}, []],
    [
      "nor a link into a store",
      { "api/package.json": uses("x"), "node_modules/.store/node_modules/x/package.json": "{}" },
      { "node_modules/x": ".store/node_modules/x" },
      [],
    ],
    [
      "as a copy",
      { "api/package.json": uses("lib", "file:../libs/lib"), "api/node_modules/lib/package.json": "{}" },
      {},
      ["api/node_modules/lib api/node_modules/lib"],
    ],
    [
      "but no packed one",
      { "api/package.json": uses("lib", "file:../lib.tgz"), "api/node_modules/lib/package.json": "{}" },
      {},
      [],
    ],
    ["but no broken link", { "api/package.json": uses("lib") }, LINK, []],
    [
      "the nearest one",
      { "api/package.json": uses("lib"), "api/node_modules/lib/package.json": "{}", ...LIB },
      LINK,
      [],
    ],
    ["of a damaged package", { "api/package.json": "{", ...LIB }, LINK, []],
  ])("%s", (_what, files, linked, expected) => {
    expect(links(files, linked)).toEqual(expected);
  });
});
