import { readFileSync } from "node:fs";
import { join } from "node:path";
import specs from "@asyncapi/specs";
import { Ajv, type AnySchema } from "ajv";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { asyncApiDocument } from "../../../src/core/api/asyncapi.ts";
import { frameExamples } from "../../../src/core/api/frame-examples.ts";
import { SOCKET_PATH } from "../../../src/core/api/channel.ts";
import {
  packagedCapabilityMatrix,
  packagedRuntimeContract,
} from "../../../src/core/project/facts/packaged.generated.ts";
import { ecosystemSpellings } from "../../../src/core/project/resolve.ts";
import { clientFrames, serverFrames } from "../../../src/core/api/frames.ts";

const ENVIRONMENTS = [...ecosystemSpellings(packagedRuntimeContract, packagedCapabilityMatrix).keys()];
const FILE = join(import.meta.dirname, "../../../schemas/asyncapi.json");
const schemas: Record<string, { safeParse(value: unknown): { success: boolean } }> = {
  ...clientFrames,
  ...serverFrames,
};

function validator() {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  return ajv;
}

const isAsyncApi = validator().compile(specs.schemasWithoutId["3.0.0"] as AnySchema);
// oxlint-disable-next-line typescript/no-explicit-any -- a document of another standard
const document: any = JSON.parse(readFileSync(FILE, "utf8"));

test("schemas/asyncapi.json is current, and valid AsyncAPI 3.0", () => {
  expect(document).toEqual(JSON.parse(JSON.stringify(asyncApiDocument(ENVIRONMENTS))));
  void isAsyncApi(document);
  expect(isAsyncApi.errors).toBeNull();
});

test.each([
  ["no info", (broken: typeof document) => delete broken.info],
  ["an unknown action", (broken: typeof document) => (broken.operations.send.action = "shout")],
  ["a malformed reference", (broken: typeof document) => (broken.operations.send.messages = [{ $ref: 1 }])],
])("the validator refuses a document with %s", (_, breakIt) => {
  const broken = structuredClone(document);
  breakIt(broken);
  expect(isAsyncApi(broken)).toBe(false);
});

test("the document has the path of the channel, and every frame in the right direction", () => {
  expect(document.channels["pm2-ws"].address).toBe(SOCKET_PATH);
  const named = (operation: { messages: { $ref: string }[] }) =>
    operation.messages.map(({ $ref }) => $ref.split("/").at(-1));
  expect(named(document.operations.receive)).toEqual(Object.keys(clientFrames));
  expect(named(document.operations.send)).toEqual(Object.keys(serverFrames));
  expect(Object.keys(document.channels["pm2-ws"].messages)).toEqual(Object.keys(document.components.messages));
});

describe.each(Object.entries(frameExamples))("the examples of %s", (name, examples) => {
  test("each example of a frame is valid against its schema and against the document", () => {
    const isFrame = validator().compile(document.components.messages[name].payload);
    expect(document.components.messages[name].examples).toHaveLength(examples.length);
    for (const { payload } of document.components.messages[name].examples) {
      expect(schemas[name]?.safeParse(payload)).toMatchObject({ success: true });
      void isFrame(payload);
      expect(isFrame.errors).toBeNull();
      expect(isFrame({ ...payload, more: 1 })).toBe(false);
      expect(schemas[name]?.safeParse({ ...payload, more: 1 }).success).toBe(false);
    }
  });
});
