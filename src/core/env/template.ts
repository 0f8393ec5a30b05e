import { sortIssues, type Issue } from "../api/issue.ts";
import type { RuntimeContract } from "../facts/schema.ts";
import { findingsOf, toIssue, type CodedFinding, type Finding, type Rule } from "../findings/rule.ts";
import { type EnvDocument, parseEnvDocument, spellings, valuesOf } from "./document.ts";
import { isPlainKey } from "../secrets/secret-value.ts";
import { defaultOf } from "./tiers.ts";

interface NamedText {
  readonly fileName: string;
  readonly text: string;
}

/** Only keys are compared, never values. */
export interface ComparedTemplate {
  readonly template: NamedText;
  readonly layers: readonly NamedText[];
  readonly fileName: string;
}

interface Compared extends ComparedTemplate {
  /** The location of the last line of each key. */
  readonly inTemplate: ReadonlyMap<string, Issue["at"]>;
  readonly inLayers: ReadonlyMap<string, Issue["at"]>;
  readonly optional: ReadonlySet<string>;
}

type TemplateRule = Rule<Compared, Finding & Pick<Issue, "at">>;

const missing: TemplateRule = {
  code: "ENV_TEMPLATE_MISSING_KEY",
  severity: "error",
  summary: "The template has a key that the env file lacks.",
  remedy: "Add the key to the env file, or put `#` in front of its line in the template if it is optional.",
  *check({ inTemplate, inLayers, template, fileName }) {
    for (const [key, at] of inTemplate) {
      if (inLayers.has(key)) continue;
      yield { path: [key], at, message: `${key} is in ${template.fileName}, but not in ${fileName}` };
    }
  },
};

const surplus: TemplateRule = {
  code: "ENV_TEMPLATE_SURPLUS_KEY",
  severity: "error",
  summary: "The env file has a key that the template lacks.",
  remedy: "Add the key to the template without its value, or remove it from the env file.",
  *check({ inTemplate, inLayers, optional, template }) {
    for (const [key, at] of inLayers) {
      if (inTemplate.has(key) || optional.has(key)) continue;
      yield { path: [key], at, message: `${key} is in ${at?.file ?? ""}, but not in ${template.fileName}` };
    }
  },
};

export const templateRules: readonly TemplateRule[] = [missing, surplus];

/** Keys that may not be shown are not reported. */
export function compareTemplate(compared: ComparedTemplate): Issue[] {
  const template = parseEnvDocument(compared.template.text);
  const facts = {
    ...compared,
    inTemplate: placesOf(template, compared.template.fileName),
    inLayers: new Map(compared.layers.flatMap(({ text, fileName }) => [...placesOf(parseEnvDocument(text), fileName)])),
    optional: commentedKeys(template),
  };
  return sortIssues(Array.from(findingsOf(templateRules, facts), placedIssue));
}

/** Values are empty; an editable key has its default. */
export function templateOf(contract: RuntimeContract, layers: readonly NamedText[]): string {
  const keys = new Set(layers.flatMap(({ text }) => [...valuesOf(parseEnvDocument(text)).keys()]));
  return [...keys]
    .filter(isPlainKey)
    .map((key) => `${key}=${spellings(defaultOf(contract, key))[0] ?? ""}\n`)
    .join("");
}

function placedIssue({ at, ...finding }: CodedFinding<Finding & Pick<Issue, "at">>): Issue {
  return { ...toIssue(finding), ...(at && { at }) };
}

function placesOf({ entries }: EnvDocument, file: string): Map<string, Issue["at"]> {
  const shown = entries.filter(({ key }) => isPlainKey(key));
  return new Map(shown.map(({ key, line }) => [key, { file, line, column: 1 }]));
}

function commentedKeys({ text, comments }: EnvDocument): Set<string> {
  const lines = comments.map(({ start, end }) => text.slice(start, end).replace(/^[^#]*#+\s*/, ""));
  return new Set(lines.flatMap((line) => parseEnvDocument(line).entries.map(({ key }) => key)));
}
