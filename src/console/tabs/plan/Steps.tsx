import type { JSX } from "preact";
import type { PlanStep, Release } from "../../../core/api/rollout.ts";
import { escapeHidden } from "../../../core/words/characters.ts";
import { NOTES, reasonTexts, stepText } from "../../../core/rollout/report/words.ts";
import { Icon, type IconName } from "../../ui/Button.tsx";
import { Names } from "../../ui/Names.tsx";

type ReleaseStep = Release["steps"][number];

const icons: Readonly<Record<ReleaseStep["do"], IconName>> = {
  preflight: "search",
  register: "file",
  start: "plus",
  resume: "play",
  update: "restart",
  scale: "layers",
  replace: "restart",
  remove: "minus",
  save: "download",
  return: "undo",
};

type Felt = Exclude<PlanStep["disruption"], "none">;

const disruptions: Readonly<Record<Felt, readonly [tone: string, icon: IconName, word: string]>> = {
  partial: ["warning", "warning", "fewer instances"],
  gap: ["warning", "warning", "short gap"],
  down: ["error", "error", "down"],
};

export function PlannedSteps({ steps }: { steps: readonly PlanStep[] }): JSX.Element {
  return (
    <ol class="steps planned" aria-label="Steps of the plan">
      {withNotesOnce(steps).map(([step, ...alike], at) => (
        <li key={`${at} ${step.do} ${step.app}`}>
          <Icon name={icons[step.do]} />
          <div class="step-text">
            <strong>
              <Names of={[step, ...alike].map(({ app }) => app)} />
            </strong>
            {stepText(step)}
            <ul>
              {reasonTexts(step, escapeHidden).map((line) => (
                <li key={line}>{line}</li>
              ))}
              {step.notes.map((note) => (
                <li key={note} class="reason">
                  {NOTES[note]}
                </li>
              ))}
            </ul>
          </div>
          <Disruption of={step.disruption} word={step.port && "other port"} />
        </li>
      ))}
    </ol>
  );
}

type Alike = readonly [PlanStep, ...PlanStep[]];

/** Steps in a row that say the same of several apps are one line, and a note is said once. */
function withNotesOnce(steps: readonly PlanStep[]): Alike[] {
  const seen = new Set<string>();
  const lines: [PlanStep, ...PlanStep[]][] = [];
  let last = "";
  for (const step of steps) {
    const { do: kind, disruption, port } = step;
    const words = JSON.stringify([kind, disruption, port, stepText(step), reasonTexts(step, escapeHidden), step.notes]);
    if (words === last) lines.at(-1)?.push(step);
    else lines.push([{ ...step, notes: step.notes.filter((note) => !seen.has(note) && seen.add(note)) }]);
    last = words;
  }
  return lines;
}

interface DisruptionProps {
  readonly of: PlanStep["disruption"];
  readonly word?: string | undefined;
}

export function Disruption({ of, word }: DisruptionProps): JSX.Element | null {
  if (of === "none") return null;
  const [tone, icon, usual] = disruptions[of];
  return (
    <span class={`badge ${tone}`}>
      <Icon name={icon} size={12} />
      {word ?? usual}
    </span>
  );
}

const phases: Readonly<Record<ReleaseStep["phase"], readonly [tone: string, word: string]>> = {
  "not-begun": ["", "not begun"],
  begun: ["warning", "running"],
  done: ["good", "done"],
  failed: ["error", "failed"],
  reverted: ["warning", "taken back"],
};

export function ReleaseSteps({ of: { steps, outcome } }: { of: Release }): JSX.Element {
  return (
    <ol class="steps" aria-label="Steps of the release">
      {steps.map(({ do: kind, app, phase, reason, durationMs }, at) => {
        const [tone, word] = phases[phase];
        const isWaiting = phase === "not-begun" && outcome === "running";
        return (
          <li key={`${at} ${kind} ${app}`} class={phase}>
            <Icon name={icons[kind]} />
            <div class="step-text">
              {kind} <bdi>{app === "" ? "PM2's list" : app}</bdi>
              {durationMs !== undefined && <small> {(durationMs / 1000).toFixed(1)} s</small>}
              {reason !== undefined && <p>{reason}</p>}
            </div>
            <span class={`badge ${tone}`}>{isWaiting ? "waiting" : word}</span>
          </li>
        );
      })}
    </ol>
  );
}
