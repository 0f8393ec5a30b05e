/** The shape of a suite document: its sections and their members. What they may say, the rules decide. */
import { suggest } from "../report/suggest.ts";
import { type Candidate, type Finding, show } from "./rule.ts";

export const SUITE_VERSION = "service-management.v1";

const SECTIONS = {
  version: "text",
  runtimeEnvironment: "text",
  serviceConfiguration: "map",
  interfaces: "list",
  deployments: "list",
} as const;

const MEMBERS = {
  serviceConfiguration: { text: ["serviceKind", "runMode", "cloudProvider", "staticAssetsPath"], other: ["ports"] },
  interfaces: { text: ["type", "framework", "entrypoint", "controller"], other: [] },
  deployments: {
    text: [
      "name",
      "region",
      "runtime",
      "serviceType",
      "deployTarget",
      "runtimeProtocol",
      "databaseDriver",
      "keyValueDriver",
      "pm2Profile",
      // Of a legacy entry.
      "type",
    ],
    other: [],
  },
} as const;

/** The text members of a section's entries, in the order in which people write them. */
export function fieldsOf(section: keyof typeof MEMBERS): readonly string[] {
  return MEMBERS[section].text.filter((field) => section !== "deployments" || field !== "type");
}

export type ListSection = "interfaces" | "deployments";

/** Codes of the shape, for `svcm explain`. */
export const shapeCodes = {
  SUITE_SHAPE: {
    summary: "A part of the document is not of its kind.",
    explanation: "The document is a map; serviceConfiguration is a map; interfaces and deployments are lists of maps.",
  },
  SUITE_UNKNOWN_KEY: {
    summary: "A key that the document does not have.",
    explanation: "Unknown keys are reported, never dropped: most often they are misspelled.",
  },
  SUITE_TEXT_EXPECTED: {
    summary: "A number, boolean or other value stands where text is expected.",
    explanation: "YAML reads 1.10 as the number 1.1 and true as a boolean. Quote what is meant as text.",
  },
  SUITE_CHARACTERS: {
    summary: "A text holds characters that cannot be seen or that change how it reads.",
    explanation:
      "Control characters, zero-width characters and marks that turn the direction of text are refused everywhere. Names are ASCII.",
  },
  SUITE_VERSION_UNSUPPORTED: {
    summary: "The document is of another version.",
    explanation: `svcm reads ${SUITE_VERSION}. A document without a version is taken for one.`,
  },
  SUITE_ENVIRONMENT_UNKNOWN: {
    summary: "runtimeEnvironment names no environment.",
    explanation:
      "runtimeEnvironment is the selection only, an environment of the runtime contract; it never holds values.",
  },
} as const;

/** Findings about the document's outer shape: its sections, and nothing inside them. */
export function sectionFindings(suite: Candidate): Finding[] {
  return [
    ...unknownKeys(suite, Object.keys(SECTIONS), []),
    ...Object.entries(SECTIONS).flatMap(([name, kind]) => kindFindings(name, kind, suite[name])),
  ];
}

/** Findings about the members of one map: unknown ones, and what is no text where text is expected. */
export function memberFindings(
  section: keyof typeof MEMBERS,
  candidate: Candidate,
  path: readonly (string | number)[],
): Finding[] {
  const { text, other } = MEMBERS[section];
  return [
    ...unknownKeys(candidate, [...text, ...other], path),
    ...text.flatMap((name) => textFindings(name, candidate[name], [...path, name])),
  ];
}

export function isMap(value: unknown): value is Candidate {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function shapeFinding(path: readonly (string | number)[], expected: string, given: unknown): Finding {
  const where = path.length === 0 ? "the document" : path.join(".");
  return { code: "SUITE_SHAPE", field: path, message: `${where}: expected ${expected}, got ${kindOf(given)}` };
}

function kindFindings(name: string, kind: "text" | "map" | "list", value: unknown): Finding[] {
  if (value === undefined) return [];
  if (kind === "text") return textFindings(name, value, [name]);
  const isKind = kind === "map" ? isMap(value) : Array.isArray(value);
  return isKind ? [] : [shapeFinding([name], `a ${kind}`, value)];
}

function unknownKeys(candidate: Candidate, known: readonly string[], path: readonly (string | number)[]): Finding[] {
  return Object.keys(candidate)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const suggestion = suggest(key, known);
      return {
        code: "SUITE_UNKNOWN_KEY",
        field: [...path, key],
        message: `${show(key)} is not a known key here; accepted: ${known.join(", ")}`,
        ...(suggestion !== undefined && { suggestion }),
      };
    });
}

/** Control, zero-width and direction marks. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const HIDDEN = /[\u0000-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/;
// oxlint-disable-next-line no-control-regex -- the range of ASCII begins there
const ASCII = /^[\u0000-\u007F]*$/;

function textFindings(name: string, value: unknown, path: readonly (string | number)[]): Finding[] {
  if (value === undefined) return [];
  if (typeof value !== "string") {
    return [
      {
        code: "SUITE_TEXT_EXPECTED",
        field: path,
        message: `${name}: expected text, got ${kindOf(value)} ${show(value)}; quote it`,
      },
    ];
  }
  if (HIDDEN.test(value)) {
    return [
      { code: "SUITE_CHARACTERS", field: path, message: `${name}: the text holds characters that cannot be seen` },
    ];
  }
  if (name !== "name" || ASCII.test(value)) return [];
  return [{ code: "SUITE_CHARACTERS", field: path, message: `${name}: ${show(value)} is not ASCII` }];
}

function kindOf(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  return isMap(value) ? "a map" : `the ${typeof value}`;
}
