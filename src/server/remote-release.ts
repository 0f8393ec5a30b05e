import { setTimeout as pause } from "node:timers/promises";
import type { Begun, Release } from "../core/api/rollout.ts";
import { releaseList, type Operation } from "../core/index.ts";

type Ask = <Input, Output>(operation: Operation<Input, Output>, input: Input, timeoutMs: number) => Promise<Output>;

const LOOK_MS = 500;
const READ_MS = 10_000;
/** A node answers when the release has ended. */
const LONGEST_MS = 3_600_000;

/** The node answers only at the end, so its releases show that one has begun. @throws {SvcmError} as `ask` */
export async function begunOn<Input>(
  ask: Ask,
  { operation, input }: { readonly operation: Operation<Input, unknown>; readonly input: Input },
): Promise<Begun> {
  const newest = async (): Promise<Release | undefined> => (await ask(releaseList, {}, READ_MS)).releases[0];
  const before = await newest();
  const running = ask(operation, input, LONGEST_MS).then(begunOf);
  // Its release shows a failure after the first step.
  running.catch(() => undefined);
  for (;;) {
    const ended = await Promise.race([running, pause(LOOK_MS)]);
    if (ended !== undefined) return ended;
    const release = await newest();
    if (release !== undefined && release.id !== before?.id) return { release: release.id };
  }
}

/** An apply answers its plan and its release, and a rollback its release. */
function begunOf(output: unknown): Begun {
  const { release, id = null } = output as { readonly release?: Release | null; readonly id?: string };
  return { release: release === undefined ? id : (release?.id ?? null) };
}
