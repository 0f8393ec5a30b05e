/** The words of the root help, which completion offers first. @see CONTRACT section 16 */
export interface CommandGroup {
  readonly name: string;
  readonly words: readonly string[];
  /** Words that are of no use without a file or a setting, which `subject` names. */
  readonly withSubject?: { readonly subject: Subject; readonly words: readonly string[] };
}

export type Subject = "deployments.yaml" | "nats: in svcm.yaml";

export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    name: "See",
    words: ["status", "ls", "show", "logs", "why", "events", "audit", "monit", "metrics", "mute", "note"],
  },
  {
    name: "Change",
    words: [
      "plan",
      "apply",
      "deploy",
      "rollback",
      "releases",
      "start",
      "stop",
      "restart",
      "reload",
      "scale",
      "delete",
      "wait",
      "run",
      "approve",
      "deny",
    ],
  },
  {
    name: "Values",
    words: ["env get|set|unset|edit|diff|export|run|template", "keys list|allow|hide|add|confirm", "startup check"],
  },
  { name: "Verify", words: ["check", "validate", "doctor", "boot", "explain"] },
  {
    name: "Declare",
    words: ["ecosystem show"],
    withSubject: {
      subject: "deployments.yaml",
      words: ["targets", "interfaces", "config", "matrix", "diff", "migrate", "schema"],
    },
  },
  {
    name: "Machines",
    words: [],
    withSubject: { subject: "nats: in svcm.yaml", words: ["nodes", "rollout", "agent", "nats"] },
  },
  { name: "Set up", words: ["init", "serve", "token", "alerts", "completion", "mcp", "skill", "daemon"] },
];

/** `env get|set` is the word `env`. */
export function rootWords(): Set<string> {
  const words = COMMAND_GROUPS.flatMap((group) => [...group.words, ...(group.withSubject?.words ?? [])]);
  return new Set(words.map((word) => word.split(" ")[0] ?? word));
}

const SUMMARY = "svcm: describe, check and control the Node.js backends that PM2 runs";
const NAME_WIDTH = 10;
const MIN_WIDTH = 40;

export interface HelpScreen {
  readonly width: number;
  readonly bold: (text: string) => string;
}

/** @param present the subjects that the repository has */
export function rootHelp(present: ReadonlySet<Subject>, screen: HelpScreen): string {
  const usage = named("Usage", ["svcm", "[COMMAND]", "[--help]"], screen, " ");
  return `${[SUMMARY, "", ...usage, "", groupLines(present, screen)].join("\n")}\n`;
}

/** A group whose subject the repository lacks is one line at the end. */
export function groupLines(present: ReadonlySet<Subject>, screen: HelpScreen): string {
  const shown = COMMAND_GROUPS.flatMap(({ name, words, withSubject }) => {
    const more = withSubject !== undefined && present.has(withSubject.subject) ? withSubject.words : [];
    return words.length + more.length === 0 ? [] : named(name, [...words, ...more], screen);
  });
  const unused = COMMAND_GROUPS.flatMap(({ withSubject }) =>
    withSubject === undefined || present.has(withSubject.subject)
      ? []
      : foldWords([`With ${withSubject.subject}:`, ...withSubject.words], screen.width, " "),
  );
  return [...shown, ...(unused.length > 0 ? ["", ...unused] : [])].join("\n");
}

function named(name: string, words: readonly string[], { width, bold }: HelpScreen, gap = "  "): string[] {
  return foldWords(words, width - NAME_WIDTH, gap).map((line, index) =>
    index === 0 ? `${bold(name)}${" ".repeat(NAME_WIDTH - name.length)}${line}` : " ".repeat(NAME_WIDTH) + line,
  );
}

function foldWords(words: readonly string[], width: number, gap = "  "): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const longer = `${lines.at(-1) ?? ""}${gap}${word}`;
    if (lines.length > 0 && longer.length <= Math.max(width, MIN_WIDTH - NAME_WIDTH)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
