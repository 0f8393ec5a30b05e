import { readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newNonce, readHolder, serializeHolder, thisProcess } from "../../../../src/core/adapters/files/holder.ts";
import type { Verdict } from "../../../../src/core/adapters/files/holder.ts";
import { claimName } from "../../../../src/core/adapters/files/names.ts";
import { contend, type Contender } from "../../../../src/core/adapters/files/succession.ts";
import { discard } from "../../../../src/core/adapters/files/system.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const SELF = await thisProcess();

/** A lock whose holder is dead, and contenders whose judgement can be held up by what happens in between. */
function setUp() {
  const folder = temporaryFolder();
  const lock = join(folder, "lock");
  const dead = new Set<string>();
  const leave = (place: string) => {
    const nonce = newNonce(SELF);
    dead.add(nonce);
    symlinkSync(serializeHolder(nonce, SELF), place);
    return nonce;
  };
  const contender = (meanwhile: (() => Promise<void>)[] = []): Contender => {
    const nonce = newNonce(SELF);
    return {
      lock,
      nonce,
      content: serializeHolder(nonce, SELF),
      judge: async (holder): Promise<Verdict> => {
        const verdict = dead.has(holder.nonce) ? "dead" : "alive";
        await meanwhile.shift()?.();
        return verdict;
      },
    };
  };
  const holderNonce = async () => (await readHolder(lock))?.nonce;
  return { lock, leave, contender, holderNonce, names: () => readdirSync(folder).toSorted() };
}

describe("who found a holder dead, but was slow,", () => {
  test("does not take the lock from the one that has succeeded it since", async () => {
    const { lock, leave, contender, holderNonce, names } = setUp();
    leave(lock);
    const fast = contender();
    const slow = contender([async () => expect(await contend(fast)).toBe("succeeded")]);
    expect(await contend(slow)).toBe("moved");
    expect(await contend(slow)).toMatchObject({ nonce: fast.nonce });
    expect(await holderNonce()).toBe(fast.nonce);
    expect(names()).toEqual(["lock"]);
  });

  test("does not take it either when it has become free and was taken again since", async () => {
    const { lock, leave, contender, holderNonce, names } = setUp();
    leave(lock);
    const [first, second] = [contender(), contender()];
    const slow = contender([
      async () => {
        await contend(first);
        await discard(lock);
        expect(await contend(second)).toBe("free");
      },
    ]);
    expect(await contend(slow)).toBe("moved");
    expect(await holderNonce()).toBe(second.nonce);
    expect(names()).toEqual(["lock"]);
  });

  test("does not take it through the claim of another dead one either", async () => {
    const { lock, leave, contender, holderNonce, names } = setUp();
    const claimant = leave(claimName(lock, leave(lock)));
    const fast = contender();
    const slow = contender([() => Promise.resolve(), async () => expect(await contend(fast)).toBe("succeeded")]);
    expect(await contend(slow)).toBe("moved");
    expect(await holderNonce()).toBe(fast.nonce);
    expect(names()).toEqual(["lock"]);
    expect(claimant).not.toBe(fast.nonce);
  });

  test("waits for the one that is about to succeed it", async () => {
    const { lock, leave, contender, holderNonce } = setUp();
    const first = leave(lock);
    const busy = contender();
    symlinkSync(busy.content, claimName(lock, first));
    expect(await contend(contender())).toMatchObject({ nonce: busy.nonce });
    expect(await holderNonce()).toBe(first);
  });
});

test("who was told that a lock exists that it made itself has it", async () => {
  const { lock, contender } = setUp();
  const us = contender();
  symlinkSync(us.content, lock);
  expect(await contend(us)).toBe("succeeded");
});
