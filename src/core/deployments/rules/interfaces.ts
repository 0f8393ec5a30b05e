import { quoteValue } from "../../findings/text.ts";
import { acceptedText, type Finding } from "../../findings/rule.ts";
import { type Candidate, textField, acceptedBy, frameworksOf, lookup } from "../file.ts";
import { missing, notAccepted, type Rule, undeclaredValues, unknownValue } from "../rule.ts";

export const interfaceFramework: Rule = {
  code: "INTERFACE_FRAMEWORK_UNSUPPORTED",
  severity: "error",
  check({ entry, vocabulary }) {
    const { interfaceTypes } = vocabulary.matrix;
    const { type: name } = entry;
    const type = lookup(interfaceTypes, name);
    if (type) return frameworkFindings(entry, acceptedBy(vocabulary, type.frameworks));
    const types = Object.keys(interfaceTypes);
    return [
      ...(name === undefined ? [missing("type", types)] : unknownValue(entry, "type", types)),
      ...missingFramework(entry, frameworksOf(vocabulary)),
    ];
  },
};

function frameworkFindings({ framework, type }: Candidate, accepted: readonly string[]): Finding[] {
  if (framework === undefined) return missingFramework({ framework }, accepted);
  if (accepted.length === 0) return [undeclaredValues("framework")];
  if (typeof framework === "string" && accepted.includes(framework)) return [];
  return [notAccepted("framework", `${quoteValue(framework)} does not serve ${quoteValue(type)}`, accepted, framework)];
}

function missingFramework({ framework }: Candidate, accepted: readonly string[]): Finding[] {
  return framework === undefined && accepted.length > 0 ? [missing("framework", accepted)] : [];
}

export const ENTRYPOINT_EXAMPLE = "src/interface/HTTP/start-rest-api.ts";
export const ENTRYPOINT = /^src\/interface\/[\w-]+(\/[\w-]+)*\.(ts|js)$/;

export const interfaceEntrypoint: Rule = {
  code: "INTERFACE_ENTRYPOINT_INVALID",
  severity: "error",
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

export const CONTROLLER_EXAMPLE = "ItemController.list";
export const CONTROLLER = /^[A-Z][A-Za-z0-9]*Controller\.[a-z][A-Za-z0-9]*$/;

export const interfaceController: Rule = {
  code: "INTERFACE_CONTROLLER_INVALID",
  severity: "error",
  check({ entry: { controller } }) {
    if (typeof controller === "string" && CONTROLLER.test(controller)) return [];
    const words =
      controller === undefined
        ? " is missing"
        : `: ${quoteValue(controller)} does not have the form XController.action`;
    return [{ path: ["controller"], message: acceptedText(`controller${words}`, `for example ${CONTROLLER_EXAMPLE}`) }];
  },
};

export const interfaceDuplicate: Rule = {
  code: "INTERFACE_DUPLICATE",
  severity: "error",
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

export function entrypointKey(adapter: Candidate): string | undefined {
  const entrypoint = textField(adapter, "entrypoint");
  return entrypoint === "" ? undefined : `${textField(adapter, "type")}\n${entrypoint}`;
}

export function controllerKey(adapter: Candidate): string | undefined {
  return textField(adapter, "controller") || undefined;
}

export const RUNTIME_EXAMPLES = ["nodejs22.x", "node20", "python3.12"] as const;
export const RUNTIME = /^[A-Za-z][A-Za-z_+#-]*\d(?:[\w.+-]*\w)?$/;

export const targetRuntime: Rule = {
  code: "TARGET_RUNTIME_INVALID",
  severity: "error",
  check({ entry }) {
    const runtime = textField(entry, "runtime");
    if (runtime === "" || RUNTIME.test(runtime)) return [];
    const what = `runtime: ${quoteValue(runtime)} is not a name with a version`;
    return [{ path: ["runtime"], message: acceptedText(what, `for example ${RUNTIME_EXAMPLES.join(", ")}`) }];
  },
};
