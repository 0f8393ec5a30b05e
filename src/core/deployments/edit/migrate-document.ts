import type { Change } from "../../yaml/splice/change.ts";
import { isOutdatedTarget, migrateTarget } from "../migrate.ts";
import { textField } from "../candidate.ts";
import { DOCUMENT_VERSION } from "../shape.ts";
import { entryIssues } from "../validate.ts";
import type { Vocabulary } from "../vocabulary.ts";
import { entriesOf, prefixPaths, documentMap, type DocumentEdit } from "./edit.ts";
import { targetChanges } from "./target.ts";

/** Values that the matrix does not have stay and are reported. @see the specification, "Versioning" 2 */
export function migrateDocument(document: unknown, vocabulary: Vocabulary): DocumentEdit {
  const entries = entriesOf(document, "deployments");
  const outdated = entries.filter(({ entry }) => isOutdatedTarget(entry));
  const isVersioned = documentMap(document)["version"] !== undefined;
  const version: Change[] = isVersioned ? [] : [{ kind: "prepend", path: ["version"], value: DOCUMENT_VERSION }];
  const names = outdated.map(({ entry, index }) => textField(entry, "name") || `deployments[${index}]`);
  return {
    changes: [
      ...version,
      ...outdated.flatMap(({ entry, index }) =>
        targetChanges(["deployments", index], entry, migrateTarget(entry, vocabulary)),
      ),
    ],
    target: names.length > 20 ? `${names.length} deploy targets` : names.join(", "),
    keys: isVersioned ? [] : ["version"],
    issues: outdated.flatMap(({ entry, index }) =>
      prefixPaths(entryIssues("deployments", entry, [], vocabulary), ["deployments", index]),
    ),
  };
}
