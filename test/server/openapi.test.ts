import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { schemaText } from "../../scripts/schemas.ts";
import { routes } from "../../src/server/routes.ts";
import { ask, testServer } from "./support.ts";
import { longTest } from "../support/runs.ts";

const FILE = join(import.meta.dirname, "../../schemas/openapi.json");
const document = JSON.parse(readFileSync(FILE, "utf8"));

test("schemas/openapi.json is current (npm run generate)", () => {
  expect(readFileSync(FILE, "utf8")).toBe(schemaText("openapi"));
});

test("the document is valid OpenAPI 3.1", async () => {
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

longTest("the OpenAPI validator refuses a broken document", async () => {
  const broken = structuredClone(document);
  delete broken.paths["/healthz"].get.responses;
  broken.paths["/healthz"].get.parameters = [{ name: "x" }];
  expect((await new Validator().validate(broken)).valid).toBe(false);
});

longTest("the server returns the same document, with its own version", async () => {
  const { json } = await ask(await testServer(), "/api/openapi.json");
  expect(json).toEqual({ ...document, info: { ...document.info, version: "1.2.3" } });
});

test("the document has exactly the routes with a tag, each with a summary", () => {
  const described = Object.entries<object>(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const expected = routes
    .filter((route) => "operation" in route || ("content" in route && route.content !== "page"))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/, "{$1}")}`);
  expect(described).toEqual(expected);
  const tags = document.tags.map(({ name }: { name: string }) => name);
  for (const item of Object.values<Record<string, { tags: string[]; summary: string; description: string }>>(
    document.paths,
  )) {
    for (const operation of Object.values(item)) {
      expect(operation).toMatchObject({
        summary: expect.stringMatching(/\.$/),
        description: expect.stringMatching(/\.$/),
      });
      expect(tags).toEqual(expect.arrayContaining(operation.tags));
    }
  }
});

test("no component has a name that generators give to the request body of an operation", () => {
  const pascal = (id: string) => id.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());
  const operations = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => pascal(operationId)),
  );
  const taken = new Set(operations.flatMap((name) => [`${name}Body`, `${name}Params`, `${name}Response`]));
  expect(Object.keys(document.components.schemas).filter((name) => taken.has(name))).toEqual([]);
});

test("every reference resolves, and operation ids are unique", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name,
  );
  expect(references.length).toBeGreaterThan(10);
  for (const name of references) expect(Object.keys(document.components.schemas)).toContain(name);
  const ids = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});
