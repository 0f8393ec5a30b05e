/** Increments the number in a file as often as requested. */
import { dirname } from "node:path";
import { nodeFiles } from "../../../src/core/files/index.ts";

const [path = "", times = "1"] = process.argv.slice(2);
const files = nodeFiles({ allowedFolders: [dirname(path)], lockTimeoutMs: 60_000 });
const plusOne = (bytes: Uint8Array) => Buffer.from(String(Number(Buffer.from(bytes).toString()) + 1));

for (let time = 0; time < Number(times); time++) {
  await files.replace(path, plusOne);
}
