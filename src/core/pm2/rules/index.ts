/** `svcm explain` and the reference are generated from this list. */
import type { EcosystemRule } from "./rule.ts";
import { clusterInterpreter, envBlocks, fieldTypes, unknownFields } from "./fields.ts";
import { defaultExport, fileKind, similarName, noApps, shadowed, withheldVariables } from "./file.ts";
import { folders, missingEnvFiles, relativeEnvFiles, scripts } from "./machine.ts";
import { ambiguousNames, duplicateNames, impliedNames } from "./names.ts";
import { invalidPorts, killTimeouts, portCollisions, portInstances } from "./ports.ts";

/** These may also occur in a checkout that was not built, or on a laptop. */
export const machineCodes: ReadonlySet<string> = new Set([scripts, folders, missingEnvFiles].map(({ code }) => code));

export const rules: readonly EcosystemRule[] = [
  fileKind,
  similarName,
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
