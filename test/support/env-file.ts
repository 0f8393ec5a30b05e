import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { nodeFiles } from "../../src/core/files/index.ts";
import { contentOf } from "./versions.ts";

export const OLD = contentOf(1);
export const NEW = contentOf(2);

/** The output of `children/replace.ts` for a refused write. */
export interface Refusal {
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

/** An env file with the old content, an adapter that writes it, and the checks that follow every refusal. */
export function envFile(folder: string) {
  const path = join(folder, ".env.dev");
  writeFileSync(path, OLD);
  const files = nodeFiles({ allowedFolders: [folder] });
  return {
    path,
    replaceBy: async (content: Buffer) => await files.replace(path, () => content),
    /** The content is unchanged, byte for byte, and only the given files are beside it. */
    expectUntouched: (...others: string[]) => {
      expect(readFileSync(path)).toEqual(OLD);
      expect(readdirSync(folder).toSorted()).toEqual([".env.dev", ...others].toSorted());
    },
  };
}
