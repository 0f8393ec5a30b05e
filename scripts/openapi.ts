import { readFileSync } from "node:fs";
import { packagedCapabilityMatrix, packagedRuntimeContract } from "../src/core/facts/packaged.generated.ts";
import { openApiDocument } from "../src/server/openapi.ts";

/** The API's description for clients that generate code from it, with what the packaged contract accepts. */
export function openApiJson(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return `${JSON.stringify(openApiDocument({ contract: packagedRuntimeContract, matrix: packagedCapabilityMatrix, version }), null, 2)}\n`;
}
