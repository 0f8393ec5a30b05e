import { isValid, MAX_ISSUES, sortIssues, type Issue } from "../api/issue.ts";
import { environmentSpellings } from "../env/environment.ts";
import type { Subject } from "../findings/report.ts";
import type { YamlSource } from "../yaml/source.ts";
import { migrateTarget } from "./migrate.ts";
import { type Finding, notAccepted, type Rule, show } from "./rule.ts";
import { type Candidate, textOf, isMap } from "./candidate.ts";
import { rules } from "./rules/index.ts";
import {
  bounded,
  type ListSection,
  memberFindings,
  portFindings,
  sectionFindings,
  shapeFinding,
  SUITE_VERSION,
} from "./shape.ts";
import { Siblings } from "./siblings.ts";
import { portNames, type Vocabulary } from "./vocabulary.ts";

/**
 * Validates a suite document: every issue at once, sorted, without positions. A legacy deploy target
 * is judged as what it migrates to.
 *
 * @param suite the document as plain data: YAML, JSON or a form's state
 * @see CONTRACT section 6; the specification, "Validation rules behind rejections"
 */
export function validateSuite(suite: unknown, vocabulary: Vocabulary): Issue[] {
  return sortIssues(suiteFindings(suite, vocabulary).map(toIssue));
}

function suiteFindings(suite: unknown, vocabulary: Vocabulary): Finding[] {
  if (!isMap(suite)) return [shapeFinding([], "a map", suite)];
  return [
    ...sectionFindings(suite),
    ...headFindings(suite, vocabulary),
    ...configurationFindings(suite["serviceConfiguration"], vocabulary),
    ...listFindings("interfaces", suite["interfaces"], vocabulary),
    ...listFindings("deployments", suite["deployments"], vocabulary),
  ];
}

/** As {@link validateSuite}, for a document with a file: what cannot be read, and where everything stands. */
export function validateSource(source: YamlSource, vocabulary: Vocabulary): Issue[] {
  if (!isValid(source.issues)) return [...source.issues];
  const findings = suiteFindings(source.value, vocabulary);
  return sortIssues([...source.issues, ...findings.map((finding) => placed(toIssue(finding), source))]);
}

/** The deploy targets of a document, as the subjects of a report; one without a name is told by its number. */
export function subjectsOf(suite: unknown): Subject[] {
  const list: unknown = isMap(suite) ? suite["deployments"] : undefined;
  if (!Array.isArray(list)) return [];
  return list.map((entry: unknown, index) => {
    const name = isMap(entry) ? textOf(entry, "name") : "";
    return { name: name || `deploy target ${index + 1}`, path: ["deployments", index] };
  });
}

function placed(issue: Issue, source: YamlSource): Issue {
  const at = source.at(issue.path, issue.code === "SUITE_UNKNOWN_KEY" ? "key" : "value");
  if (issue.code !== "SUITE_TEXT_EXPECTED") return { ...issue, at };
  const written = source.written(issue.path);
  // A list or map cannot be quoted, and nothing has no text to quote.
  return { ...issue, at, message: written ? `${issue.message}; quote it: "${written.slice(0, 80)}"` : issue.message };
}

/** Validates one deploy target against the others of its list: the one gate for adding and editing. */
export function deployTargetIssues(
  candidate: Candidate,
  others: readonly Candidate[],
  vocabulary: Vocabulary,
): Issue[] {
  return sortIssues(entryFindings("deployments", candidate, Siblings.of(others), [], vocabulary).map(toIssue));
}

/** Validates one service configuration. */
export function serviceConfigurationIssues(candidate: Candidate, vocabulary: Vocabulary): Issue[] {
  return sortIssues(configurationFindings(candidate, vocabulary).map(toIssue));
}

/** Validates one interface adapter against the others of its list. */
export function interfaceIssues(candidate: Candidate, others: readonly Candidate[], vocabulary: Vocabulary): Issue[] {
  return sortIssues(entryFindings("interfaces", candidate, Siblings.of(others), [], vocabulary).map(toIssue));
}

