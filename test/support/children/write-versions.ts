/** Writes one version of a file after the other, saying so before and after each, until killed. */
import { dirname } from "node:path";
import { nodeFiles } from "../../../src/core/adapters/files/index.ts";
import { contentOf, versionOf } from "../versions.ts";

const [path = ""] = process.argv.slice(2);
const files = nodeFiles({ allowedFolders: [dirname(path)] });

for (let version = versionOf(await files.read(path)) + 1; ; version++) {
  console.log(`begin ${version}`);
  await files.replace(path, () => contentOf(version));
  console.log(`done ${version}`);
}
