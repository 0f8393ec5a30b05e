import { quoteValue } from "../findings/quote.ts";
import { withAccepted, acceptedText, type Finding } from "../findings/rule.ts";
import { isRecord } from "../words/record.ts";
import { healthMembers, rolloutMembers, type Member } from "./rollout-settings.ts";

interface RolloutFinding extends Finding {
  readonly path: readonly string[];
}

type MemberTable = Readonly<Record<string, Pick<Member, "matches" | "expected">>>;

const SUFFIX = /^[\w.-]{1,200}$/;

const PROBES: MemberTable[string] = {
  matches: isRecord,
  expected: "a map of probes by the suffix of an app's name, such as { restapi: { path: /health } }",
};
const SETTINGS: MemberTable = { ...rolloutMembers, health: PROBES };

export function rolloutFindings(rollout: unknown): RolloutFinding[] {
  if (!isRecord(rollout)) return [notAMap([], SETTINGS)];
  const { health } = rollout;
  return [
    ...memberFindings(rollout, SETTINGS, []),
    ...(isRecord(health) ? Object.entries(health).flatMap(([suffix, probe]) => probeFindings(suffix, probe)) : []),
  ];
}

function probeFindings(suffix: string, probe: unknown): RolloutFinding[] {
  const path = ["health", suffix];
  const name = "the suffix of an app's name: letters, digits, _, . and -";
  if (!SUFFIX.test(suffix)) return [{ path, message: acceptedText(`${quoteValue(suffix)} is not accepted`, name) }];
  return isRecord(probe) ? memberFindings(probe, healthMembers, path) : [notAMap(path, healthMembers)];
}

function memberFindings(
  values: Readonly<Record<string, unknown>>,
  members: MemberTable,
  parent: readonly string[],
): RolloutFinding[] {
  return Object.entries(values).flatMap(([name, value]): RolloutFinding[] => {
    const path = [...parent, name];
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member === undefined)
      return [{ path, ...withAccepted(`${quoteValue(name)} is not a known key here`, Object.keys(members), name) }];
    return member.matches(value)
      ? []
      : [{ path, message: acceptedText(`${quoteValue(value)} is not accepted`, member.expected) }];
  });
}

function notAMap(path: readonly string[], members: MemberTable): RolloutFinding {
  return { path, message: acceptedText("not a map", `a map of ${Object.keys(members).join(", ")}`) };
}
