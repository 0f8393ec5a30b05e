import { sortIssues, type Issue } from "../api/issue.ts";
import type { RuntimeContract } from "../facts/schema.ts";
import { findingsOf, toIssue, type Coded, type Finding, type Rule } from "../findings/rule.ts";
import { parseEnvDocument, valuesOf, type EnvDocument } from "./document.ts";
import { spellings } from "./quote.ts";
import { defaultOf } from "./view.ts";

interface NamedText {
  readonly fileName: string;
  readonly text: string;
}

/** An example env file beside the files that it describes. No value of either is looked at. */
export interface ComparedTemplate {
  readonly template: NamedText;
  /** The layers of the environment, the weakest first. */
  readonly layers: readonly NamedText[];
  /** The name of the env file in messages. */
  readonly fileName: string;
}

interface Compared extends ComparedTemplate, KeyDifferences {
  /** By key, the place of its last line. */
  readonly inTemplate: Places;
  readonly inLayers: Places;
}

type Places = ReadonlyMap<string, Issue["at"]>;
type TemplateRule = Rule<Compared, Finding & Pick<Issue, "at">>;

const missingKey: TemplateRule = {
  code: "ENV_TEMPLATE_MISSING_KEY",
  severity: "error",
  summary: "The template has a key that the env file lacks.",
  remedy: "Add the key to the env file, or put `#` in front of its line in the template if it is optional.",
  check: ({ missing, inTemplate, template, fileName }) =>
    missing.map((key) => {
      const message = `${key} is in ${template.fileName}, but not in ${fileName}`;
      return { path: [key], at: inTemplate.get(key), message };
    }),
};

const surplusKey: TemplateRule = {
  code: "ENV_TEMPLATE_SURPLUS_KEY",
  severity: "error",
  summary: "The env file has a key that the template lacks.",
  remedy: "Add the key to the template without its value, or remove it from the env file.",
  check: ({ surplus, inLayers, template }) =>
    surplus.map((key) => {
      const at = inLayers.get(key);
      return { path: [key], at, message: `${key} is in ${at?.file ?? ""}, but not in ${template.fileName}` };
    }),
};

export const templateRules: readonly TemplateRule[] = [missingKey, surplusKey];

export interface KeyDifferences {
  /** Keys that the env file lacks. */
  readonly missing: readonly string[];
  /** Keys that the template lacks. */
  readonly surplus: readonly string[];
}

/** A key that the template holds as a comment is optional. */
export function keyDifferences(template: string, layers: readonly string[]): KeyDifferences {
  const document = parseEnvDocument(template);
  const wanted = valuesOf(document);
  const optional = commentedKeys(document);
  const held = new Set(layers.flatMap((text) => [...valuesOf(parseEnvDocument(text)).keys()]));
  return {
    missing: [...wanted.keys()].filter((key) => !held.has(key)),
    surplus: [...held].filter((key) => !wanted.has(key) && !optional.has(key)),
  };
}

/** The keys that only the template or only the env file has, as issues with their places. */
export function compareTemplate(compared: ComparedTemplate): Issue[] {
  const { template, layers } = compared;
  const facts = {
    ...compared,
    ...keyDifferences(
      template.text,
      layers.map(({ text }) => text),
    ),
    inTemplate: placesOf(template),
    inLayers: new Map(layers.flatMap((layer) => [...placesOf(layer)])),
  };
  return sortIssues(Array.from(findingsOf(templateRules, facts), placedIssue));
}

/** A template of the keys of an env file: values are empty, or the default of an editable key. */
export function templateOf(contract: RuntimeContract, layers: readonly NamedText[]): string {
  const keys = new Set(layers.flatMap(({ text }) => [...valuesOf(parseEnvDocument(text)).keys()]));
  return [...keys].map((key) => `${key}=${spellings(defaultOf(contract, key))[0] ?? ""}\n`).join("");
}

function placedIssue({ at, ...finding }: Coded<Finding & Pick<Issue, "at">>): Issue {
  return { ...toIssue(finding), ...(at && { at }) };
}

function placesOf({ text, fileName }: NamedText): Map<string, Issue["at"]> {
  const { entries } = parseEnvDocument(text);
  return new Map(entries.map(({ key, line }) => [key, { file: fileName, line, column: 1 }]));
}

function commentedKeys({ text, comments }: EnvDocument): Set<string> {
  const lines = comments.map(({ start, end }) => text.slice(start, end).replace(/^[^#]*#+\s*/, ""));
  return new Set(lines.flatMap((line) => parseEnvDocument(line).entries.map(({ key }) => key)));
}
