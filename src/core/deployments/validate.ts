import { isValid, MAX_FINDINGS, sortIssues, type Issue } from "../api/issue.ts";
import type { Subject } from "../findings/report.ts";
import { findingsOf, toIssue } from "../findings/rule.ts";
import type { YamlSource } from "../yaml/source.ts";
import { migrateTarget } from "./migrate.ts";
import { type Candidate, textField } from "./file.ts";
import { isRecord } from "../words/record.ts";
import { type Rule, Siblings } from "./rule.ts";
import { rules } from "./rules/index.ts";
import { limitIssues, type ListSection, memberIssues, portIssues, sectionIssues, shapeIssue } from "./shape.ts";
import { portNames, type Vocabulary } from "./vocabulary.ts";

/**
 * Sorted, without locations. A legacy deploy target is checked in its migrated form.
 * @param document plain data from YAML, JSON or a form
 * @see CONTRACT section 6; the specification, "Validation rules behind rejections"
 */
export function validateDocument(document: unknown, vocabulary: Vocabulary): Issue[] {
  return sortIssues(documentIssues(document, vocabulary));
}

function documentIssues(document: unknown, vocabulary: Vocabulary): Issue[] {
  if (!isRecord(document)) return [shapeIssue([], "a map", document)];
  return [
    ...sectionIssues(document),
    ...runRules(rules.document, document, new Siblings(), [], vocabulary),
    ...configurationIssues(document["serviceConfiguration"], vocabulary),
    ...listIssues("interfaces", document["interfaces"], vocabulary),
    ...listIssues("deployments", document["deployments"], vocabulary),
    ...rolloutIssues(document["rollout"], vocabulary),
  ];
}

function rolloutIssues(rollout: unknown, vocabulary: Vocabulary): Issue[] {
  return isRecord(rollout) ? runRules(rules.rollout, rollout, new Siblings(), ["rollout"], vocabulary) : [];
}

export function validateSource(source: YamlSource, vocabulary: Vocabulary): Issue[] {
  if (!isValid(source.issues)) return [...source.issues];
  return sortIssues([
    ...source.issues,
    ...documentIssues(source.value, vocabulary).map((issue) => locate(issue, source)),
  ]);
}

export function subjectsOf(document: unknown): Subject[] {
  const list: unknown = isRecord(document) ? document["deployments"] : undefined;
  if (!Array.isArray(list)) return [];
  return list.map((entry: unknown, index) => {
    const name = isRecord(entry) ? textField(entry, "name") : "";
    return { name: name || `deploy target ${index + 1}`, path: ["deployments", index] };
  });
}

function locate(issue: Issue, source: YamlSource): Issue {
  const at = source.at(issue.path, issue.code === "SUITE_UNKNOWN_KEY" ? "key" : "value");
  if (issue.code !== "SUITE_TEXT_EXPECTED") return { ...issue, at };
  const text = source.scalarSource(issue.path);
  // Only a scalar can be quoted.
  return { ...issue, at, message: text ? `${issue.message}; quote it: "${text.slice(0, 80)}"` : issue.message };
}

export function entryIssues(
  section: ListSection,
  candidate: Candidate,
  others: readonly Candidate[],
  vocabulary: Vocabulary,
): Issue[] {
  return sortIssues(checkEntry(section, candidate, Siblings.of(others), [], vocabulary));
}

export function serviceConfigurationIssues(candidate: Candidate, vocabulary: Vocabulary): Issue[] {
  return sortIssues(configurationIssues(candidate, vocabulary));
}

export function listVerdicts(section: ListSection, entries: readonly Candidate[], vocabulary: Vocabulary): Issue[][] {
  const siblings = new Siblings();
  return entries.map((entry) => {
    const issues = checkEntry(section, entry, siblings, [], vocabulary);
    siblings.add(entry);
    return sortIssues(issues);
  });
}

function configurationIssues(candidate: unknown, vocabulary: Vocabulary): Issue[] {
  if (!isRecord(candidate)) return [];
  const path = ["serviceConfiguration"];
  const members = memberIssues("serviceConfiguration", candidate, path);
  const cleaned = trimTexts(candidate, members);
  return [
    ...members,
    ...portIssues(candidate["ports"], portNames(vocabulary.matrix), [...path, "ports"]),
    ...runRules(rules.serviceConfiguration, cleaned, new Siblings(), path, vocabulary),
  ];
}

function listIssues(section: ListSection, list: unknown, vocabulary: Vocabulary): Issue[] {
  if (!Array.isArray(list)) return [];
  const siblings = new Siblings();
  const issues: Issue[] = [];
  for (let index = 0; index < list.length && issues.length <= MAX_FINDINGS; index++) {
    const entry: unknown = list[index];
    const path = [section, index];
    if (!isRecord(entry)) issues.push(shapeIssue(path, "a map", entry));
    else {
      issues.push(...checkEntry(section, entry, siblings, path, vocabulary));
      siblings.add(entry);
    }
  }
  return limitIssues(issues, [section]);
}

function checkEntry(
  section: ListSection,
  entry: Candidate,
  siblings: Siblings,
  path: Issue["path"],
  vocabulary: Vocabulary,
): Issue[] {
  const members = memberIssues(section, entry, path);
  const cleaned = trimTexts(entry, members);
  const candidate = section === "deployments" ? migrateTarget(cleaned, vocabulary) : cleaned;
  return [...members, ...runRules(rules[section], candidate, siblings, path, vocabulary)];
}

/** Another finding reports white space around a text. */
function trimTexts(candidate: Candidate, found: readonly Issue[]): Candidate {
  if (!found.some(({ code }) => code === "SUITE_WHITE_SPACE")) return candidate;
  return Object.fromEntries(
    Object.entries(candidate).map(([name, value]) => [name, typeof value === "string" ? value.trim() || value : value]),
  );
}

function runRules(
  list: readonly Rule[],
  entry: Candidate,
  siblings: Siblings,
  path: Issue["path"],
  vocabulary: Vocabulary,
): Issue[] {
  return Array.from(findingsOf(list, { entry, vocabulary, siblings }), (finding) => toIssue(finding, path));
}
