import { describe, expect, test } from "vitest";
import { nodePrometheus, PROMETHEUS_URL } from "../../../src/core/history/prometheus.node.ts";
import { SvcmError } from "../../../src/core/index.ts";
import { startWebhookReceiver } from "../../support/receiver.ts";

const QUERY = { query: "up", startMs: 60_000, endMs: 120_000, stepMs: 60_000 };
const EMPTY = JSON.stringify({ status: "success", data: { resultType: "matrix", result: [] } });

const at = (url: string, patienceMs?: number) => nodePrometheus({ [PROMETHEUS_URL]: url }, patienceMs);

async function refusal(work: Promise<unknown>): Promise<SvcmError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SvcmError);
  return error as SvcmError;
}

test.each([{}, { [PROMETHEUS_URL]: "  " }])("the Prometheus of %j is not set", (env) => {
  expect(nodePrometheus(env).isConfigured).toBe(false);
});

test("a query is sent with its range and a time-out, and the password only as a header", async () => {
  const { received, url } = await startWebhookReceiver((response) => response.end(EMPTY));
  const address = `${url.replace("//", "//ops:p%40ss@")}/`;
  expect(await at(address).queryRange(QUERY)).toEqual([]);
  const [{ method, headers, body } = { method: "", headers: {}, body: "" }] = received;
  expect(method).toBe("POST");
  expect(headers.authorization).toBe(`Basic ${Buffer.from("ops:p@ss").toString("base64")}`);
  expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
    query: "up",
    start: "60",
    end: "120",
    step: "60",
    timeout: "10000ms",
  });
});

describe("if Prometheus cannot answer, the error has the reason, but not the address", () => {
  test.each<[string, Parameters<typeof startWebhookReceiver>[0], RegExp, number?]>([
    [
      "refuses the query",
      (response) =>
        response.writeHead(422).end('{"status":"error","error":"query processing would load too many samples"}'),
      /status 422: query processing would load too many samples/,
    ],
    ["is another program", (response) => response.end("<html>"), /status 200: Another program answered/],
    ["redirects", (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(), /status 302/],
    ["does not answer", () => undefined, /did not answer in 0\.05 s/, 50],
    ["stops in the middle", (response) => void response.write('{"status":'), /did not answer in 0\.05 s/, 50],
    ["cuts the connection", (response) => void response.destroy(), /could not be reached/],
  ])("%s", async (_what, answer, words, patienceMs) => {
    const { url } = await startWebhookReceiver(answer);
    const error = await refusal(at(url, patienceMs).queryRange(QUERY));
    expect(error).toMatchObject({ kind: "HISTORY_FAILED", body: { code: "PROMETHEUS_FAILED" } });
    expect(error.message).toMatch(words);
    expect(error.message).not.toContain("canary");
  });

  test("the response has no end", async () => {
    const megabyte = "x".repeat(2 ** 20);
    const { url } = await startWebhookReceiver((response) => {
      const more = (): void => void response.write(megabyte, () => response.destroyed || more());
      more();
    });
    const error = await refusal(at(url).queryRange(QUERY));
    expect(error.body.code).toBe("PROMETHEUS_ANSWER_TOO_LARGE");
    expect(error.message).toMatch(/more than 32 MiB.*fewer series or points/);
  });

  test.each(["prometheus:9090", "ftp://canary/", "http://canary/?x=1"])("has an address such as %s", async (url) => {
    const error = await refusal(at(url).queryRange(QUERY));
    expect(error.message).toMatch(/SVC_SERVICE_MANAGEMENT_PROMETHEUS_URL is not an http or https URL/);
    expect(error.message).not.toContain("canary");
  });

  test("a query is aborted if the caller disconnects", async () => {
    const { url } = await startWebhookReceiver(() => undefined);
    const leaving = new AbortController();
    const asking = at(url).queryRange(QUERY, leaving.signal);
    leaving.abort(new Error("left"));
    await expect(asking).rejects.toThrow("left");
  });
});
