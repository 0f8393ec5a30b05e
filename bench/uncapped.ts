/**
 * Validates with the core alone, because the command line refuses documents above 4 MiB. `bench/validate.ts` bundles
 * it.
 */
import { readFileSync } from "node:fs";
import { packagedCapabilityMatrix, packagedRuntimeContract } from "../src/core/project/facts/packaged.generated.ts";
import { decodeUtf8 } from "../src/core/words/utf8.ts";
import { validateSource } from "../src/core/deployments/validate.ts";
import { readSource } from "../src/core/yaml/read.ts";

const [, , file = ""] = process.argv;
const source = readSource(decodeUtf8(readFileSync(file)) ?? "", file);
const issues = validateSource(source, { contract: packagedRuntimeContract, matrix: packagedCapabilityMatrix });
console.log(issues.length === 0 ? "valid" : `${issues.length} issues`);
process.exitCode = issues.length === 0 ? 0 : 1;
