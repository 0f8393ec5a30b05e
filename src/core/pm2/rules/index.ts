/** Every rule of an ecosystem file. `svcm explain` and the reference derive from this list. */
import type { EcosystemRule } from "./rule.ts";
import { clusterInterpreter, envBlocks, fieldTypes, unknownFields } from "./fields.ts";
import { defaultExport, fileKind, nearName, noApps, shadowed, withheldVariables } from "./file.ts";
import { folders, missingEnvFiles, relativeEnvFiles, scripts } from "./machine.ts";
import { ambiguousNames, duplicateNames, impliedNames } from "./names.ts";
import { invalidPorts, killTimeouts, portCollisions, portInstances } from "./ports.ts";

/** The codes of findings that depend on the machine: a checkout that is not built, or a laptop, has them as well. */
export const machineCodes: ReadonlySet<string> = new Set([scripts, folders, missingEnvFiles].map(({ code }) => code));

export const rules: readonly EcosystemRule[] = [
  fileKind,
  nearName,
  shadowed,
  defaultExport,
  noApps,
  withheldVariables,
  fieldTypes,
  unknownFields,
  envBlocks,
  clusterInterpreter,
  duplicateNames,
  ambiguousNames,
  impliedNames,
  scripts,
  folders,
  missingEnvFiles,
  relativeEnvFiles,
  invalidPorts,
  portCollisions,
  portInstances,
  killTimeouts,
];
