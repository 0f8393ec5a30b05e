import { quoteValue } from "../../findings/quote-value.ts";
import { acceptedText } from "../../findings/rule.ts";
import { type Rule } from "../rule.ts";

export const ENTRYPOINT_EXAMPLE = "src/interface/HTTP/start-rest-api.ts";
export const ENTRYPOINT = /^src\/interface\/[\w-]+(\/[\w-]+)*\.(ts|js)$/;

export const interfaceEntrypoint: Rule = {
  code: "INTERFACE_ENTRYPOINT_INVALID",
  severity: "error",
  summary: "An entrypoint is not a TypeScript or JavaScript path under src/interface/.",
  explanation:
    "An entrypoint is a path relative to the repository. It is inside src/interface/ and ends in .ts or .js.",
  remedy: "Give a path such as `src/interface/HTTP/start-rest-api.ts`.",
  check({ entry: { entrypoint } }) {
    if (typeof entrypoint === "string" && ENTRYPOINT.test(entrypoint)) return [];
    const words = entrypoint === undefined ? " is missing" : `: ${quoteValue(entrypoint)} ${faultOf(entrypoint)}`;
    return [{ path: ["entrypoint"], message: acceptedText(`entrypoint${words}`, `for example ${ENTRYPOINT_EXAMPLE}`) }];
  },
};

function faultOf(entrypoint: unknown): string {
  if (typeof entrypoint !== "string" || !entrypoint.startsWith("src/interface/")) return "is not under src/interface/";
  if (!/\.(ts|js)$/.test(entrypoint)) return "does not end in .ts or .js";
  return "has a part that is not made of letters, digits, _ and -";
}
