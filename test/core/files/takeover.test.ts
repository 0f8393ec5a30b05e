import { readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  claimName,
  type Contender,
  type HolderState,
  newNonce,
  readHolder,
  serializeHolder,
  tryAcquire,
} from "../../../src/core/files/takeover.ts";
import { identifyProcess } from "../../../src/core/files/proc.ts";
import { discard } from "../../../src/core/files/system.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const SELF = await identifyProcess();

/** A lock whose holder is dead, and processes that can be paused between checking and taking the lock. */
function setUp() {
  const folder = temporaryFolder();
  const lock = join(folder, "lock");
  const dead = new Set<string>();
  const leave = (place: string) => {
    const nonce = newNonce();
    dead.add(nonce);
    symlinkSync(serializeHolder(nonce, SELF), place);
    return nonce;
  };
  const contender = (meanwhile: (() => Promise<void>)[] = []): Contender => {
    const nonce = newNonce();
    return {
      lock,
      nonce,
      content: serializeHolder(nonce, SELF),
      judge: async (holder): Promise<HolderState> => {
        const state = dead.has(holder.nonce) ? "dead" : "alive";
        await meanwhile.shift()?.();
        return state;
      },
    };
  };
  const holderNonce = async () => (await readHolder(lock))?.nonce;
  return { lock, leave, contender, holderNonce, names: () => readdirSync(folder).toSorted() };
}

describe("a process that found the holder dead, but was slow,", () => {
  test("does not take the lock from a faster successor", async () => {
    const { lock, leave, contender, holderNonce, names } = setUp();
    leave(lock);
    const fast = contender();
    const slow = contender([async () => expect(await tryAcquire(fast)).toBe("taken-over")]);
    expect(await tryAcquire(slow)).toBe("changed");
    expect(await tryAcquire(slow)).toMatchObject({ nonce: fast.nonce });
    expect(await holderNonce()).toBe(fast.nonce);
    expect(names()).toEqual(["lock"]);
  });

  test("does not take a lock that was released and taken again", async () => {
    const { lock, leave, contender, holderNonce, names } = setUp();
    leave(lock);
    const [first, second] = [contender(), contender()];
    const slow = contender([
      async () => {
        await tryAcquire(first);
        await discard(lock);
        expect(await tryAcquire(second)).toBe("acquired");
      },
    ]);
    expect(await tryAcquire(slow)).toBe("changed");
    expect(await holderNonce()).toBe(second.nonce);
    expect(names()).toEqual(["lock"]);
  });

  test("does not take the lock with the claim of another dead process", async () => {
    const { lock, leave, contender, holderNonce, names } = setUp();
    const claimant = leave(claimName(lock, leave(lock)));
    const fast = contender();
    const slow = contender([() => Promise.resolve(), async () => expect(await tryAcquire(fast)).toBe("taken-over")]);
    expect(await tryAcquire(slow)).toBe("changed");
    expect(await holderNonce()).toBe(fast.nonce);
    expect(names()).toEqual(["lock"]);
    expect(claimant).not.toBe(fast.nonce);
  });

  test("waits for the owner of the claim", async () => {
    const { lock, leave, contender, holderNonce } = setUp();
    const first = leave(lock);
    const busy = contender();
    symlinkSync(busy.content, claimName(lock, first));
    expect(await tryAcquire(contender())).toMatchObject({ nonce: busy.nonce });
    expect(await holderNonce()).toBe(first);
  });
});

test("a process whose own link is reported as EEXIST has the lock", async () => {
  const { lock, contender } = setUp();
  const us = contender();
  symlinkSync(us.content, lock);
  expect(await tryAcquire(us)).toBe("taken-over");
});
