/** Writes one version of a file after another, and prints a line before and after each, until it is killed. */
import { dirname } from "node:path";
import { nodeFiles } from "../../../src/core/files/index.ts";
import { contentOf, versionOf } from "../versions.ts";

const [path = ""] = process.argv.slice(2);
const files = nodeFiles({ allowedFolders: [dirname(path)] });

for (let version = versionOf(await files.read(path)) + 1; ; version++) {
  console.log(`begin ${version}`);
  await files.replace(path, () => contentOf(version));
  console.log(`done ${version}`);
}
