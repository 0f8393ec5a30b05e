/** The shape of a suite document: its sections and their members. What they may say, the rules decide. */
import { MAX_ISSUES } from "../api/issue.ts";
import { suggest } from "../words/suggest.ts";
import { hiddenIn, spacesAround } from "./characters.ts";
import { type Candidate, isMap } from "./candidate.ts";
import { type Finding, show } from "./rule.ts";

export const SUITE_VERSION = "service-management.v1";

export const SECTIONS = {
  version: "text",
  runtimeEnvironment: "text",
  serviceConfiguration: "map",
  interfaces: "list",
  deployments: "list",
} as const;

export const MEMBERS = {
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
    remedy: "Give the part the shape that the message names; `svcm schema deployments` prints the whole shape.",
  },
  SUITE_UNKNOWN_KEY: {
    summary: "A key that the document does not have.",
    explanation: "Unknown keys are reported, never dropped: most often they are misspelled.",
    remedy: "Correct the spelling, or delete the key.",
  },
  SUITE_TOO_MANY_ISSUES: {
    summary: "One part of the document has more issues than anybody reads.",
    explanation: `Of one section, or of the keys of one map, the first ${MAX_ISSUES} issues are told. Mend those first.`,
    remedy: "Correct the first issues and validate again: often one wrong line causes all of them.",
  },
  SUITE_TEXT_EXPECTED: {
    summary: "A number, boolean or other value stands where text is expected.",
    explanation: "YAML reads 1.10 as the number 1.1 and true as a boolean. Quote what is meant as text.",
    remedy: "Put the value in quotes.",
  },
  SUITE_CHARACTERS: {
    summary: "A text holds characters that cannot be seen or that change how it reads.",
    explanation:
      "Control characters, zero-width characters and marks that change the direction of text are refused everywhere. A name may be in any script; it has to be in Unicode normalization form NFC, so that equal names are equal texts.",
    remedy: "Type the text again without the character that the message shows.",
  },
  SUITE_WHITE_SPACE: {
    summary: "A text begins or ends with white space.",
    explanation:
      "White space at the ends of a text cannot be seen and is most often a slip. It is never removed silently.",
    remedy: "Delete the white space at the ends of the text.",
  },
  SUITE_VERSION_UNSUPPORTED: {
    summary: "The document is of another version.",
    explanation: `svcm reads ${SUITE_VERSION}. A document without a version is taken for one.`,
    remedy: "Write the version that the message names, and run `svcm migrate --dry-run`.",
  },
  SUITE_ENVIRONMENT_UNKNOWN: {
    summary: "runtimeEnvironment names no environment.",
    explanation:
      "runtimeEnvironment is the selection only, an environment of the runtime contract; it never holds values.",
    remedy: "Write one of the environments that the message lists, or delete the line.",
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
  const findings = unknownKeys(candidate, text, path, other);
  for (const name of text) findings.push(...textFindings(name, candidate[name], path));
  return findings;
}

/** Findings about the ports of a service configuration: no map, or a listener that no service kind binds. */
export function portFindings(ports: unknown, known: readonly string[], path: readonly (string | number)[]): Finding[] {
  if (ports === undefined) return [];
  return isMap(ports) ? unknownKeys(ports, known, path) : [shapeFinding(path, "a map", ports)];
}

export function shapeFinding(path: readonly (string | number)[], expected: string, given: unknown): Finding {
  const where = path.length === 0 ? "the document" : path.join(".");
  return { code: "SUITE_SHAPE", field: path, message: `${where}: expected ${expected}, got ${kindOf(given)}` };
}

function kindFindings(name: string, kind: "text" | "map" | "list", value: unknown): Finding[] {
  if (value === undefined) return [];
  if (kind === "text") return textFindings(name, value, []);
  const isKind = kind === "map" ? isMap(value) : Array.isArray(value);
  return isKind ? [] : [shapeFinding([name], `a ${kind}`, value)];
}

function unknownKeys(
  candidate: Candidate,
  text: readonly string[],
  path: readonly (string | number)[],
  other: readonly string[] = [],
): Finding[] {
  const unknown = Object.keys(candidate).filter((key) => !text.includes(key) && !other.includes(key));
  const known = unknown.length > 0 ? [...text, ...other] : [];
  return bounded(
    unknown.slice(0, MAX_ISSUES + 1).map((key) => {
      const suggestion = suggest(key, known);
      return {
        code: "SUITE_UNKNOWN_KEY",
        field: [...path, key],
        message: `${show(key)} is not a known key here; accepted: ${known.join(", ")}`,
        ...(suggestion !== undefined && { suggestion }),
      };
    }),
    path,
  );
}

/** As many findings as are told of one place, and that there are more. */
export function bounded(findings: Finding[], path: readonly (string | number)[]): Finding[] {
  if (findings.length <= MAX_ISSUES) return findings;
  const message = `more than ${MAX_ISSUES} issues; the first of them are listed`;
  return [{ code: "SUITE_TOO_MANY_ISSUES", field: path, message }, ...findings.slice(0, MAX_ISSUES)];
}

function textFindings(name: string, value: unknown, parent: readonly (string | number)[]): Finding[] {
  const said = value === undefined ? undefined : textFault(name, value);
  return said ? [{ ...said, field: [...parent, name] }] : [];
}

function textFault(name: string, value: unknown): Omit<Finding, "field"> | undefined {
  if (typeof value !== "string") {
    return { code: "SUITE_TEXT_EXPECTED", message: `${name}: expected text, got ${shown(value)}` };
  }
  const hidden = hiddenIn(value);
  if (hidden.length > 0) {
    const message = `${name}: the text holds characters that cannot be seen: ${hidden.slice(0, 5).join(", ")}`;
    return { code: "SUITE_CHARACTERS", message };
  }
  return spaceFault(name, value) ?? (name === "name" ? formFault(name, value) : undefined);
}

function spaceFault(name: string, value: string): Omit<Finding, "field"> | undefined {
  const spaces = spacesAround(value);
  if (spaces === undefined) return undefined;
  const code = "SUITE_WHITE_SPACE";
  if (value.trim() === "") return { code, message: `${name}: the text is white space only (${spaces})` };
  const suggestion = value.trim();
  const message = `${name}: ${show(value)} begins or ends with white space (${spaces}); accepted: ${show(suggestion)}`;
  return { code, message };
}

function formFault(name: string, value: string): Omit<Finding, "field"> | undefined {
  if (value === value.normalize("NFC")) return undefined;
  const message = `${name}: ${show(value)} is not in Unicode normalization form NFC; accepted: the same text with composed characters`;
  return { code: "SUITE_CHARACTERS", message };
}

/** A value that is no text, for a message: a number or boolean itself, of the others the kind. */
function shown(value: unknown): string {
  const isScalar = typeof value === "number" || typeof value === "boolean";
  return isScalar ? `${kindOf(value)} ${value}` : kindOf(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  return isMap(value) ? "a map" : `the ${typeof value}`;
}
