import type { HasProcesses } from "../../pm2/port-processes.ts";
import type { HasClock } from "../../files/ports.ts";
import type { ApplyPorts } from "../ports.ts";
import type { Code } from "../../api/issue.ts";
import { SvcmError } from "../../api/errors.ts";
import { actOn } from "../control/act-on.ts";
import { ifRunning, listOrEmpty } from "../../pm2/list.ts";
import { startDeclared } from "../control/start-declared.ts";
import type { Declaration } from "../../pm2/declared.ts";
import type { Fields } from "../../pm2/normalise.ts";
import { POLL_INTERVAL_MS, DEFAULT_TIMEOUT_MS } from "../control/verify.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";

import { waitUntilHealthy, type HealthRequirement } from "./gate.ts";

const TRIAL_PREFIX = "svcm-preflight-";

/** In a backend that follows the startup contract. */
const PORT_KEYS = ["SVC_HTTP_PORT", "SVC_GRPC_PORT"];

/** @throws {SvcmError} PREFLIGHT_FAILED with the code of the reason */
export async function preflight(
  ports: ApplyPorts,
  declared: Declaration,
  requirement: HealthRequirement,
): Promise<void> {
  const { probe, deadlineMs: timeoutMs } = requirement;
  if (probe === undefined || probe.portKey === null) return;
  const keys = [...new Set([probe.portKey, ...PORT_KEYS])];
  const spare = await ports.health.freePorts(keys.length);
  const env = Object.fromEntries(keys.map((key, index) => [key, String(spare[index])]));
  const name = `${TRIAL_PREFIX}${declared.name}`;
  const app = createTrialApp(name, declared, { ...declared.env, ...env });
  const context = { ports, action: "start", begin: () => Promise.resolve(), timeoutMs, stableMs: 0 } as const;
  try {
    const { affected } = await startDeclared(context, { ...declared, name, apps: [app] });
    for (const one of affected)
      await waitUntilHealthy(ports, one, { ...requirement, probe: { ...probe, port: Number(env[probe.portKey]) } });
  } catch (error) {
    throw error instanceof SvcmError ? preflightFailed(declared.name, error) : error;
  } finally {
    await deleteTrials(ports, await listOrEmpty(ports.processes), timeoutMs);
  }
}

/** Fields that would restart the trial process, start another one, or write to files of the app. */
const OMITTED_FIELDS = new Set(
  `instances exec_mode execMode watch cron cron_restart max_memory_restart increment_var port pid pid_file log log_file
   out output out_log out_file error err err_log err_file error_file name_prefix append_env_to_name`.split(/\s+/),
);

function createTrialApp(name: string, { apps }: Declaration, env: Readonly<Record<string, string>>): Fields {
  const fields = Object.entries(apps.at(-1) ?? {}).filter(([field]) => !OMITTED_FIELDS.has(field));
  const overrides = {
    exec_mode: "fork",
    autorestart: false,
    watch: false,
    out_file: "/dev/null",
    error_file: "/dev/null",
  };
  return { ...Object.fromEntries(fields), ...overrides, name, env };
}

/**
 * Cleans up after an svcm process that was killed. Until PM2 has finished that action, it shows the process as stopping
 * or does not list it, so a plan would be outdated at once.
 * @throws {SvcmError} PROCESS_ACTION_REFUSED with the code `PROCESS_UNLISTED`
 */
export async function recover(ports: ApplyPorts): Promise<void> {
  const { list, unlisted } = await waitForRest(ports);
  if (unlisted.length > 0)
    throw new SvcmError("PROCESS_ACTION_REFUSED", {
      code: "PROCESS_UNLISTED",
      details: `PM2 runs processes that are not in its list, with these process ids: ${unlisted.join(", ")}. In a cluster they answer requests beside the listed ones.`,
      hint: `Check them, end them, and try again: kill ${unlisted.join(" ")}`,
    });
  await deleteTrials(ports, list, DEFAULT_TIMEOUT_MS);
}

async function deleteTrials(ports: ApplyPorts, list: readonly ProcessRecord[], timeoutMs: number): Promise<void> {
  for (const record of list.filter(({ name }) => name.startsWith(TRIAL_PREFIX)))
    await actOn({ ports, action: "delete", begin: () => Promise.resolve(), timeoutMs }, record);
}

interface RestingState {
  readonly list: readonly ProcessRecord[];
  /** During a reload, PM2 does not list the old run. */
  readonly unlisted: readonly number[];
}

async function waitForRest({ processes, clock }: HasClock & HasProcesses): Promise<RestingState> {
  const deadline = clock.elapsed() + DEFAULT_TIMEOUT_MS;
  for (;;) {
    const list = await listOrEmpty(processes);
    const unlisted = (await ifRunning(() => processes.unlistedPids())) ?? [];
    const isAtRest = unlisted.length === 0 && list.every(({ status }) => status !== "stopping");
    if (isAtRest || clock.elapsed() >= deadline) return { list, unlisted };
    await clock.sleep(POLL_INTERVAL_MS);
  }
}

function preflightFailed(app: string, { body, message }: SvcmError): SvcmError {
  const code: Code = "PREFLIGHT_FAILED";
  return new SvcmError("PREFLIGHT_FAILED", {
    code,
    details: `${app} is not healthy on a spare port: ${message.replaceAll(TRIAL_PREFIX, "").replace(/^.* \(id \d+\) is not healthy\. /, "")}`,
    ...(body.hint !== undefined && { hint: body.hint }),
  });
}
