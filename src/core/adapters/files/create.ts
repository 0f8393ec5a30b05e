import { lstatSync } from "node:fs";
import type { Files } from "../../ports/index.ts";
import { refuse } from "./file-error.ts";
import { putInPlace, writeNew } from "./put-in-place.ts";
import { tooLarge } from "./read.ts";
import type { Surroundings } from "./replace.ts";

const MODE = 0o666;

export function creator({ folders, locks, maxBytes }: Surroundings): Files["create"] {
  return async (path, content, beforeWrite) => {
    if (content.length > maxBytes) throw tooLarge("write", path, maxBytes);
    const target = await folders.resolveNew(path);
    await locks.hold({ target, path }, async (nonce) => {
      refuseExisting(target, path);
      await beforeWrite?.();
      await putInPlace(
        { target, path, nonce },
        (temporary) => writeNew(temporary, content, MODE),
        () => refuseExisting(target, path),
      );
    });
  };
}

function refuseExisting(target: string, path: string): true {
  if (lstatSync(target, { throwIfNoEntry: false }) === undefined) return true;
  throw refuse("EEXIST", "create", path, "it exists");
}
