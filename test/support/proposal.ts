import { readFileSync } from "node:fs";
import { parseYaml } from "../../src/core/yaml/parse.ts";
import type { Ports } from "../../src/core/index.ts";

export interface Proposal {
  readonly environments: Readonly<Record<string, readonly string[]>>;
  readonly default: string;
  readonly ecosystem?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly services?: Readonly<Record<string, unknown>>;
  readonly keys?: Readonly<Record<string, unknown>>;
  readonly template?: string;
  readonly undecided?: readonly { readonly file: string; readonly why: string }[];
}

export function proposalIn({ workspace: { root } }: Ports): Proposal {
  return parseYaml(readFileSync(`${root}/svcm.yaml`, "utf8"), "svcm.yaml").value as Proposal;
}
