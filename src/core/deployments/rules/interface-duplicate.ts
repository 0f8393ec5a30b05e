import { type Rule, show } from "../rule.ts";
import { type Candidate, textOf } from "../candidate.ts";

/** Interface adapter: the two kinds of duplicate. */
export const interfaceDuplicate: Rule = {
  code: "INTERFACE_DUPLICATE",
  summary: "Two interface adapters are the same.",
  explanation: "No two adapters have the same type and entrypoint, and no two have the same controller mapping.",
  remedy: "Delete one of the two (`svcm interfaces remove <number>`), or change its entrypoint or controller.",
  check(candidate, _vocabulary, siblings) {
    const [type, entrypoint, controller] = ["type", "entrypoint", "controller"].map((field) =>
      textOf(candidate, field),
    );
    const findings = [];
    if (siblings.hold(candidate, entrypointKey)) {
      findings.push({
        field: "entrypoint",
        message: `entrypoint: another ${type} adapter starts at ${show(entrypoint)}`,
      });
    }
    if (siblings.hold(candidate, controllerKey)) {
      findings.push({ field: "controller", message: `controller: ${show(controller)} is mapped by another adapter` });
    }
    return findings;
  },
};

function entrypointKey(adapter: Candidate): string | undefined {
  const entrypoint = textOf(adapter, "entrypoint");
  return entrypoint === "" ? undefined : `${textOf(adapter, "type")}\n${entrypoint}`;
}

function controllerKey(adapter: Candidate): string | undefined {
  return textOf(adapter, "controller") || undefined;
}
