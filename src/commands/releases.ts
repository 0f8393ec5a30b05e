import { auditText, releaseList, type Release } from "../core/index.ts";
import { NodeCommand } from "./terminal/node-command.ts";
import { fold, printTable, type Column } from "./terminal/table.ts";
import type { Verdict } from "./terminal/screen.ts";
import { renderDuration } from "../core/words/time.ts";

export default class ReleasesList extends NodeCommand {
  static override hiddenAliases = ["releases:list"];
  static override summary = "List the newest applies and rollbacks of this repository.";
  static override description =
    "svcm keeps the newest ten in PM2_HOME. `half` means that some apps may run as before and others as planned, or that svcm was interrupted.";
  static override examples = ["<%= config.bin %> releases", "<%= config.bin %> releases --json"];

  async run() {
    await this.parse(ReleasesList);
    const response = await this.execute(releaseList, {});
    const { releases, foreign } = response;
    const hasCode = releases.some(({ deploy }) => deploy !== undefined);
    const [newest] = releases;
    const verdict = newest && releaseVerdict(newest, Date.now());
    printTable(this, hasCode ? [...COLUMNS, CODE] : COLUMNS, releases, EMPTY, verdict);
    if (foreign !== undefined) this.print((screen) => fold(foreignText(foreign), screen));
    return response;
  }
}

function foreignText({ folder, commit }: NonNullable<Awaited<ReturnType<typeof releaseList.run>>["foreign"]>): string {
  const what =
    commit === null ? "whose commit is unknown: it has no file REVISION" : `of commit ${commit.slice(0, 10)}`;
  return `current leads to ${folder}, a release of another tool ${what}.`;
}

function releaseVerdict({ id, outcome, environment, startedAt }: Release, nowMs: number): Verdict {
  const ageMs = nowMs - Date.parse(startedAt);
  const time = ageMs < 0 ? "a time that the clock has yet to reach: it was set back" : `${renderDuration(ageMs)} ago`;
  const text = `The newest release of ${environment} is ${outcome}, from ${time}.`;
  if (outcome === "applied") return { text, tone: "good" };
  return { text, tone: outcome === "half" ? "bad" : "attention", next: `svcm releases show ${id}` };
}

const EMPTY = "There are no releases yet. svcm records one for each apply that changes something.";

const COLUMNS: readonly Column<Release>[] = [
  { heading: "RELEASE", cell: ({ id }) => id },
  { heading: "ENVIRONMENT", cell: ({ environment }) => environment, dropPriority: 1 },
  {
    heading: "OUTCOME",
    cell: ({ outcome }) => outcome,
    colour: ({ outcome }, { red, yellow }) => (outcome === "half" ? red : outcome === "applied" ? undefined : yellow),
  },
  { heading: "COMMIT", cell: ({ git }) => git?.commit.slice(0, 10) ?? "-", dropPriority: 2 },
  { heading: "BY", cell: (release) => auditText.callerText(release), dropPriority: 3 },
  { heading: "NOTE", cell: noteOf, shorten: "end", dropPriority: 4 },
];

/** The folder of svcm deploy; none for what ran before the first one, in the checkout or of another tool. */
const CODE: Column<Release> = {
  heading: "CODE",
  cell: ({ deploy }) => (deploy === undefined ? "-" : `${deploy.id ?? "-"}${deploy.isCurrent ? " (current)" : ""}`),
  dropPriority: 5,
};

function noteOf({ undoes, message = "" }: Release): string {
  return undoes === undefined ? message : `undoes ${undoes}`;
}
