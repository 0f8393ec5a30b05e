import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { openEditor, type Editor, type Position } from "../../support/language-server.ts";
import { whenTestsOver } from "../../support/temporary-folder.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { documentSchema } from "../../../src/core/deployments/schema/document.ts";
import {
  packagedCapabilityMatrix as matrix,
  packagedRuntimeContract as contract,
} from "../../../src/core/project/facts/packaged.generated.ts";

const PACKAGED = fileURLToPath(new URL("../../../schemas/service-management.v1.schema.json", import.meta.url));
const ENTRY = "deployments:\n  - name: a\n    region: eu\n    runtime: node22\n";
const GOOD = `${ENTRY}    deployTarget: lambda
    serviceType: functions
    runtimeProtocol: http
    databaseDriver: SQLite
    keyValueDriver: redis
`;

let packaged: Editor;
const whenOver = whenTestsOver();
beforeAll(async () => void (packaged = await openEditor(PACKAGED, whenOver)));

/** Removes the `|` from the text and returns its position. */
function cursorOf(marked: string): { readonly text: string; readonly at: Position } {
  const before = marked.slice(0, marked.indexOf("|"));
  const lines = before.split("\n");
  const at = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
  return { text: marked.replace("|", ""), at };
}

async function labels(editor: Editor, marked: string): Promise<string[]> {
  const { text, at } = cursorOf(marked);
  return (await editor.complete(text, at)).map(({ label }) => label);
}

describe("yaml-language-server completes only what is accepted", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    [`${ENTRY}    deployTarget: lambda\n    serviceType: |\n`, ["functions"]],
    [`${ENTRY}    deployTarget: vm\n    serviceType: |\n`, ["restapi", "websocket+restapi", "grpc+restapi"]],
    [`${ENTRY}    serviceType: |\n`, Object.keys(matrix.serviceTypes)],
    [`${ENTRY}    deployTarget: |\n`, Object.keys(matrix.deployTargets)],
    [`${ENTRY}    serviceType: grpc+restapi\n    runtimeProtocol: |\n`, ["http", "grpc"]],
    [`${ENTRY}    deployTarget: ec2\n    pm2Profile: |\n`, matrix.pm2Profiles],
    [`${ENTRY}    deployTarget: lambda\n    pm2Profile: |\n`, []],
    ["deployments:\n  - name: a\n    type: lambda\n    serviceType: |\n", ["functions"]],
    ["deployments:\n  |\n", ["PM2-managed target", "Functions target"]],
    ["serviceConfiguration:\n  runMode: container\n  cloudProvider: |\n", ["docker", "self-hosted"]],
    ["interfaces:\n  - type: websocket\n    framework: |\n", ["socket-io"]],
    ["runtimeEnvironment: |\n", ["dev", "development", "staging", "ci", "test"]],
    ["|", ["version", "runtimeEnvironment", "serviceConfiguration", "interfaces", "deployments", "rollout"]],
  ];

  test("values", async () => {
    for (const [marked, expected] of rows) expect(await labels(packaged, marked), marked).toEqual(expected);
  });

  test("members: a PM2 profile only for a target that PM2 manages, and only bound ports", async () => {
    expect(await labels(packaged, `${ENTRY}    deployTarget: lambda\n    |\n`)).not.toContain("pm2Profile");
    expect(await labels(packaged, `${ENTRY}    deployTarget: vm\n    |\n`)).toContain("pm2Profile");
    const ports = await labels(packaged, "serviceConfiguration:\n  serviceKind: grpc-rest-api\n  ports:\n    |\n");
    expect(new Set(ports)).toEqual(new Set(["rest", "grpc"]));
  });
});

