/**
 * Validates the document named by its first argument with the core alone, without the command line and its limit of 4
 * MiB. `bench/validate.ts` bundles it for sizes that the product refuses.
 */
import { readFileSync } from "node:fs";
import { packagedCapabilityMatrix, packagedRuntimeContract } from "../src/core/facts/packaged.generated.ts";
import { decodeUtf8 } from "../src/core/words/utf8.ts";
import { validateSource } from "../src/core/deployments/validate.ts";
import { readSource } from "../src/core/yaml/read.ts";

const [, , file = ""] = process.argv;
const source = readSource(decodeUtf8(readFileSync(file)) ?? "", file);
const issues = validateSource(source, { contract: packagedRuntimeContract, matrix: packagedCapabilityMatrix });
console.log(issues.length === 0 ? "valid" : `${issues.length} issues`);
process.exitCode = issues.length === 0 ? 0 : 1;
