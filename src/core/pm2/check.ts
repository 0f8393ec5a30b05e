import { compareText, type Issue } from "../api/issue.ts";
import type { CheckedEcosystem, EcosystemRule } from "./rule.ts";
import { clusterInterpreter, envBlocks, fieldTypes, unknownFields } from "./rules/fields.ts";
import { defaultExport, fileKind, fileName, noApps, shadowed } from "./rules/file.ts";
import { envFiles, folders, scripts } from "./rules/machine.ts";
import { ambiguousNames, duplicateNames, impliedNames } from "./rules/names.ts";
import { invalidPorts, killTimeouts, portCollisions, portInstances } from "./rules/ports.ts";
import type { Scrub } from "./scrub.ts";

const rules: readonly EcosystemRule[] = [
  fileKind,
  fileName,
  shadowed,
  defaultExport,
  noApps,
  fieldTypes,
  unknownFields,
  envBlocks,
  clusterInterpreter,
  duplicateNames,
  ambiguousNames,
  impliedNames,
  scripts,
  folders,
  envFiles,
  invalidPorts,
  portCollisions,
  portInstances,
  killTimeouts,
];

/**
 * Everything that PM2 would refuse, mistake or silently ignore in an ecosystem file: what concerns the file first,
 * then app by app, as they stand in it. No secret shows in an issue.
 */
export function checkEcosystem(ecosystem: CheckedEcosystem, scrub: Scrub): Issue[] {
  const findings = rules.flatMap((rule) => rule(ecosystem));
  return findings
    .map(({ severity = "error", path = [], message, suggestion, ...rest }) => ({
      ...rest,
      severity,
      path: path.map((step) => (typeof step === "string" ? scrub(step) : step)),
      message: scrub(message),
      ...(suggestion !== undefined && { suggestion }),
    }))
    .toSorted((a, b) => appOf(a) - appOf(b) || compareText(a.code, b.code) || compareText(a.message, b.message));
}

function appOf({ path: [, index = -1] }: Issue): number {
  return Number(index);
}
