import { isValid } from "../api/issue.ts";
import { refusal, SvcmError } from "../errors.ts";
import { defineOperation } from "../operation.ts";
import type { Ports } from "../ports/index.ts";
import type { DiffReport, SuiteSide } from "../deployments/diff/report/diff-report.ts";
import type { Candidate } from "../deployments/candidate.ts";
import type { Vocabulary } from "../deployments/vocabulary.ts";
import { DEFAULT_SUITE_FILE, readSuite, suitePath, suiteText, vocabularyOf } from "../deployments/file.ts";

/** A document as read: its text, or `undefined` where there is none. */
interface Read extends Pick<SuiteSide, "revision" | "commit"> {
  readonly text: string | undefined;
}

/** What the way from a revision of the suite document to another, or to the work tree, means. */
export const suiteDiff = defineOperation({
  id: "suite.diff",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports, { file = DEFAULT_SUITE_FILE, from, to }): Promise<DiffReport> {
    const vocabulary = await vocabularyOf(ports);
    const old = await readRevision(ports, file, from);
    const young = to === undefined ? await readWorkTree(ports, file) : await readRevision(ports, file, to);
    if (old.text === undefined && young.text === undefined) throw nowhere(suitePath(ports, file), [old, young]);
    const [before, after] = [await readSide(old, file, vocabulary), await readSide(young, file, vocabulary)];
    const [{ diffSuites }, { maskChange }] = await Promise.all([
      import("../deployments/diff/diff.ts"),
      import("../deployments/diff/report/mask.ts"),
    ]);
    const { changes, notes } = diffSuites(before.suite, after.suite, vocabulary);
    return { file, from: before.side, to: after.side, changes: changes.map(maskChange), notes };
  },
});

async function readRevision(ports: Ports, file: string, revision: string): Promise<Read> {
  const path = suitePath(ports, file);
  const { commit, bytes } = await ports.revisions.read(revision, path);
  return { revision, commit, text: bytes && suiteText(bytes, path) };
}

async function readWorkTree(ports: Ports, file: string): Promise<Read> {
  const text = await readSuite(ports, file).catch((error: unknown) => {
    if (error instanceof SvcmError && error.facts.code === "SUITE_FILE_NOT_FOUND") return undefined;
    throw error;
  });
  return { text };
}

function nowhere(path: string, sides: readonly Read[]): SvcmError {
  const places = sides.map(({ revision }) => revision ?? "the work tree").join(" nor in ");
  return new SvcmError("SUITE_FILE_FAILED", {
    code: "SUITE_FILE_NOT_FOUND",
    path,
    details: `There is no such file, neither in ${places}.`,
  });
}

/** @throws {SvcmError} SUITE_FILE_FAILED with every issue and its place, where the text is no document. */
async function readSide(
  { text, ...side }: Read,
  file: string,
  vocabulary: Vocabulary,
): Promise<{ readonly side: SuiteSide; readonly suite: Candidate }> {
  if (text === undefined) return { side: { ...side, exists: false, valid: true, issues: [] }, suite: {} };
  const [{ readSource }, { validateSource }, { isMap }] = await Promise.all([
    import("../deployments/read.ts"),
    import("../deployments/validate.ts"),
    import("../deployments/candidate.ts"),
  ]);
  const place = side.revision === undefined ? file : `${side.revision}:${file}`;
  const source = await readSource(text, place);
  const issues = validateSource(source, vocabulary);
  if (!isMap(source.value)) throw refusal("SUITE_FILE_FAILED", issues);
  return { side: { ...side, exists: true, valid: isValid(issues), issues }, suite: source.value };
}
