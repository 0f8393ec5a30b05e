import { effect, signal } from "@preact/signals";
import type { Action, ActionResult } from "../../../client/index.ts";
import { escapeHidden } from "../../../core/words/characters.ts";
import { RequestError } from "../../data/request-error.ts";
import type { Subject, Toasts } from "../../state/toasts.ts";
import type { Feed } from "./feed.ts";
import { toFailure } from "./refusal.ts";

/** These failures are over as soon as PM2 can be read again. */
const PM2_CODES = /^PM2_/;
/** This failure is over when the next action succeeds. */
const RATE_CODE = "RATE_LIMITED";

/** Shows the outcomes of actions, and resolves a failure when its reason is over. */
function createReporter(feed: Feed, toasts: Toasts) {
  const failures = new Map<string, string | undefined>();
  const settle = (isOver: (code: string) => boolean): void => {
    for (const [topic, code = ""] of failures) if (isOver(code)) toasts.resolve(topic);
  };
  let wasReadable = true;
  effect(() => {
    const { metrics, refusal } = feed.newest.value ?? {};
    const isReadable = metrics !== undefined && refusal === undefined;
    if (isReadable && !wasReadable) settle((code) => PM2_CODES.test(code));
    wasReadable = isReadable;
  });
  return (result: ActionResult, subject: Subject): void => {
    const { ok, code } = result;
    if (ok) {
      failures.delete(subject.topic);
      toasts.resolve(subject.topic);
      settle((other) => other === RATE_CODE);
      toasts.success(successText(result));
      if (result.warnings?.length)
        toasts.error(escapeHidden(result.warnings.map(({ message }) => message).join(" ")), subject.topic);
      return;
    }
    failures.set(subject.topic, code);
    toasts.failed(toError(result), subject);
  };
}

export function createActions(feed: Feed, toasts: Toasts) {
  /** Running actions by the key of their process. */
  const underWay = signal<ReadonlyMap<string, Action["action"]>>(new Map());
  const show = createReporter(feed, toasts);
  return {
    underWay,
    async act(action: Action, key: string): Promise<void> {
      underWay.value = new Map([...underWay.value, [key, action.action]]);
      const subject = { topic: `action ${key}`, text: `${action.action} of ${escapeHidden(action.name ?? "")}` };
      try {
        show(await feed.act(action), subject);
      } catch (error) {
        toasts.failed(new RequestError(toFailure(error)), subject);
      } finally {
        underWay.value = new Map([...underWay.value].filter(([other]) => other !== key));
      }
    },
  };
}

function toError({ action, name, error = `${name}: ${action} failed.`, code }: ActionResult): RequestError {
  return new RequestError({ error, ...(code !== undefined && { code }) });
}

const pastTense = { start: "started", stop: "stopped", restart: "restarted", reload: "reloaded" } as const;

function successText({ action, name, affected = [], skipped = [] }: ActionResult): string {
  const pids = affected.flatMap(({ pid }) => (pid === null ? [] : [pid]));
  const about = pids.length === 0 ? "" : ` (pid ${pids.join(", ")})`;
  const left = skipped.map((other) => ` ${other.name} was left alone: ${other.reason}.`).join("");
  return escapeHidden(`${name} ${pastTense[action]}${about}.${left}`);
}
