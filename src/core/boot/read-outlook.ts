import type { Issue } from "../api/issue.ts";
import { findingsOf, toIssue } from "../findings/rule.ts";
import { NOT_COMPARED } from "./compare-declared.ts";
import { bootFindings } from "./examine.ts";
import type { BootPorts } from "./ports.ts";
import { readBootFacts, readMachineFacts } from "./read-facts.ts";
import { listRules } from "./rules-list.ts";

export async function readBootErrors(ports: BootPorts): Promise<Issue[]> {
  const facts = await readBootFacts(ports, { environment: undefined }, {});
  const errors = bootFindings(facts).filter(({ severity }) => severity === "error");
  return errors.map(({ command: _command, ...finding }) => toIssue(finding));
}

export async function readAppWarnings(ports: BootPorts): Promise<Issue[]> {
  const facts = await readMachineFacts(ports);
  if (facts.saved.state !== "read" || facts.running === null || facts.daemon?.isForeground) return [];
  return Array.from(findingsOf(listRules, { ...facts, declared: NOT_COMPARED }), (finding) => {
    const { command, message, ...rest } = finding;
    return toIssue({ ...rest, severity: "warning", message: `after a reboot: ${message}. Next: ${command}` });
  });
}
