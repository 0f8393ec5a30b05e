import { createHmac } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { alertsTest } from "../../../src/core/alerts/operations/alerts.ts";
import { nodeNotifier } from "../../../src/core/alerts/notifier.node.ts";
import type { AlertMessage } from "../../../src/core/api/alerts.ts";
import { SvcmError } from "../../../src/core/index.ts";
import { startWebhookReceiver, RECEIVER_SECRET as CANARY } from "../../support/receiver.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const MESSAGE: AlertMessage = {
  version: 1,
  text: "ALERT on shop-01: disk. / has 1.0 GiB free of 100.0 GiB.",
  state: "firing",
  rule: "disk",
  subject: "/",
  details: "/ has 1.0 GiB free of 100.0 GiB.",
  host: "shop-01",
  workspace: "/srv/app",
  at: "2030-01-01T00:00:00.000Z",
  since: "2030-01-01T00:00:00.000Z",
  leftOut: 0,
};

const NOTHING = { webhook: undefined, webhookSecret: undefined, command: undefined, heartbeat: undefined, rules: {} };

function notifier(env: Readonly<Record<string, string>>, cwd = temporaryFolder()) {
  return nodeNotifier({ env: { PATH: process.env["PATH"], ...env }, cwd, retryDelayMs: 0 });
}

async function failureOf(sending: Promise<void>): Promise<SvcmError> {
  const error: unknown = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SvcmError);
  return error as SvcmError;
}

describe("a webhook", () => {
  test("gets the message as JSON, signed with the secret", async () => {
    const { received, url } = await startWebhookReceiver();
    await notifier({ HOOK: url, KEY: CANARY }).send({ ...NOTHING, webhook: "HOOK", webhookSecret: "KEY" }, MESSAGE);
    const [{ method, headers, body } = { method: "", headers: {}, body: "" }] = received;
    expect(received).toHaveLength(1);
    expect(method).toBe("POST");
    expect(headers["content-type"]).toBe("application/json");
    expect(JSON.parse(body)).toEqual(MESSAGE);
    expect(headers["x-svcm-signature"]).toBe(`sha256=${createHmac("sha256", CANARY).update(body).digest("hex")}`);
    expect(body + JSON.stringify({ ...headers, host: "" })).not.toContain(CANARY);
  });

  test("with a name and a password in its address gets them in a header", async () => {
    const { received, url } = await startWebhookReceiver();
    const address = url.replace("://", "://bot:p%40ss%zz@");
    await notifier({ HOOK: address, BEAT: address }).send({ ...NOTHING, webhook: "HOOK" }, MESSAGE);
    const { authorization = "" } = received[0]?.headers ?? {};
    expect(Buffer.from(authorization.replace("Basic ", ""), "base64").toString()).toBe("bot:p%40ss%zz");
    await notifier({ BEAT: url.replace("://", "://bot:p%40ss@") }).sendHeartbeat({ ...NOTHING, heartbeat: "BEAT" });
    expect(received[1]?.headers.authorization).toBe(`Basic ${Buffer.from("bot:p@ss").toString("base64")}`);
  });

  test("that fails twice receives the third attempt", async () => {
    const { received, url } = await startWebhookReceiver((response, count) =>
      response.writeHead(count < 3 ? 503 : 200).end(),
    );
    await notifier({ HOOK: url }).send({ ...NOTHING, webhook: "HOOK" }, MESSAGE);
    expect(received).toHaveLength(3);
  });

  test.each([
    ["refuses", 403, /status 403/],
    ["redirects", 302, /status 302/],
  ])("that %s is a failure, which does not show its address", async (_how, status, words) => {
    const { received, url } = await startWebhookReceiver((response) =>
      response.writeHead(status, { location: "/other" }).end(),
    );
    const error = await failureOf(notifier({ HOOK: url }).send({ ...NOTHING, webhook: "HOOK" }, MESSAGE));
    expect(error.message).toMatch(words);
    expect(error.message + JSON.stringify(error.body)).not.toContain(CANARY);
    expect(received).toHaveLength(3);
  });

  test("that does not listen is a failure with the system's error code", async () => {
    const { url, close } = await startWebhookReceiver();
    await close();
    const error = await failureOf(notifier({ HOOK: url }).send({ ...NOTHING, webhook: "HOOK" }, MESSAGE));
    expect(error.message).toContain("ECONNREFUSED");
    expect(error.message).not.toContain(CANARY);
  });

  test("without its variable is a failure that names the variable, and never its value", async () => {
    const settings = { ...NOTHING, webhook: "HOOK", webhookSecret: "KEY", heartbeat: "BEAT" };
    expect(notifier({}).missingVariables(settings)).toEqual(["HOOK", "BEAT", "KEY"]);
    const wrong = notifier({ HOOK: `ftp://${CANARY}`, BEAT: "http://127.0.0.1", KEY: "k" });
    expect(wrong.missingVariables(settings)).toEqual(["HOOK"]);
    const error = await failureOf(wrong.send(settings, MESSAGE));
    expect(error.body.code).toBe("ALERT_VARIABLE_MISSING");
    expect(error.message).toContain("HOOK");
    expect(error.message).not.toContain(CANARY);
  });
});

