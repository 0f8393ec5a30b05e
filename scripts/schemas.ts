/** For editors and client generators. */
import { readFileSync } from "node:fs";
import { asyncApiDocument } from "../src/core/api/asyncapi.ts";
import { documentSchema } from "../src/core/deployments/schema/document.ts";
import { jsonSchemaOf } from "../src/core/project/facts/json-schema.ts";
import {
  packagedCapabilityMatrix as matrix,
  packagedRuntimeContract as contract,
} from "../src/core/project/facts/packaged.generated.ts";
import { ecosystemSpellings } from "../src/core/project/resolve.ts";
import { openApiDocument } from "../src/server/openapi.ts";

const documents = {
  "runtime-contract": () => jsonSchemaOf("runtime-contract"),
  "capability-matrix": () => jsonSchemaOf("capability-matrix"),
  svcm: () => jsonSchemaOf("svcm"),
  deployments: () => documentSchema({ contract, matrix }),
  asyncapi: () => asyncApiDocument([...ecosystemSpellings(contract, matrix).keys()]),
  openapi: () => openApiDocument({ contract, matrix, version: packageVersion() }),
};

export type SchemaName = keyof typeof documents;

export function schemaText(name: SchemaName): string {
  return `${JSON.stringify(documents[name](), null, 2)}\n`;
}

function packageVersion(): string {
  const pjson = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  return pjson.version;
}
