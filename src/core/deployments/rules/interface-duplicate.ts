import { quoteValue } from "../../findings/quote-value.ts";
import type { Finding } from "../../findings/rule.ts";
import { type Candidate, textField } from "../candidate.ts";
import { type Rule } from "../rule.ts";

export const interfaceDuplicate: Rule = {
  code: "INTERFACE_DUPLICATE",
  severity: "error",
  summary: "Two interface adapters are the same.",
  explanation: "No two adapters have the same type and entrypoint, and no two have the same controller mapping.",
  remedy: "Delete one of the two (`svcm interfaces remove <number>`), or change its entrypoint or controller.",
  check({ entry, siblings }) {
    const [type, entrypoint, controller] = ["type", "entrypoint", "controller"].map((field) => textField(entry, field));
    const findings: Finding[] = [];
    if (siblings.has(entry, entrypointKey)) {
      findings.push({
        path: ["entrypoint"],
        message: `entrypoint: another ${type} adapter starts at ${quoteValue(entrypoint)}`,
      });
    }
    if (siblings.has(entry, controllerKey)) {
      findings.push({
        path: ["controller"],
        message: `controller: ${quoteValue(controller)} is mapped by another adapter`,
      });
    }
    return findings;
  },
};

function entrypointKey(adapter: Candidate): string | undefined {
  const entrypoint = textField(adapter, "entrypoint");
  return entrypoint === "" ? undefined : `${textField(adapter, "type")}\n${entrypoint}`;
}

function controllerKey(adapter: Candidate): string | undefined {
  return textField(adapter, "controller") || undefined;
}
