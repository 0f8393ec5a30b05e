import {
  renderPlan,
  selectNodes,
  type FleetRollout,
  type Ports,
  type DeployPlan,
  type DeployResult,
} from "../../core/index.ts";
import * as Flags from "@oclif/core/flags";
import type { RolloutChoices } from "../../core/api/fleet-rollout.ts";
import type { Fleet } from "../../fleet/fleet.ts";
import type { RecordedRollout, NodePlan } from "../../fleet/index.ts";
import type { SvcmCommand } from "../base.ts";
import { fold, renderTable } from "./table.ts";
import { readDeadline } from "./numbers.ts";
import { paint, stdoutScreen, type Screen } from "./screen.ts";
import { isProductionName } from "../../core/words/production.ts";
import { writeErr } from "./output.ts";
import { canPrompt, confirmChange, confirmName, requirePrompt } from "./prompt.ts";
import { openLines, renderRelease } from "./release.ts";

const ACTION_MS = 600_000;

interface ApplyFlags {
  readonly node?: readonly string[] | undefined;
  readonly "max-parallel"?: number | undefined;
  readonly deadline?: string | undefined;
  readonly yes: boolean;
  /** Of a deploy. */
  readonly "dry-run"?: boolean;
}

/** Asks once, and applies or deploys on one node after another. @returns null after a no and a dry run */
export async function applyOnNodes(
  command: SvcmCommand,
  verb: "apply" | "deploy",
  { node: selectors = [], "max-parallel": maxParallel = 1, deadline, yes, "dry-run": isDry = false }: ApplyFlags,
  apply: RolloutChoices,
): Promise<{ readonly rollout: FleetRollout | null; readonly plans: readonly NodePlan[] }> {
  const deadlineMs = readDeadline(deadline, ACTION_MS);
  requirePrompt(yes || isDry || canPrompt(command), `svcm ${verb}`, "--yes");
  const { signal } = command;
  const ports = await command.ports();
  return command.withFleet(async (fleet, { beginRollout, planNodes }) => {
    const declared = (await fleet.nodes()).filter(({ isDeclared }) => isDeclared);
    const nodes = selectNodes(declared, selectors);
    const plans = await planNodes(
      { fleet, ports },
      {
        nodes,
        apply,
        deploys: verb === "deploy",
        deadlineMs,
        version: command.config.version,
        say: (line) => writeErr(`${line}\n`),
      },
    );
    await printPlans(command, plans);
    const changed = plans.filter(({ plan }) => plan.changed).map(({ node }) => node);
    if (changed.length === 0) {
      command.log("\nNothing to do.");
      return { rollout: null, plans };
    }
    if (isDry) return { rollout: null, plans };
    if (signal.aborted || (!yes && !(await isAccepted(command, verb, changed, plans)))) {
      command.setExitCode(signal.aborted ? 1 : 0);
      return { rollout: null, plans };
    }
    const lock = await beginRollout({ fleet, ports }, plans, { apply, maxParallel });
    return { rollout: await showRollout(command, lock, { fleet, ports, deadlineMs, signal }), plans };
  });
}

async function isAccepted(
  command: SvcmCommand,
  verb: "apply" | "deploy",
  changed: readonly string[],
  plans: readonly NodePlan[],
): Promise<boolean> {
  const { environment = "" } = plans[0]?.plan ?? {};
  const question = `${verb === "apply" ? "Apply these plans" : "Deploy"} on ${changed.join(", ")}, in this order?`;
  return isProductionName(environment)
    ? await confirmName(command, `${question} Type the name ${environment} to go on:`, environment)
    : await confirmChange(command, question);
}

