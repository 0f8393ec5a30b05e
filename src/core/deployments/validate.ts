import { isValid, MAX_FINDINGS, sortIssues, type Issue } from "../api/issue.ts";
import { type Subject, findingsOf, toIssue, acceptedText } from "../findings/rule.ts";
import type { YamlSource } from "../yaml/source.ts";
import {
  migrateTarget,
  limitIssues,
  type ListSection,
  memberIssues,
  portIssues,
  sectionIssues,
  shapeIssue,
  DOCUMENT_VERSION,
} from "./shape.ts";
import { type Candidate, textField, portNames, type Vocabulary, lookup } from "./file.ts";
import { isRecord } from "../words/record.ts";
import { type Rule, Siblings, missing, notAccepted, unknownValue } from "./rule.ts";
import {
  interfaceController,
  interfaceDuplicate,
  interfaceEntrypoint,
  interfaceFramework,
  targetRuntime,
} from "./rules/interfaces.ts";
import {
  targetName,
  targetProfile,
  targetProtocol,
  targetRequired,
  targetServiceType,
  targetValues,
  activePorts,
} from "./rules/targets.ts";
import { configurationFields } from "./fields.ts";
import { quoteValue } from "../findings/text.ts";
import { isPort } from "../words/numbers.ts";
import { envSpellings } from "../project/resolve.ts";
import { rolloutFindings } from "../project/rollout-settings.ts";

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

const documentVersion: Rule = {
  code: "SUITE_VERSION_UNSUPPORTED",
  severity: "error",
  check({ entry: { version } }) {
    if (typeof version !== "string" || version === DOCUMENT_VERSION) return [];
    return [notAccepted("version", `${quoteValue(version)} is not supported`, [DOCUMENT_VERSION])];
  },
};

const documentEnvironment: Rule = {
  code: "SUITE_ENVIRONMENT_UNKNOWN",
  severity: "error",
  check({ entry: { runtimeEnvironment }, vocabulary: { contract } }) {
    const spellings = [...envSpellings(contract).keys()];
    if (typeof runtimeEnvironment !== "string" || spellings.includes(runtimeEnvironment.trim().toLowerCase()))
      return [];
    return [notAccepted("runtimeEnvironment", `${quoteValue(runtimeEnvironment)} is not an environment`, spellings)];
  },
};

const configurationValues: Rule = {
  code: "CONFIG_VALUE_UNKNOWN",
  severity: "error",
  check: ({ entry, vocabulary }) =>
    configurationFields.flatMap(({ name, accepted }) => {
      if (!accepted) return [];
      const fitting = accepted(entry, vocabulary);
      if (entry[name] === undefined) return [missing(name, fitting)];
      return unknownValue(entry, name, accepted({}, vocabulary), fitting);
    }),
};

const configurationPorts: Rule = {
  code: "CONFIG_PORT_INVALID",
  severity: "error",
  check: ({ entry, vocabulary }) =>
    activePorts(entry, vocabulary)
      .filter(({ value }) => !isPort(value))
      .map(({ name, declared }) => ({
        path: ["ports", name],
        message: acceptedText(
          `ports.${name}${declared === undefined ? " is missing" : `: ${quoteValue(declared)} is not a port`}`,
          "an integer from 1 to 65535",
        ),
      })),
};

const configurationPortCollision: Rule = {
  code: "CONFIG_PORT_COLLISION",
  severity: "error",
  check({ entry, vocabulary }) {
    const ports = activePorts(entry, vocabulary).filter(({ value }) => isPort(value));
    return ports.flatMap(({ name, value }, index) => {
      const first = ports.slice(0, index).find((other) => other.value === value);
      return first
        ? [{ path: ["ports", name], message: `ports.${name}: ${value} is the port of ${first.name} already` }]
        : [];
    });
  },
};

const configurationProvider: Rule = {
  code: "CONFIG_PROVIDER_UNSUPPORTED",
  severity: "error",
  check({ entry: { runMode, cloudProvider }, vocabulary: { matrix } }) {
    const mode = lookup(matrix.runModes, runMode);
    if (!mode || lookup(matrix.cloudProviders, cloudProvider) === undefined) return [];
    if (mode.cloudProviders.includes(String(cloudProvider))) return [];
    return [
      notAccepted(
        "cloudProvider",
        `${quoteValue(cloudProvider)} does not offer the run mode ${quoteValue(runMode)}`,
        mode.cloudProviders,
      ),
    ];
  },
};

const rolloutSetting: Rule = {
  code: "ROLLOUT_SETTING",
  severity: "error",
  check: ({ entry }) =>
    rolloutFindings(entry).map(({ path, message, ...more }) => ({
      ...more,
      path,
      message: `${["rollout", ...path].join(".")}: ${message}`,
    })),
};

export const rules = {
  document: [documentVersion, documentEnvironment],
  serviceConfiguration: [configurationValues, configurationPorts, configurationPortCollision, configurationProvider],
  interfaces: [interfaceFramework, interfaceEntrypoint, interfaceController, interfaceDuplicate],
  deployments: [
    targetRequired,
    targetName,
    targetRuntime,
    targetValues,
    targetServiceType,
    targetProtocol,
    targetProfile,
  ],
  rollout: [rolloutSetting],
} satisfies Record<string, readonly Rule[]>;
