import { rules } from "../deployments/rules/index.ts";
import { shapeCodes } from "../deployments/shape.ts";
import { codeDocs } from "./codes.ts";
import type { CodeDoc, CodeDocs } from "./codes/code-doc.ts";
import { processCodes } from "./process-codes.ts";
import { telemetryCodes } from "./telemetry-codes.ts";

const ofRules: CodeDocs = Object.fromEntries(
  Object.values(rules).flatMap((list) =>
    list.map(({ code, summary, explanation, remedy }) => [code, { summary, explanation, remedy }]),
  ),
);

/** Every code with its documentation, by what it is about: the source of `svcm explain` and of the reference. */
export const catalog: Readonly<Record<string, CodeDocs>> = {
  ...codeDocs,
  "PM2 and processes": processCodes,
  Telemetry: telemetryCodes,
  "Suite document": { ...codeDocs["Suite document"], ...shapeCodes, ...ofRules },
};

/** What is known of a code, or `undefined`. */
export function docOf(code: string): (CodeDoc & { readonly topic: string }) | undefined {
  for (const [topic, codes] of Object.entries(catalog)) {
    const doc = Object.hasOwn(codes, code) ? codes[code] : undefined;
    if (doc) return { topic, ...doc };
  }
  return undefined;
}
