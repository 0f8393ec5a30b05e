/** A member of the fleet harms no other one: with its requests, with its answers, or with its name. */
import { describe, expect, test } from "vitest";
import { envRead, envWrite, identityShow, processList, type Ports } from "../../src/core/index.ts";
import { listNodes } from "../../src/fleet/fleet.ts";
import { hasNats } from "../support/nats-server.ts";
import { svcm } from "../support/svcm.ts";
import { frameworkOf, rawConnection, testFleet } from "./support.ts";

const MS = 60_000;
const SAVE = { environment: "dev", values: { SVC_HTTP_FRAMEWORK: "fastify" }, foreignKeys: "refuse" } as const;
const WAIT = JSON.stringify({ input: { names: ["api"], pmIds: [], timeoutMs: 3_600_000 } });

describe.skipIf(!hasNats)("a member of the fleet (needs nats-server)", () => {
  test("that takes all its places silences no other user, and does not keep the node from ending", async () => {
    const fleet = await testFleet();
    let waiting = 0;
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const never = (ports: Ports): Ports => ({
      ...ports,
      processes: {
        ...ports.processes,
        list: (signal) => {
          waiting += 1;
          if (waiting === 8) arrive();
          return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
        },
      },
    });
    const node = await fleet.start("web-1", { world: never });
    const vera = await rawConnection(fleet, "vera");
    const answers = Array.from({ length: 40 }, () =>
      vera.request("svcm.web-1.read.process.wait.vera", WAIT, { timeout: MS }),
    );
    await arrived;
    const adam = await fleet.as("adam");
    expect(await adam.ask("web-1", identityShow, {}, MS)).toMatchObject({ actor: "adam" });
    await adam.ask("web-1", envWrite, SAVE, MS);
    expect(frameworkOf(fleet)).toBe("fastify");
    await node.close();
    const details = (await Promise.allSettled(answers)).map((one) =>
      one.status === "rejected" ? "no answer" : one.value.json<{ error: { details: string } }>().error.details,
    );
    expect(waiting).toBe(8);
    expect(details.filter((one) => one === "Accepted: 8 requests that read of a user at a time.")).toHaveLength(32);
  });

  test("whose answers have another form, or another name in them, is neither shown as it wishes nor a defect", async () => {
    const fleet = await testFleet();
    const node = await rawConnection(fleet, "web-1");
    let result: unknown = 7;
    node.subscribe("svcm.web-1.*.*.*.*", {
      callback: (_, message) => void message.respond(JSON.stringify({ now: Date.now(), ok: true, result })),
    });
    await node.flush();
    const vera = await fleet.as("vera");
    const invalid = { kind: "FLEET_FAILED", body: { code: "ANSWER_INVALID" } };
    await expect(vera.ask("web-1", processList, {}, MS)).rejects.toMatchObject(invalid);
    const run = await svcm(["process", "list", "--node", "web-1"], {
      root: fleet.root("vera"),
      env: fleet.variables("vera"),
    });
    expect([run.code, run.stderr.includes("defect")], run.stderr).toEqual([3, false]);
    const state = {
      environment: null,
      processes: { error: "x" },
      troubles: [],
      drift: null,
      host: null,
      release: null,
    };
    result = { ...state, name: "web-2", state: "online", reason: "all is well" };
    const listed = (await listNodes(vera, MS)).find(({ name }) => name === "web-1");
    expect(listed).toMatchObject({ name: "web-1", state: "away" });
    result = { response: {}, entityTag: '"a"\r\nset-cookie: b=c' };
    await expect(vera.ask("web-1", envRead, { environment: "dev" }, MS)).rejects.toMatchObject(invalid);
  });

  test("with settings that a server alone cannot keep says so, and nothing is created", async () => {
    const fleet = await testFleet({ replicas: 3, isSetUp: false });
    const adam = await fleet.as("adam");
    await expect(adam.setUp()).rejects.toMatchObject({
      kind: "FLEET_FAILED",
      body: { details: expect.stringMatching(/replicas > 1 not supported/) },
    });
    expect((await adam.check()).problems).toContain("The stream svcm_nodes is missing.");
  });
});
