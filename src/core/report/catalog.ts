import { rules } from "../suite/rules/index.ts";
import { shapeCodes } from "../suite/shape.ts";
import { type CodeDoc, codeDocs } from "./codes.ts";
import { processCodes } from "./process-codes.ts";
import { telemetryCodes } from "./telemetry-codes.ts";

const ofRules: Readonly<Record<string, CodeDoc>> = Object.fromEntries(
  Object.values(rules).flatMap((list) =>
    list.map(({ code, summary, explanation }) => [code, { summary, explanation }]),
  ),
);

/** Every code with its documentation, by what it is about: the source of `svcm explain` and of the reference. */
export const catalog: Readonly<Record<string, Readonly<Record<string, CodeDoc>>>> = {
  ...codeDocs,
  "PM2 and processes": processCodes,
  Telemetry: telemetryCodes,
  "Suite document": { ...codeDocs["Suite document"], ...shapeCodes, ...ofRules },
};

/** What is known of a code: its summary stands for an explanation where it has none. */
export function docOf(code: string): (Required<CodeDoc> & { readonly topic: string }) | undefined {
  for (const [topic, codes] of Object.entries(catalog)) {
    const doc = Object.hasOwn(codes, code) ? codes[code] : undefined;
    if (doc) return { topic, summary: doc.summary, explanation: doc.explanation ?? doc.summary };
  }
  return undefined;
}
