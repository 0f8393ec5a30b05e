import { describe, expect, test } from "vitest";
import { canHaveTerminal, inTerminal } from "../support/in-terminal.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { longTest } from "../support/runs.ts";

const FILE = "deployments.yaml";
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

const TARGET = [
  "deployments:",
  "  - name: prod",
  "    region: eu",
  "    runtime: node22",
  "    serviceType: functions",
  "    deployTarget: lambda",
  "    runtimeProtocol: http",
  "    databaseDriver: SQLite",
  "    keyValueDriver: redis",
  "",
].join("\n");

describe.runIf(canHaveTerminal)("in a terminal", () => {
  test("targets add asks for missing fields, and offers the values that fit the previous answers", async () => {
    const workspace = makeWorkspace({ [FILE]: TARGET });
    const { status, screen } = await inTerminal(
      workspace,
      ["targets", "add"],
      [
        ["Name: ", "PROD\n"],
        ["Name: ", "edge\n"],
        ["Deploy target (", "lambada\n"],
        ["Deploy target (", "lambda\n"],
        ["Region: ", "\n"],
        ["Region: ", "eu-1\n"],
        ["Runtime: ", "latest\n"],
        ["Runtime: ", "nodejs22.x\n"],
        ["[functions]: ", "\n"],
        ["[http]: ", "\n"],
        ["[InMemory]: ", "SQLite\n"],
        ["[redis]: ", "\n"],
      ],
    );
    expect(status, screen).toBe(0);
    expect(screen).toContain('name: "PROD" is taken by another deploy target');
    expect(screen).toContain(
      "Deploy target (1 dedicated-server, 2 vm, 3 ec2, 4 lambda, 5 vercel-functions, 6 cloudflare-workers): ",
    );
    expect(screen).toContain("(did you mean lambda?)");
    expect(screen).toContain("A value is required: any text");
    expect(screen).toContain('"latest" is not a name with a version');
    expect(screen).toContain("Service type (1 functions) [functions]: ");
    expect(screen).toContain("Protocol (1 http) [http]: ");
    expect(screen).not.toContain("PM2 profile (");
    expect(workspace.read(FILE)).toBe(
      TARGET +
        TARGET.slice(TARGET.indexOf("  -"))
          .replace("prod", "edge")
          .replace("eu", "eu-1")
          .replace("node22", "nodejs22.x"),
    );
  });

  test("svcm does not ask for values that flags give, and asks nothing if the flags are sufficient", async () => {
    const workspace = makeWorkspace({});
    const given = ["--name", "qa", "--runtime", "node22"];
    const session = await inTerminal(
      workspace,
      ["targets", "add", ...given],
      [
        ["Deploy target (", "dedicated-server\n"],
        ["Region [none]: ", "\n"],
        ["[restapi]: ", "\n"],
        ["[http]: ", "\n"],
        ["[InMemory]: ", "\n"],
        ["[redis]: ", "\n"],
        ["PM2 profile (1 dev, 2 staging, 3 production) [dev]: ", "2\n"],
      ],
    );
    expect(session.status, session.screen).toBe(0);
    expect(session.screen).not.toContain("Name:");
    expect(session.screen).toContain("Region [none]: ");
    expect(workspace.read(FILE)).toContain("pm2Profile: staging\n");
    expect(workspace.read(FILE)).not.toContain("region");
    const whole = [...given.with(1, "qa2"), "--deploy-target", "dedicated-server"];
    const { status, screen } = await inTerminal(workspace, ["targets", "add", ...whole]);
    expect([status, screen]).toEqual([0, expect.stringMatching(/^Added qa2/) as string]);
  });

  test.each([
    ["Ctrl-C", [["Name: ", CTRL_C]]],
    [
      "Ctrl-C after an answer",
      [
        ["Name: ", "edge\n"],
        ["Deploy target (", CTRL_C],
      ],
    ],
    ["the end of the input", [["Name: ", CTRL_D]]],
  ] as const)("%s leaves nothing changed, and exits 130", async (_, talk) => {
    const workspace = makeWorkspace({ [FILE]: TARGET });
    const { status, screen } = await inTerminal(workspace, ["targets", "add"], talk);
    expect(status, screen).toBe(130);
    expect(screen).toContain("Cancelled. Nothing was changed.");
    expect(workspace.read(FILE)).toBe(TARGET);
  });

  longTest("svcm does not ask in continuous integration or with --json", async () => {
    const workspace = makeWorkspace({ [FILE]: TARGET });
    for (const [argv, env] of [
      [["targets", "add"], { CI: "true" }],
      [["targets", "add", "--json"], {}],
    ] as const) {
      const { status, screen } = await inTerminal(workspace, argv, [], env);
      expect(status).toBe(1);
      expect(screen).toContain("name is missing");
    }
    expect((await inTerminal(workspace, ["targets", "remove", "prod"], [], { CI: "true" })).status).toBe(0);
    expect(workspace.read(FILE)).toBe("deployments: []\n");
  });

  longTest("targets remove asks first, unless --yes is given", async () => {
    const workspace = makeWorkspace({ [FILE]: TARGET });
    const question = "Remove prod from deployments.yaml? [y/N] ";
    const kept = await inTerminal(workspace, ["targets", "remove", "PROD"], [[question, "\n"]]);
    expect(kept.screen).toContain(question);
    expect([kept.status, workspace.read(FILE)]).toEqual([1, TARGET]);
    expect((await inTerminal(workspace, ["targets", "remove", "nobody"])).status).toBe(2);
    expect((await inTerminal(workspace, ["targets", "remove", "prod"], [[question, "y\n"]])).status).toBe(0);
    expect(workspace.read(FILE)).toBe("deployments: []\n");
    workspace.write(FILE, TARGET);
    expect((await inTerminal(workspace, ["targets", "remove", "prod", "--yes"])).screen).toBe(
      "Removed prod from deployments.yaml.\n",
    );
  });

  test("interfaces add offers the frameworks of the type", async () => {
    const workspace = makeWorkspace({ [FILE]: "interfaces: []\n" });
    const { status, screen } = await inTerminal(
      workspace,
      ["interfaces", "add"],
      [
        ["Type (", "websocket\n"],
        ["Framework (1 socket-io): ", "socket-io\n"],
        ["Entrypoint: ", "src/interface/ws.ts\n"],
        ["Controller: ", "ItemController.changed\n"],
      ],
    );
    expect(status, screen).toBe(0);
    expect(screen).toContain("Framework (1 socket-io): ");
    expect(workspace.read(FILE)).toContain("interfaces:\n  - type: websocket\n    framework: socket-io\n");
  });
});