/**
 * The issues of each entry of a list, in its order. Of two equal entries, the later one is the duplicate.
 *
 * @param entries the list as it stands; legacy deploy targets are judged as what they migrate to
 */
export function listVerdicts(section: ListSection, entries: readonly Candidate[], vocabulary: Vocabulary): Issue[][] {
  const before = new Siblings();
  return entries.map((entry) => {
    const findings = entryFindings(section, entry, before, [], vocabulary);
    before.add(entry);
    return sortIssues(findings.map(toIssue));
  });
}

function headFindings({ version, runtimeEnvironment }: Candidate, { contract }: Vocabulary): Finding[] {
  const findings: Finding[] = [];
  if (typeof version === "string" && version !== SUITE_VERSION) {
    findings.push({
      code: "SUITE_VERSION_UNSUPPORTED",
      ...notAccepted("version", `${show(version)} is not supported`, [SUITE_VERSION]),
    });
  }
  const spellings = environmentSpellings(contract);
  if (typeof runtimeEnvironment === "string" && !spellings.includes(runtimeEnvironment.trim().toLowerCase())) {
    const words = `${show(runtimeEnvironment)} is not an environment`;
    findings.push({ code: "SUITE_ENVIRONMENT_UNKNOWN", ...notAccepted("runtimeEnvironment", words, spellings) });
  }
  return findings;
}

function configurationFindings(candidate: unknown, vocabulary: Vocabulary): Finding[] {
  if (!isMap(candidate)) return [];
  const path = ["serviceConfiguration"];
  const members = memberFindings("serviceConfiguration", candidate, path);
  const said = withoutSpaces(candidate, members);
  return [
    ...members,
    ...portFindings(candidate["ports"], portNames(vocabulary.matrix), [...path, "ports"]),
    ...apply(rules.serviceConfiguration, said, new Siblings(), path, vocabulary),
  ];
}

function listFindings(section: ListSection, list: unknown, vocabulary: Vocabulary): Finding[] {
  if (!Array.isArray(list)) return [];
  const before = new Siblings();
  const findings: Finding[] = [];
  for (let index = 0; index < list.length && findings.length <= MAX_ISSUES; index++) {
    const entry: unknown = list[index];
    const path = [section, index];
    if (!isMap(entry)) findings.push(shapeFinding(path, "a map", entry));
    else {
      findings.push(...entryFindings(section, entry, before, path, vocabulary));
      // A duplicate is told at the later entry.
      before.add(entry);
    }
  }
  return bounded(findings, [section]);
}

function entryFindings(
  section: ListSection,
  entry: Candidate,
  siblings: Siblings,
  path: readonly (string | number)[],
  vocabulary: Vocabulary,
): Finding[] {
  const members = memberFindings(section, entry, path);
  const said = withoutSpaces(entry, members);
  const candidate = section === "deployments" ? migrateTarget(said, vocabulary) : said;
  return [...members, ...apply(rules[section], candidate, siblings, path, vocabulary)];
}

/** The rules judge texts without the white space at their ends, which is a finding of its own. */
function withoutSpaces(candidate: Candidate, found: readonly Finding[]): Candidate {
  if (!found.some(({ code }) => code === "SUITE_WHITE_SPACE")) return candidate;
  return Object.fromEntries(Object.entries(candidate).map(([name, value]) => [name, trimmed(value)]));
}

function trimmed(value: unknown): unknown {
  return typeof value === "string" ? value.trim() || value : value;
}

function apply(
  list: readonly Rule[],
  candidate: Candidate,
  siblings: Siblings,
  path: readonly (string | number)[],
  vocabulary: Vocabulary,
): Finding[] {
  const findings: Finding[] = [];
  for (const { code, check } of list) {
    for (const finding of check(candidate, vocabulary, siblings)) {
      const field = typeof finding.field === "string" ? [finding.field] : finding.field;
      findings.push({ code, ...finding, field: [...path, ...field] });
    }
  }
  return findings;
}

function toIssue({ code, field, ...words }: Finding): Issue {
  return { code, severity: "error", path: typeof field === "string" ? [field] : field, ...words };
}
