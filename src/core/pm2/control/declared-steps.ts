import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports/index.ts";
import type { DeclaredRun } from "../../ports/processes.ts";
import type { ProcessRecord } from "../process-record.ts";
import { resolveTarget } from "./target.ts";
import { stepOn } from "./act-on.ts";
import type { Acting, ActionInput, Step, Steps } from "./acting.ts";
import { askedApps, type AskedApps } from "./asked-apps.ts";
import { listOrNone } from "./known.ts";
import { withoutOwn } from "./own-processes.ts";
import { noteProcesses, type ActionSubject, type Named } from "./recorded.ts";
import { startDeclared } from "./start-declared.ts";
import { declaredRun, differences, effectOf } from "./effect.ts";

/**
 * Without a named app, an app that cannot run as declared is skipped.
 * @throws {SvcmError} for a named app that is unknown or cannot run as declared
 */
export async function declaredSteps(ports: Ports, input: ActionInput, about: ActionSubject): Promise<Steps> {
  const asked = await askedApps(ports, input, about);
  const [first] = asked.refused;
  if (!asked.isEvery && first !== undefined) throw first.error;
  const name = asked.isEvery ? "*" : asked.declarations.map((declared) => declared.name).join(", ");
  if (input.action !== "start") return { name, ...(await restartSteps(ports, asked, input.action, about)) };
  noteProcesses(about, ports, await knownOrNew(ports, asked));
  const of = (acting: Acting): Step[] => [
    ...asked.declarations.map((declared) => ({ label: declared.name, run: () => startDeclared(acting, declared) })),
    ...failingSteps(asked.refused),
  ];
  return { name, of, skipped: [], after: () => effectOf(ports, asked, "start") };
}

async function knownOrNew(ports: Ports, { declarations, refused }: AskedApps): Promise<Named[]> {
  const known = await listOrNone(ports.processes);
  return [...declarations, ...refused].flatMap(({ name }): readonly Named[] => {
    const found = known.filter((record) => record.name === name);
    return found.length > 0 ? found : [{ name, pmId: null }];
  });
}

async function restartSteps(
  ports: Ports,
  asked: AskedApps,
  action: ProcessAction,
  about: ActionSubject,
): Promise<Pick<Steps, "of" | "skipped" | "after">> {
  const { isEvery, declarations, refused } = asked;
  const list = await ports.processes.list();
  const failing = [...refused];
  const processesOf = (name: string): ProcessRecord[] => {
    try {
      return resolveTarget(list, { scope: "process", name });
    } catch (error) {
      if (!isEvery || !(error instanceof SvcmError)) throw error;
      failing.push({ name, error });
      return [];
    }
  };
  const targets = declarations.flatMap(({ name }) => processesOf(name));
  noteProcesses(about, ports, [...targets, ...failing.map(({ name }) => ({ name, pmId: null }))]);
  const { others, own } = withoutOwn(ports, action, targets, isEvery);
  const declared = (record: ProcessRecord): DeclaredRun => declaredRun(ports, asked, record);
  const of = (acting: Acting): Step[] => [
    ...others.map((record) => stepOn({ ...acting, declared }, record)),
    ...failingSteps(failing),
  ];
  const before = differences(ports, asked, list);
  return { of, skipped: own, after: () => effectOf(ports, asked, action, before) };
}

function failingSteps(refused: AskedApps["refused"]): Step[] {
  return refused.map(({ name, error }) => ({ label: name, run: () => Promise.reject(error) }));
}
