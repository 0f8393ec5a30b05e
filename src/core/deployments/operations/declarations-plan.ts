import type { HasFiles } from "../../files/port-files.ts";
import type { HasFacts } from "../../project/port-repository.ts";
import type { Audited } from "../../access/ports.ts";
import type { DeclarationsPlanResponse } from "../../api/declarations.ts";
import type { Caller } from "../../access/caller.ts";
import { changeDocument } from "../edit-file.ts";
import { DEPLOYMENTS_FILE, vocabularyOf } from "../file.ts";
import type { Issue } from "../../api/issue.ts";
import type { Candidate } from "../candidate.ts";
import { defineOperation } from "../../access/operation.ts";

import { isRecord } from "../../words/record.ts";

/** Describes how a draft changes the document of the repository, in words and as a patch. Writes nothing. */
export const declarationsPlan = defineOperation({
  id: "declarations.plan",
  access: "read",
  refusal: "INVALID_PAYLOAD",
  async run(
    ports: Audited & HasFacts & HasFiles,
    { document: draft, from },
    caller,
  ): Promise<DeclarationsPlanResponse> {
    if (from !== undefined) return { differences: await describeDifferences(ports, from, draft), issues: [] };
    return await planDraft(ports, draft, caller);
  },
});

async function planDraft(
  ports: Audited & HasFacts & HasFiles,
  draft: Candidate,
  caller: Caller,
): Promise<DeclarationsPlanResponse> {
  const [{ applyDraft }, { renderPatch: patchOf }, { maskDocument: shownDocument }, { readSource }] = await Promise.all(
    [import("../edit/index.ts"), import("../patch.ts"), import("../mask.ts"), import("../../yaml/read.ts")],
  );
  let issues: readonly Issue[] = [];
  const options = { dryRun: true, action: "suite.write", mayCreate: true };
  const { planned: plan, created } = await changeDocument(ports, caller, options, (document, vocabulary) => {
    const { edit, newErrors } = applyDraft(document, draft, vocabulary);
    issues = newErrors;
    return edit;
  });
  const { before, text: after, changes } = plan;
  const current = shownDocument(readSource(before, DEPLOYMENTS_FILE).value, await vocabularyOf(ports));
  const patch = patchOf({ file: DEPLOYMENTS_FILE, before: created ? undefined : before, after, changes });
  return {
    differences: await describeDifferences(ports, isRecord(current) ? current : {}, draft),
    issues: [...issues],
    ...(patch !== undefined && { patch }),
  };
}

function plain(text: string): string {
  return text;
}

async function describeDifferences(
  ports: HasFacts,
  from: Candidate,
  to: Candidate,
): Promise<DeclarationsPlanResponse["differences"]> {
  const [{ diffDeployments }, { maskChange }, { groupBySection: bySection, fieldText, subjectText }] =
    await Promise.all([import("../diff/diff.ts"), import("../diff/report/mask.ts"), import("../diff/report/words.ts")]);
  const { changes } = diffDeployments(from, to, await vocabularyOf(ports));
  return bySection(changes.map(maskChange)).flatMap(({ title, changes: sectionChanges }) =>
    sectionChanges.map((change) => ({
      section: title,
      subject: subjectText(change, plain),
      fields: change.fields.map((field) => fieldText(field, change.kind, plain, "→")),
    })),
  );
}
