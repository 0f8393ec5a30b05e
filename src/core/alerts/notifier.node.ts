import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { AlertMessage } from "../api/alerts.ts";
import type { Code } from "../api/issue.ts";
import { SvcmError } from "../api/errors.ts";
import type { Notifier } from "./ports.ts";
import { withBasicHeader } from "../words/http.ts";
import { errorCode } from "../words/thrown.ts";

const TIMEOUT_MS = 5_000;
const COMMAND_TIMEOUT_MS = 10_000;
const ATTEMPTS = 3;
const RETRY_DELAY_MS = 1_000;
const SIGNATURE = "x-svcm-signature";

type Variables = Readonly<Record<string, string | undefined>>;

export interface NotifierOptions {
  readonly env: Variables;
  readonly cwd: string;
  readonly retryDelayMs?: number;
}

export function nodeNotifier({ env, cwd, retryDelayMs = RETRY_DELAY_MS }: NotifierOptions): Notifier {
  return {
    async send({ webhook, webhookSecret, command }, message) {
      const body = JSON.stringify(message);
      const results = await Promise.allSettled([
        webhook &&
          post(readUrl(env, webhook), body, webhookSecret === undefined ? undefined : env[webhookSecret], retryDelayMs),
        command && run(command, body, message, { env, cwd }),
      ]);
      for (const { status, ...outcome } of results)
        if (status === "rejected") throw (outcome as { reason: unknown }).reason;
    },
    async sendHeartbeat({ heartbeat }) {
      if (heartbeat !== undefined) await request("heartbeat", readUrl(env, heartbeat), { method: "GET" });
    },
    missingVariables: ({ webhook, webhookSecret, heartbeat }) => [
      ...[webhook, heartbeat].flatMap((name) => (name !== undefined && !isUrl(env[name]) ? [name] : [])),
      ...(webhookSecret !== undefined && !env[webhookSecret] ? [webhookSecret] : []),
    ],
  };
}

function isUrl(text: string | undefined): text is string {
  return text !== undefined && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function readUrl(env: Variables, variable: string): string {
  const url = env[variable];
  if (isUrl(url)) return url;
  throw alertError(`The variable ${variable} is not set to an http or https URL.`, "ALERT_VARIABLE_MISSING");
}

async function post(url: string, body: string, secret: string | undefined, retryDelayMs: number): Promise<void> {
  const signed = secret ? { [SIGNATURE]: `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` } : {};
  const init = { method: "POST", body, headers: { "content-type": "application/json", ...signed } };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request("webhook", url, init);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await pause(retryDelayMs);
    }
  }
}

interface Init {
  readonly method: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The URL may contain a token, so no message quotes it. A redirect could lead anywhere. */
async function request(target: "webhook" | "heartbeat", url: string, init: Init): Promise<void> {
  let status: number;
  try {
    const { url: address, headers } = withBasicHeader(url);
    const response = await fetch(address, {
      ...init,
      headers: { ...init.headers, ...headers },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    ({ status } = response);
  } catch (error) {
    const code = errorCode((error as { readonly cause?: unknown }).cause);
    const reason =
      error instanceof Error && error.name === "TimeoutError" ? `no answer in ${TIMEOUT_MS / 1000} s` : code;
    throw alertError(`The ${target} could not be reached: ${reason}.`);
  }
  if (status < 200 || status > 299)
    throw alertError(`The ${target} answered with status ${status}. Accepted: 200 to 299.`);
}

function run(
  [program = "", ...args]: readonly string[],
  body: string,
  { state, rule, subject }: AlertMessage,
  { env, cwd }: Pick<NotifierOptions, "env" | "cwd">,
): Promise<void> {
  const { PATH, HOME, USER, LANG } = env;
  const variables = { ALERT_STATE: state, ALERT_RULE: rule ?? "", ALERT_SUBJECT: subject };
  const child = spawn(program, args, {
    cwd,
    env: { PATH, HOME, USER, LANG, ...variables },
    stdio: ["pipe", "ignore", "ignore"],
    timeout: COMMAND_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  // The command may exit without reading.
  child.stdin.on("error", () => undefined);
  child.stdin.end(body);
  return new Promise((resolve, reject) => {
    child.once("error", (error) => reject(alertError(`The command could not be started: ${errorCode(error)}.`)));
    child.once("close", (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          alertError(
            `The command ended with ${signal ?? `code ${code}`}. Accepted: code 0 within ${COMMAND_TIMEOUT_MS / 1000} s.`,
          ),
        );
    });
  });
}

function alertError(details: string, code: Code = "ALERT_FAILED"): SvcmError {
  return new SvcmError("ALERT_FAILED", { details, code });
}
