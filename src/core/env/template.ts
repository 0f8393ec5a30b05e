import { sortIssues, type Issue } from "../api/issue.ts";
import type { RuntimeContract } from "../api/facts.ts";
import { findingsOf, toIssue, type Finding, type Rule } from "../findings/rule.ts";
import { commentText, type EnvDocument, parseEnvDocument, valueSpellings, valuesOf } from "./document.ts";
import { isPlainKey } from "../secrets/redact.ts";
import { defaultOf } from "./runtime-keys.ts";

interface NamedText {
  readonly fileName: string;
  readonly text: string;
}

export interface TemplateComparison {
  readonly template: NamedText;
  readonly layers: readonly NamedText[];
  readonly fileName: string;
}

interface ComparedKeys extends TemplateComparison {
  readonly inTemplate: ReadonlyMap<string, Issue["at"]>;
  readonly inLayers: ReadonlyMap<string, Issue["at"]>;
  readonly optional: ReadonlySet<string>;
}

type TemplateRule = Rule<ComparedKeys, Finding & Pick<Issue, "at">>;

const missing: TemplateRule = {
  code: "ENV_TEMPLATE_MISSING_KEY",
  severity: "error",
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
  *check({ inTemplate, inLayers, optional, template }) {
    for (const [key, at] of inLayers) {
      if (inTemplate.has(key) || optional.has(key)) continue;
      yield { path: [key], at, message: `${key} is in ${at?.file ?? ""}, but not in ${template.fileName}` };
    }
  },
};

export const templateRules: readonly TemplateRule[] = [missing, surplus];

/** Keys that may not be shown are not reported. */
export function compareTemplate(compared: TemplateComparison): Issue[] {
  const template = parseEnvDocument(compared.template.text);
  const facts = {
    ...compared,
    inTemplate: locateKeys(template, compared.template.fileName),
    inLayers: new Map(
      compared.layers.flatMap(({ text, fileName }) => [...locateKeys(parseEnvDocument(text), fileName)]),
    ),
    optional: commentedKeys(template),
  };
  return sortIssues(
    Array.from(findingsOf(templateRules, facts), ({ at, ...finding }) => ({ ...toIssue(finding), ...(at && { at }) })),
  );
}

export function renderTemplate(contract: RuntimeContract, layers: readonly NamedText[]): string {
  const keys = new Set(layers.flatMap(({ text }) => [...valuesOf(parseEnvDocument(text)).keys()]));
  return [...keys]
    .filter(isPlainKey)
    .map((key) => `${key}=${valueSpellings(defaultOf(contract, key))[0] ?? ""}\n`)
    .join("");
}

function locateKeys({ entries }: EnvDocument, file: string): Map<string, Issue["at"]> {
  const plainEntries = entries.filter(({ key }) => isPlainKey(key));
  return new Map(plainEntries.map(({ key, line }) => [key, { file, line, column: 1 }]));
}

function commentedKeys({ text, comments }: EnvDocument): Set<string> {
  const lines = comments.map(({ start, end }) => commentText(text.slice(start, end)));
  return new Set(lines.flatMap((line) => parseEnvDocument(line).entries.map(({ key }) => key)));
}
