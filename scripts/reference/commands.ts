import { readFileSync } from "node:fs";
import { page } from "./markdown.ts";

interface Manifest {
  readonly commands: Readonly<Record<string, ManifestCommand>>;
}

interface ManifestCommand {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly usage?: string;
  readonly hidden?: boolean;
  readonly examples?: readonly string[];
  readonly args: Readonly<Record<string, ManifestInput>>;
  readonly flags: Readonly<Record<string, ManifestInput>>;
}

interface ManifestInput {
  readonly name: string;
  readonly char?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly helpValue?: string;
  readonly type?: string;
  readonly required?: boolean;
  readonly options?: readonly string[];
  readonly env?: string;
  readonly default?: unknown;
}

/** Read from the manifest, so the page lists exactly what is published. */
export function commandsPage(): string {
  const text = readFileSync(new URL("../../oclif.manifest.json", import.meta.url), "utf8");
  const { commands } = JSON.parse(text) as Manifest;
  const visibleCommands = Object.values(commands).filter(({ hidden }) => hidden !== true);
  return page("Commands", "the commands themselves", ...visibleCommands.map(section));
}

function section(command: ManifestCommand): string {
  const name = command.id.replaceAll(":", " ");
  const aliases = command.aliases.map((alias) => `\`svcm ${alias}\``).join(", ");
  const inputs = [
    ...Object.values(command.args).map((arg) => `- \`${arg.name.toUpperCase()}\`: ${describe(arg)}`),
    ...Object.values(command.flags).map((flag) => `- ${flagName(flag)}: ${describe(flag)}`),
  ];
  const examples = (command.examples ?? []).map((example) => example.replaceAll("<%= config.bin %>", "svcm"));
  return [
    `## svcm ${name}`,
    asText(command.summary),
    asText(command.description),
    aliases === "" ? "" : `Short: ${aliases}`,
    inputs.join("\n"),
    examples.length > 0 ? `\`\`\`sh\n${examples.join("\n")}\n\`\`\`` : "",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function flagName({ name, char, type, helpValue }: ManifestInput): string {
  const value = type === "option" ? ` ${helpValue ?? "<value>"}` : "";
  return `\`--${name}${value}\`${char === undefined ? "" : `, \`-${char}\``}`;
}

function describe({ summary, description, options, env, default: defaultValue }: ManifestInput): string {
  const notes = [
    options && `one of ${options.map((option) => `\`${option}\``).join(", ")}`,
    env && `also \`${env}\``,
    defaultValue !== undefined && defaultValue !== false && `default \`${JSON.stringify(defaultValue)}\``,
  ].filter(Boolean);
  return `${asText(summary ?? description)}${notes.length > 0 ? ` (${notes.join("; ")})` : ""}`;
}

/** Markdown would take `<name>` for a tag and show nothing. */
function asText(text = ""): string {
  return text.replaceAll("<", "\\<");
}
