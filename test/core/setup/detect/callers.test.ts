/** The commands of a repository that start PM2, and for which environment. */
import { expect, test } from "vitest";
import { commandsIn, kindOf } from "../../../../src/core/setup/detect/callers.ts";
import { aliasesOf } from "../../../../src/core/words/environment-names.ts";
import { alternatives } from "../../../../src/core/setup/detect/starts.ts";
import type { Pm2File } from "../../../../src/core/setup/detect/pm2-file.ts";

test.each<[string, string, string, (string | undefined)[]]>([
  [
    "a script of package.json",
    "package.json",
    '{"scripts":{"start:prod":"pm2 start a.js","x":1}}',
    ["pm2 start a.js production"],
  ],
  [
    "a script in capitals inside",
    "package.json",
    '{"scripts":{"startStaging":"pm2 start a.js"}}',
    ["pm2 start a.js staging"],
  ],
  ["a broken package.json", "package.json", "{", []],
  ["a shell script", "deploy.sh", "cd /srv\npm2 start a.js\n", ["pm2 start a.js undefined"]],
  ["a line that is continued", "deploy.sh", "pm2 start\\\n  a.js\n", ["pm2 start a.js undefined"]],
  ["a comment", "deploy.sh", "# pm2 start a.js\n  // pm2 start b.js\n", []],
  ["a script of an environment", "deploy-staging.sh", "pm2 start a.js\n", ["pm2 start a.js staging"]],
  ["a script that tests", "ci.sh", "pm2 start a.js\n", ["pm2 start a.js undefined"]],
  ["a target of make", "Makefile", "prod:\n\tpm2 start a.js\n", ["pm2 start a.js production"]],
  [
    "a program and its arguments in a Dockerfile",
    "Dockerfile",
    'FROM a\nCMD ["x"]\nFROM b\nENTRYPOINT ["pm2-runtime"]\nEXPOSE 80\nCMD ["pm2.yml", "--env", "qa"]\n',
    ['ENTRYPOINT ["pm2-runtime"] "pm2.yml", "--env", "qa"] undefined', 'CMD ["pm2.yml", "--env", "qa"] undefined'],
  ],
  [
    "lists in a file of Compose",
    "compose.yaml",
    "services:\n  a:\n    entrypoint:\n      - pm2-runtime\n      - start\n    image: x\n    command:\n    - a.json\n  b:\n    command: x\n",
    ["entrypoint: pm2-runtime start a.json undefined"],
  ],
  [
    "arguments before their command",
    "compose.yaml",
    'services:\n  a:\n    command: ["a.json"]\n    entrypoint: pm2-runtime\n  b:\n    command: pm2-runtime b.json\n',
    ['entrypoint: pm2-runtime ["a.json"] undefined', "command: pm2-runtime b.json undefined"],
  ],
  [
    "a container of Kubernetes",
    "pod.yaml",
    "  - command:\n      - pm2-runtime\n    args: [start, a.json]\n  - name: b\n    args: [x]\n",
    ["- command: pm2-runtime [start, a.json] undefined"],
  ],
  ["a disabled workflow", ".github/workflows/deploy.yml.disabled", "run: pm2 start a.js\n", []],
])("%s", (_what, path, text, expected) => {
  expect(commandsIn(path, text).map((one) => `${one.text.trim()} ${one.context}`)).toEqual(expected);
});

test.each([
  ['echo "Start it: pm2 start a.js"', true],
  ["  @printf 'pm2 start a.js'", true],
  ['echo "pm2 start a.js" > start.sh', false],
  ['echo "pm2 start a.js" | ssh host', false],
  ["pm2 start a.js", false],
])("the line %s only says it: %s", (line, isTold) => {
  expect(commandsIn("deploy.sh", line)[0]?.isTold).toBe(isTold);
});

test.each([
  ["README.md", "readme"],
  ["docker-compose.yml", "container"],
  ["package.json", "script"],
  ["Procfile", "script"],
  ["deploy.sh", "deploy"],
])("%s is a %s", (path, kind) => expect(kindOf(path)).toBe(kind));

test.each([
  ["dev", ["dev"], ["development", "local"]],
  ["dev", ["dev", "local"], ["development"]],
  ["production", ["production", "prod"], []],
  ["qa", ["qa"], []],
])("%s among %j has the aliases %j", (name, names, expected) => expect(aliasesOf(name, names)).toEqual(expected));

const pm2File = (path: string, home: string, app: Partial<Pm2File["apps"][number]>): Pm2File => ({
  path,
  home,
  cwd: home,
  named: undefined,
  environments: {},
  only: {},
  isGuess: false,
  calledFor: [],
  calls: [],
  isBroken: false,
  isPlain: true,
  reads: [],
  apps: [{ name: "api", source: "'api'", folder: undefined, script: undefined, cwd: undefined, ports: [], ...app }],
});

test.each<[string, Pm2File[], number]>([
  ["one name in one folder", [pm2File("a", ".", {}), pm2File("b", ".", {})], 1],
  ["one name in two folders", [pm2File("a", "x", {}), pm2File("b", "y", {})], 0],
  ["one name, apart from the environment in it", [pm2File("a", ".", {}), pm2File("b", ".", { name: "api-dev" })], 1],
  ["two names", [pm2File("a", ".", {}), pm2File("b", ".", { name: "web" })], 0],
  ["two names on one port", [pm2File("a", ".", { ports: ["1"] }), pm2File("b", ".", { name: "web", ports: ["1"] })], 1],
  [
    "one script from two folders",
    [pm2File("a", "x", { script: "/srv/a.js" }), pm2File("b", "y", { name: "web", script: "/srv/a.js" })],
    1,
  ],
])("files with %s are alternatives: %i group", (_what, files, count) => {
  expect(alternatives(files)).toHaveLength(count);
});
