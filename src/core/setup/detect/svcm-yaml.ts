import type { Layout, ServiceLayout } from "./layout.ts";
import type { RuntimeContract } from "../../api/facts.ts";
import { parseYaml } from "../../yaml/parse.ts";
import { renderScalar } from "../../yaml/write.ts";
import { editYaml } from "../../yaml/splice/edit-yaml.ts";
import { PROJECT_FILE } from "../../project/project.ts";
import type { DetectedKey } from "./detect.ts";

const SCHEMA = "# yaml-language-server: $schema=./node_modules/svcm/schemas/svcm.v1.schema.json";

/** Facts that only a user knows. */
export interface InitAnswers {
  readonly allow?: readonly string[] | undefined;
  readonly health?: Readonly<Record<string, string>> | undefined;
}

/** @param keys `undefined` if another file declares them */
export function renderSvcmYaml(
  layout: Layout,
  keys: readonly DetectedKey[] | undefined,
  { allow, health }: InitAnswers = {},
): string {
  const { "": only, ...services } = layout.services;
  return [
    SCHEMA,
    "version: 1",
    ...members(headOf(layout), "", new Set(["environments"])),
    ...undecidedLines(layout),
    ...(only
      ? serviceLines(only, "")
      : [
          "services:",
          ...Object.entries(services).flatMap(([name, service]) => [
            `  ${renderScalar(name)}:`,
            ...serviceLines(service, "    "),
          ]),
        ]),
    ...(health === undefined ? [] : ["rollout:", "  health:", ...probeLines(health, keys)]),
    ...keyLines(keys, allow),
    "",
  ].join("\n");
}

function headOf({ environments, default: main, folders }: Layout): Readonly<Record<string, unknown>> {
  return { environments, ...(main !== undefined && { default: main }), ...(folders && { folders }) };
}

const UNDECIDED_HELP =
  "Name each of these files below ecosystem, or leave it out. Then run svcm init --confirm, which removes this list.";

function undecidedLines({ undecided }: Layout): string[] {
  if (undecided.length === 0) return [];
  return [`# ${UNDECIDED_HELP}`, "undecided:", ...undecided.map((file) => `  - ${flow(file)}`)];
}

/** An app that has a key PORT listens on it. */
function probeLines(health: Readonly<Record<string, string>>, keys: readonly DetectedKey[] = []): string[] {
  const port = keys.some(({ key }) => key === "PORT") ? { port: "PORT" } : {};
  return Object.entries(health).map(([app, path]) => `    ${renderScalar(app)}: ${flow({ path, ...port })}`);
}

function keyLines(keys: readonly DetectedKey[] | undefined, allow: readonly string[] = []): string[] {
  if (keys === undefined) return [];
  if (keys.length === 0) return ["keys: {}"];
  return ["keys:", ...keys.map((key) => `  ${renderScalar(key.key)}: ${flow(keyEntry(key, allow.includes(key.key)))}`)];
}

function serviceLines(service: ServiceLayout, indent: string): string[] {
  return members({ ...service }, indent, new Set(["ecosystem", "env"]));
}

function members(values: Readonly<Record<string, unknown>>, indent: string, open: ReadonlySet<string>): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    open.has(name) && typeof value === "object" && value !== null && Object.keys(value).length > 0
      ? [
          `${indent}${name}:`,
          ...Object.entries(value).map(([key, one]) => `${indent}  ${renderScalar(key)}: ${flow(one)}`),
        ]
      : [`${indent}${name}: ${flow(value)}`],
  );
}

/** A key that is not secret is proposed as read-only, and marked as a guess. */
export function keyEntry({ verdict, kind, why }: DetectedKey, isAllowed = false): Readonly<Record<string, string>> {
  if (isAllowed) return { kind: verdict === "open" || verdict === "undecided" ? kind : "secret", tier: "editable" };
  if (verdict === "open") return { kind, tier: "read-only", guess: why };
  if (verdict === "connection") return { kind: "connection-url" };
  return { kind: "secret", ...(verdict === "undecided" && { guess: why }) };
}

function flow(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.map(flow).join(", ")}]`;
  if (typeof value !== "object" || value === null) return renderScalar(value);
  const entries = Object.entries(value).map(([key, member]) => `${renderScalar(key)}: ${flow(member)}`);
  return `{ ${entries.join(", ")} }`;
}

export function withoutUndecided(text: string): string {
  const { value } = parseYaml(text, PROJECT_FILE);
  const edited = editYaml({ text, value, isJson: false }, [{ kind: "delete", path: ["undecided"] }]).text;
  return edited.replace(`# ${UNDECIDED_HELP}\n`, "");
}

export function undeclaredKeys(declared: RuntimeContract["keys"], detected: readonly DetectedKey[]): DetectedKey[] {
  return detected.filter(({ key }) => !Object.hasOwn(declared, key));
}

/** Every other byte stays. @param date for example `2026-11-22` */
export function addKeys(text: string, [first, ...others]: readonly DetectedKey[], date: string): string {
  if (first === undefined) return text;
  const { value } = parseYaml(text, PROJECT_FILE);
  const changes = [first, ...others].map((key) => ({
    kind: "set" as const,
    path: ["keys", key.key],
    value: keyEntry(key),
  }));
  const edited = editYaml({ text, value, isJson: false }, changes).text;
  const head = `${renderScalar(first.key)}:`;
  const lines = edited.split("\n");
  const row = lines.findIndex((line, index) => line.trimStart().startsWith(head) && line !== text.split("\n")[index]);
  const indent = /^\s+/.exec(lines[row] ?? "")?.[0];
  return indent === undefined ? edited : lines.toSpliced(row, 0, `${indent}# added by svcm init on ${date}`).join("\n");
}