describe("a heartbeat", () => {
  test("is one request without a body", async () => {
    const { received, url } = await startWebhookReceiver();
    await notifier({ BEAT: url }).sendHeartbeat({ ...NOTHING, heartbeat: "BEAT" });
    expect(received).toMatchObject([{ method: "GET", body: "" }]);
    await notifier({}).sendHeartbeat(NOTHING);
    expect(received).toHaveLength(1);
  });
});

describe("a command", () => {
  const program = (folder: string, code: string): string[] => {
    const file = join(folder, "notify.cjs");
    writeFileSync(file, code);
    return [process.execPath, file];
  };

  test("gets the message on its standard input, without a shell and without the environment of svcm", async () => {
    const folder = temporaryFolder();
    const code = `const fs = require("node:fs");
      fs.writeFileSync("got.json", JSON.stringify({ input: fs.readFileSync(0, "utf8"), env: process.env, args: process.argv.slice(2) }));`;
    const command = [...program(folder, code), "$(id)", "; rm x"];
    await notifier({ TOKEN: CANARY }, folder).send({ ...NOTHING, command }, MESSAGE);
    const text = readFileSync(join(folder, "got.json"), "utf8");
    const { input, env, args } = JSON.parse(text) as { input: string; env: Record<string, string>; args: string[] };
    expect(JSON.parse(input)).toEqual(MESSAGE);
    expect(args).toEqual(["$(id)", "; rm x"]);
    expect(env).toMatchObject({ ALERT_STATE: "firing", ALERT_RULE: "disk", ALERT_SUBJECT: "/" });
    expect(text).not.toContain(CANARY);
  });

  test("that ends with a code, or does not exist, is a failure", async () => {
    const folder = temporaryFolder();
    const failing = await failureOf(
      notifier({}, folder).send({ ...NOTHING, command: program(folder, "process.exit(3)") }, MESSAGE),
    );
    expect(failing.message).toContain("code 3");
    const missing = await failureOf(notifier({}).send({ ...NOTHING, command: ["/no/such/program"] }, MESSAGE));
    expect(missing.message).toContain("ENOENT");
  });

  test("does not delay the message to a webhook, and its failure is still reported", async () => {
    const { received, url } = await startWebhookReceiver();
    const settings = { ...NOTHING, webhook: "HOOK", command: ["/no/such/program"] };
    await failureOf(notifier({ HOOK: url }).send(settings, MESSAGE));
    expect(received).toHaveLength(1);
  });
});

describe("svcm alerts test", () => {
  const run = async (alerts: object | undefined) => {
    const calls: string[] = [];
    const own = {
      send: async (_: unknown, { rule, state }: AlertMessage) => void calls.push(`${state} ${String(rule)}`),
      sendHeartbeat: async () => void calls.push("heartbeat"),
    };
    const time = { now: () => Date.UTC(2030, 0, 1), elapsed: () => 0 };
    const place = { host: { name: () => "web-1" }, workspace: { root: "/srv" }, clock: time };
    const facts = { project: async () => alerts && { alerts } };
    return { ...(await alertsTest.run({ ...place, facts, notifier: own } as never, {}, {} as never)), calls };
  };

  test("sends a message and a heartbeat, and names the receivers that svcm.yaml declares", async () => {
    const calls = ["test null", "heartbeat"];
    expect(await run({ webhook: "HOOK", heartbeat: "BEAT" })).toEqual({ sent: ["webhook", "heartbeat"], calls });
    expect(await run({ command: ["notify"] })).toEqual({ sent: ["command"], calls });
  });

  test.each([undefined, { rules: {} }])("without a receiver says that none is declared: %j", async (alerts) => {
    await expect(run(alerts)).rejects.toMatchObject({ body: { code: "ALERTS_NOT_DECLARED" } });
  });
});
