import { catalog } from "../../src/core/setup/codes/catalog.ts";

/** For modules that the catalogue itself imports. */
export function renderCodes(): string {
  const codes = Object.values(catalog).flatMap(Object.keys).toSorted();
  return [
    "// Generated from src/core/setup/codes/catalog.ts by `npm run generate`.",
    "",
    "/** A code of the catalogue: `svcm explain <code>` documents it. */",
    `export type Code =\n${codes.map((code) => `  | "${code}"`).join("\n")};`,
    "",
  ].join("\n");
}
