/** A repository with an env file, a program that proposes, and a user who decides. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  execute,
  nodePorts,
  proposalApprove,
  proposalCreate,
  proposalDeny,
  proposalList,
  proposalRun,
  SvcmError,
  type Caller,
  type Ports,
} from "../../../src/core/index.ts";
import type { Proposal } from "../../../src/core/api/proposals.ts";
import { repository } from "../../server/support.ts";

export const KEY = "SVC_HTTP_FRAMEWORK";
export const HOUR = 3_600_000;
export const program: Caller = {
  source: "mcp",
  actor: "robot",
  client: "an editor",
  grants: ["read", "propose"],
  role: "viewer",
};
export const person: Caller = { source: "cli", actor: "ann", grants: ["read", "write", "admin"] };
export const byToken = (actor: string): Caller => ({
  source: "http",
  actor,
  grants: ["read", "write"],
  role: "editor",
});

export function world() {
  const files = repository();
  const real = nodePorts({ root: files.root, env: { PM2_HOME: join(files.root, ".pm2") }, cwd: files.root });
  // Time passes only by hand, so that a busy machine ends no proposal.
  let nowMs = real.clock.now();
  const clock = { ...real.clock, now: () => nowMs };
  const ports = Object.create(real, { clock: { value: clock } }) as Ports;
  const file = join(files.root, ".svcm/proposals.json");
  const propose = (value = "fastify", caller = program) =>
    execute(proposalCreate, ports, { kind: "env.write", environment: "dev", values: { [KEY]: value } }, caller);
  const approve = ({ id, planId }: Proposal, caller = person, by = ports) =>
    execute(proposalApprove, by, { id, planId }, caller);
  return {
    ports,
    files,
    file,
    propose,
    approve,
    run: ({ id }: Proposal, caller = program, by = ports) => execute(proposalRun, by, { id }, caller),
    deny: ({ id }: Proposal) => execute(proposalDeny, ports, { id }, person),
    stateOf: async ({ id }: Proposal) =>
      (await execute(proposalList, ports, {}, person)).proposals.find((one) => one.id === id)?.state,
    value: () => new RegExp(`^${KEY}=(.*)$`, "m").exec(readFileSync(files.envFile("dev"), "utf8"))?.[1],
    pass: (ms: number) => void (nowMs += ms),
  };
}

export async function codeOf(done: Promise<unknown>): Promise<string> {
  const error: unknown = await done.then(
    () => new Error("it was not refused"),
    (refusal: unknown) => refusal,
  );
  if (error instanceof SvcmError) return error.body.code ?? error.kind;
  throw error;
}
