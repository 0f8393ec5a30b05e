import { ownMember } from "../words/record.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { decideValues, isKnownByContent, type ValuesFacts, type ValuesVerdict } from "../running/values.ts";
import { environmentsAt, type ExpectedApp } from "./expected.ts";
import { formerKeys } from "./release.ts";
import type { ComparisonInput } from "./comparison-input.ts";

/** A variable, or an env file of which only the time is known. */
export type ValueDifference =
  | { readonly field: "env"; readonly state: "different" | "absent" | "stale"; readonly key: string | null }
  | { readonly field: "envFile"; readonly state: "stale"; readonly declared: string | null };

export function valueDifferences(app: ExpectedApp, record: ProcessRecord, input: ComparisonInput): ValueDifference[] {
  const { changes } = input.values?.get(record.pmId) ?? decideWithoutFiles(app, record, input);
  return changes
    .filter((change) => !isKnownByContent(change))
    .map(({ field, state, key, path }) =>
      field === "env" ? { field, state, key } : { field, state: "stale", declared: path },
    );
}

/** Without what was read about the env files, Git and other apps. */
function decideWithoutFiles(
  app: ExpectedApp,
  record: ProcessRecord,
  { visibleKeys, appliedApps, modifiedMs, running }: ComparisonInput,
): ValuesVerdict {
  const { name, openKeys, envFiles } = app;
  const { declaration, startedAt } = record;
  const position = running.filter((one) => one.name === name && one.pmId < record.pmId).length;
  const nothing: ReadonlySet<string> = new Set();
  const files = envFiles.flatMap((path): ValuesFacts["envFiles"] => {
    const time = modifiedMs(path);
    const times = { changedMs: time, modifiedMs: time };
    return time === undefined ? [] : [{ path, name: path, isReadByNode: true, now: {}, recorded: undefined, ...times }];
  });
  return decideValues({
    app: name,
    declaredIn: "the ecosystem file",
    environments: environmentsAt(app, position),
    openKeys,
    running: declaration.environment,
    startedAt,
    evidence: {
      formerKeys: formerKeys(ownMember(appliedApps, name), record),
      visibleKeys,
      listedKeys: nothing,
      formerWords: nothing,
      siblings: [],
    },
    envFiles: files,
  });
}