// At once, because the server waits a while for further keys of each document.
describe.concurrent("yaml-language-server marks", () => {
  const notAccepted = (...values: string[]): string =>
    `Value is not accepted. Valid values: ${values.map((value) => `"${value}"`).join(", ")}.`;
  const legacy = "This is a legacy entry. Use deployTarget and the fields beside it; svcm migrate does it.";

  /** The language server counts lines and columns from 0. */
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ["nothing in a good document", GOOD, []],
    [
      "a row that the matrix lacks",
      GOOD.replace("functions\n", "restapi\n"),
      [`5:17-24 error ${notAccepted("functions")}`],
    ],
    ["a protocol that is not exposed", GOOD.replace("http", "grpc"), [`6:21-25 error ${notAccepted("http")}`]],
    [
      "a misplaced profile",
      `${GOOD}    pm2Profile: dev\n`,
      ["9:16-19 error Remove pm2Profile: it is not accepted here."],
    ],
    [
      "a missing profile",
      GOOD.replace("lambda", "vm").replace("functions", "restapi"),
      ['1:4-5 error Missing property "pm2Profile".'],
    ],
    [
      "a misspelled key",
      GOOD.replace("region", "regoin"),
      ["2:4-10 error Property regoin is not allowed.", '1:4-5 error Missing property "region".'],
    ],
    [
      "free text for a runtime",
      GOOD.replace("node22", "latest"),
      ["3:13-19 error Expected a name with a version, for example nodejs22.x, node20, python3.12."],
    ],
    [
      "a name that cannot be seen",
      GOOD.replace("name: a", "name: a\u200B"),
      ["1:10-12 error Expected text without hidden characters and without white space at its ends, not empty."],
    ],
    [
      "a legacy entry",
      "deployments:\n  - name: a\n    type: dedicated\n    runtime: node18\n",
      [`2:4-19 error ${legacy}`],
    ],
    [
      "ports and providers",
      "serviceConfiguration:\n  serviceKind: rest-api\n  runMode: functions\n  cloudProvider: google\n  ports: { rest: '70000' }\n",
      [
        `3:17-23 error ${notAccepted("aws", "vercel", "cloudflare")}`,
        "4:17-24 error Expected an integer from 1 to 65535.",
      ],
    ],
  ];

  test.each(rows)("%s", async (_, text, expected) => {
    const marks = (await packaged.diagnose(text)).map(
      ({ range: { start, end }, severity, message }) =>
        `${start.line}:${start.character}-${end.character} ${severity === 1 ? "error" : "warning"} ${message}`,
    );
    expect(marks).toEqual(expected);
  });
});

describe("yaml-language-server explains", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    [
      GOOD.replace("lambda", "lam|bda"),
      ["Platform that it is deployed to.", "`lambda`: AWS Lambda", "`vm`: Virtual machine"],
    ],
    [GOOD.replace("serviceType", "service|Type"), ["depend on deployTarget", "* `functions`: Functions\n\nSource"]],
    [GOOD.replace("databaseDriver", "|databaseDriver"), ["Main database driver", "`PostgreSQL`"]],
    [
      "serviceConfiguration:\n  runMode: functions\n  cloud|Provider: aws\n",
      ["- functions: `aws`, `vercel`, `cloudflare`"],
    ],
    ["deploy|ments: []\n", ["Names are unique"]],
  ];

  test("the property or value under the pointer, with the labels from the facts", async () => {
    for (const [marked, words] of rows) {
      const { text, at } = cursorOf(marked);
      const hover = await packaged.hover(text, at);
      for (const word of words) expect(hover).toContain(word);
    }
  });
});

test("yaml-language-server completes from a repository's own matrix", async () => {
  const workspace = makeWorkspace();
  const functions = { ...matrix.runModes["functions"]!, cloudProviders: ["google"] };
  const own = { contract, matrix: { ...matrix, runModes: { ...matrix.runModes, functions } } };
  writeFileSync(workspace.path("own.schema.json"), JSON.stringify(documentSchema(own)));
  const editor = await openEditor(workspace.path("own.schema.json"));
  const marked = "serviceConfiguration:\n  runMode: functions\n  cloudProvider: |\n";
  expect(await labels(editor, marked)).toEqual(["google"]);
});

test("yaml-language-server finds no problem in this repository's deployments.yaml, which names the schema", async () => {
  const text = readFileSync(new URL("../../../deployments.yaml", import.meta.url), "utf8");
  expect(text.split("\n")[0]).toBe("# yaml-language-server: $schema=./schemas/service-management.v1.schema.json");
  expect(await packaged.diagnose(text.replace(/.*\n/, "\n"))).toEqual([]);
});
