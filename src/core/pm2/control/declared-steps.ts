import { SvcmError } from "../../errors.ts";
import type { Ports } from "../../ports/index.ts";
import type { ProcessRecord } from "../process-record.ts";
import { label, resolveTarget } from "./target.ts";
import { actOn } from "./act-on.ts";
import type { Acting, ActionInput, Step, Steps } from "./acting.ts";
import { askedApps, type AskedApps } from "./asked-apps.ts";
import { listOrNone } from "./known.ts";
import { withoutOwn } from "./own-processes.ts";
import { noteProcesses, type ActionSubject, type Named } from "./recorded.ts";
import { startDeclared } from "./start-declared.ts";
import { warningsAfter } from "./warnings.ts";

/**
 * The steps for apps of the ecosystem file: a start of the apps that PM2 does not know, a restart with the declared
 * variables. If no app is named, one that cannot run as it is declared does not keep the others from it.
 *
 * @throws {SvcmError} for a named app that is unknown or cannot run as it is declared
 */
export async function declaredSteps(ports: Ports, input: ActionInput, about: ActionSubject): Promise<Steps> {
  const asked = await askedApps(ports, input, about);
  const [first] = asked.refused;
  if (!asked.isEvery && first !== undefined) throw first.error;
  const name = asked.isEvery ? "*" : asked.declarations.map((declared) => declared.name).join(", ");
  const common = { name, warnings: () => warningsAfter(ports, asked) };
  if (input.action !== "start") return { ...common, ...(await restartSteps(ports, asked, about)) };
  noteProcesses(about, ports, await knownOrNew(ports, asked));
  const of = (acting: Acting): Step[] => [
    ...asked.declarations.map((declared) => ({ label: declared.name, run: () => startDeclared(acting, declared) })),
    ...failingSteps(asked.refused),
  ];
  return { ...common, of, skipped: [] };
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
  { isEvery, declarations, refused }: AskedApps,
  about: ActionSubject,
): Promise<Pick<Steps, "of" | "skipped">> {
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
  const { others, own } = withoutOwn(ports, "restart", targets, isEvery);
  const of = (acting: Acting): Step[] => [
    ...others.map((record) => {
      const declared = declarations.find(({ name }) => name === record.name);
      return { label: label(record), run: () => actOn({ ...acting, declared }, record) };
    }),
    ...failingSteps(failing),
  ];
  return { of, skipped: own };
}

function failingSteps(refused: AskedApps["refused"]): Step[] {
  return refused.map(({ name, error }) => ({ label: name, run: () => Promise.reject(error) }));
}
