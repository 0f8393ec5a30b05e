import { envSpellings } from "../../src/core/project/resolve.ts";
import { acceptedValues } from "../../src/core/env/runtime-keys.ts";
import { packagedRuntimeContract as contract } from "../../src/core/project/facts/packaged.generated.ts";
import type { KeySpec, Tier } from "../../src/core/api/facts.ts";
import { codes, page, table } from "./markdown.ts";

export function runtimeKeysPage(): string {
  return page(
    "Runtime keys",
    "config/runtime-contract.yaml",
    `Environments: ${codes([...envSpellings(contract).keys()])}. Without one, \`NODE_ENV\` decides, else \`${contract.defaultEnvironment}\`.`,
    table(
      ["Environment", "Aliases", "File"],
      Object.entries(contract.environments).map(([name, { aliases = [], file }]) => [
        `\`${name}\``,
        codes(aliases),
        `\`${file}\``,
      ]),
    ),
    ...tierSection("editable", "Read and written by svcm."),
    ...tierSection("read-only", "Read by svcm, written by people."),
    ...tierSection(
      "never-exposed",
      "Never in an answer. A key that this contract does not list is never exposed either.",
    ),
    "## Operational profiles",
    ...Object.entries(contract.profiles).map(([name, { label, assignments }]) => {
      const lines = Object.entries(assignments).map(([key, value]) => `${key}=${value}`);
      return `### \`${name}\`: ${label}\n\n\`\`\`sh\n${lines.join("\n")}\n\`\`\``;
    }),
  );
}

function tierSection(tier: Tier, words: string): string[] {
  const rows = Object.entries(contract.keys)
    .filter(([, spec]) => spec.tier === tier)
    .map(([key, spec]) => [`\`${key}\``, defaultOf(spec), acceptedOf(spec), spec.help]);
  return [
    `## ${tier[0]?.toUpperCase()}${tier.slice(1)} keys`,
    words,
    table(["Key", "Default", "Accepted", "Meaning"], rows),
  ];
}

function defaultOf(spec: KeySpec): string {
  if (!("default" in spec) || spec.default === undefined) return "";
  return spec.default === "" ? "empty" : `\`${spec.default}\``;
}

function acceptedOf(spec: KeySpec): string {
  const words = acceptedValues(spec).map((value) => (value === "" ? "empty" : `\`${value}\``));
  return words.length === 0 ? "any text" : words.join(", ");
}