interface RunContext {
  readonly fleet: Fleet;
  readonly ports: Ports;
  /** Requests a stop after the current actions. */
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

/** Exits with 1 if every node runs as before, and with 3 if the user must act. */
async function showRollout(
  command: SvcmCommand,
  lock: RecordedRollout,
  { fleet, ports, deadlineMs, signal }: RunContext,
): Promise<FleetRollout> {
  const { rolloutState, runRollout } = await import("../../fleet/index.ts");
  let previous = lock.rollout;
  const onChange = (next: FleetRollout): void => {
    if (next.direction !== previous.direction) command.log("A node failed: those that were changed go back.");
    for (const [at, one] of next.nodes.entries()) {
      const before = previous.nodes[at];
      if (before?.state !== one.state || before.code !== one.code) command.log(fold(nodeLine(one), stdoutScreen()));
    }
    previous = next;
  };
  const rollout = await runRollout({ fleet, ports, deadlineMs, signal, onChange }, lock);
  const state = rolloutState(rollout);
  command.log(fold([`Rollout ${rollout.id}: ${paintState(state)}.`, ...nextSteps(state)].join("\n"), stdoutScreen()));
  command.setExitCode(state === "applied" ? 0 : state === "returned" ? 1 : 3);
  return rollout;
}

/** @returns null if the user does not agree */
export async function continueRollout(
  command: SvcmCommand,
  action: "resume" | "rollback",
  { yes, deadline, environment }: Pick<ApplyFlags, "yes" | "deadline"> & { readonly environment?: string | undefined },
): Promise<FleetRollout | null> {
  const deadlineMs = readDeadline(deadline, ACTION_MS);
  requirePrompt(yes || canPrompt(command), `svcm rollout ${action}`, "--yes");
  const { signal } = command;
  const ports = await command.ports();
  return command.withFleet(async (fleet, { requireOpenRollout, takeOver, toRecorded, planRemaining }) => {
    const current = toRecorded(await requireOpenRollout(fleet, environment));
    if (current === undefined) return null;
    const direction = action === "rollback" ? "rollback" : current.rollout.direction;
    await printRollout(command, current.rollout);
    const request = { deadlineMs, version: command.config.version };
    const plans = direction === "apply" ? await planRemaining(fleet, current, request) : [];
    if (direction === "apply") await printPlans(command, plans);
    const question = direction === "apply" ? "Continue this rollout?" : "Roll back the changed nodes?";
    if (!yes && !(await confirmChange(command, question))) return null;
    const lock = await takeOver({ fleet, ports }, current, direction, plans);
    return showRollout(command, lock, { fleet, ports, deadlineMs, signal });
  });
}

async function printPlans(command: SvcmCommand, plans: readonly NodePlan[]): Promise<void> {
  for (const [at, { node, plan, prepared }] of plans.entries()) {
    const head = prepared === undefined ? "" : `${renderPrepared(prepared)}\n`;
    const text = head + (await renderPlan(plan, "text", paint));
    command.log(`${at === 0 ? "" : "\n"}${paint.bold(node)}\n${fold(text, stdoutScreen())}`);
  }
}

type Node = FleetRollout["nodes"][number];

function nodeLine({ node, state, release, code, reason }: Node): string {
  const releaseText = state === "applied" && release !== undefined ? ` (release ${release})` : "";
  return `${node}: ${paintState(state)}${releaseText}${code === undefined ? "" : `. ${code}: ${reason ?? ""}`}`;
}

export async function printRollout(command: SvcmCommand, rollout: FleetRollout): Promise<void> {
  const { renderAge, rolloutState } = await import("../../fleet/index.ts");
  const { id, environment, owner, takenFrom, message, startedAt, nodes } = rollout;
  const state = rolloutState(rollout);
  command.print((screen: Screen) =>
    [
      fold(
        `Rollout ${id} of ${environment} by ${owner}: ${paintState(state)}, begun ${renderAge(startedAt, Date.now())}.`,
        screen,
      ),
      ...(takenFrom === undefined || takenFrom === owner ? [] : [fold(`Taken over from ${takenFrom}.`, screen)]),
      ...(message === undefined ? [] : [fold(JSON.stringify(message), screen)]),
      fold(`Choices of ${owner}: ${choicesText(rollout)}.`, screen),
      renderTable<Node>(
        [
          { heading: "NODE", cell: ({ node }) => node, shorten: "middle" },
          { heading: "STATE", cell: (one) => one.state, colour: (one) => stateColour(one.state) },
          { heading: "PLAN", cell: ({ plan }) => plan ?? "-", dropPriority: 2 },
          { heading: "RELEASE", cell: ({ release }) => release ?? "-", dropPriority: 1 },
        ],
        nodes,
        screen,
      ),
      ...nodes.filter(({ code }) => code !== undefined).map((one) => fold(nodeLine(one), screen)),
      ...nextSteps(state).map((line) => fold(line, screen)),
    ].join("\n"),
  );
}

/** The record of the owner has them, and the NATS server vouches for its owner. */
function choicesText({ choices, maxParallel }: FleetRollout): string {
  const { environment: _environment, message: _message, ...rest } = choices;
  const chosen = Object.entries({ ...rest, maxParallel }).filter(([, value]) => value !== undefined);
  return chosen.map(([name, value]) => `${name} ${[value].flat().join(", ")}`).join("; ");
}

export const rolloutEnvironmentFlag = Flags.string({
  char: "e",
  summary: "Environment of the rollout. Not needed if only one has an open rollout.",
  helpValue: "<name>",
});

function nextSteps(state: string): string[] {
  if (state !== "stopped" && state !== "applying" && state !== "returning") return [];
  const running = state === "stopped" ? [] : ["If the svcm that runs it has died, another one can take over."];
  return [
    ...running,
    "To continue: svcm rollout resume",
    "To roll back every node: svcm rollout rollback",
    "To leave every node as it is: svcm rollout unlock",
  ];
}

const GOOD: ReadonlySet<string> = new Set(["applied", "unchanged"]);
const BAD: ReadonlySet<string> = new Set(["failed", "half", "stopped"]);

function stateColour(state: string): ((text: string) => string) | undefined {
  if (GOOD.has(state)) return paint.green;
  return BAD.has(state) ? paint.red : undefined;
}

function paintState(state: string): string {
  return stateColour(state)?.(state) ?? state;
}

/** Notes of a deploy are lines of its progress. */
export function renderPrepared({ commit, subject, folder, from, commits }: DeployPlan): string {
  const before = from === null ? "" : ` (now ${from.slice(0, 7)})`;
  return [
    `Prepared ${commit.slice(0, 7)} "${subject}"${before} in ${folder}. No process was touched.`,
    ...(from !== null && commits === null ? ["  The commits between them are unknown."] : []),
    ...commitLines("+", commits?.added),
    ...commitLines("-", commits?.removed),
  ].join("\n");
}

const MAX_COMMITS = 10;

function commitLines(sign: string, commits: NonNullable<DeployPlan["commits"]>["added"] = []): string[] {
  const lines = commits
    .slice(0, MAX_COMMITS)
    .map(({ commit, subject }) => `  ${sign} ${commit.slice(0, 7)} ${subject}`);
  return commits.length > MAX_COMMITS ? [...lines, `  ${sign} and more`] : lines;
}

export function renderDeploy({ deploy, release, pruned, plan }: DeployResult): string {
  const { commit, subject, id, current } = deploy;
  const open = openLines(plan);
  const isOpen = release === null && open.length > 0;
  const what = isOpen ? "needed no step" : release === null ? "was running already" : "is deployed";
  const colour = isOpen ? paint.yellow : paint.green;
  return [
    colour(`${commit.slice(0, 7)} "${subject}" ${what}, in release folder ${id}.`),
    ...open.map((line) => `  ${line}`),
    ...(current ? [] : ["  current does not lead to it."]),
    ...(pruned.length === 0 ? [] : [`  No longer needed, so removed: ${pruned.join(", ")}.`]),
    ...(release === null ? [] : [renderRelease(release), `${paint.bold("To go back:")} svcm rollback ${release.id}`]),
  ].join("\n");
}
