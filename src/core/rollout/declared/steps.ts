import type { HasWorkspace } from "../../project/port-repository.ts";
import type { HasStamps } from "../../files/port-files.ts";
import type { ApplyPorts } from "../apply/ports.ts";

import { resolveTarget, targetName, separateOwn } from "../../pm2/target.ts";
import { createProcessStep } from "../control/act-on.ts";
import type { ActionInput, Steps, ActionContext, Step } from "../control/action.ts";
import { noteProcesses, type ActionSubject, type NamedProcess } from "../control/action-subject.ts";
import type { ProcessAction } from "../../api/names.ts";
import { SvcmError } from "../../api/errors.ts";
import type { DeclaredRun, HasProcesses } from "../../pm2/port-processes.ts";
import type { ProcessRecord } from "../../pm2/process-record.ts";
import { readRequestedApps, type RequestedApps } from "./requested-apps.ts";
import { listOrEmpty } from "../../pm2/list-or-empty.ts";
import { separateJobs } from "../control/jobs.ts";
import { startDeclared } from "../control/start-declared.ts";
import { scheduleWarnings } from "../control/schedule-warnings.ts";
import { findDeclaredRun, listDrift, readEffect } from "./effect.ts";

/**
 * Records the affected processes in `subject` as soon as they are known.
 * @throws {SvcmError} PROCESS_NOT_FOUND, PROCESS_AMBIGUOUS, SELF_ACTION_BLOCKED, INVALID_REQUEST, PM2_FAILED; for the
 * scope `ecosystem` also PROCESS_ACTION_REFUSED and the errors of reading its file.
 */
export async function createSteps(ports: ApplyPorts, input: ActionInput, subject: ActionSubject): Promise<Steps> {
  const { scope } = input;
  if (scope === "ecosystem") return createDeclaredSteps(ports, input, subject);
  const request = { ...input, scope };
  const targets = resolveTarget(await ports.processes.list(), request);
  noteProcesses(subject, ports, targets);
  if (scope === "process") delete subject.target;
  const { others, own } = separateOwn(ports, input.action, targets, scope === "namespace");
  const { services, left } =
    scope === "namespace" ? separateJobs(input.action, others) : { services: others, left: [] };
  return {
    name: targetName(request, targets),
    create: (context) => services.map((record) => createProcessStep(context, record)),
    skipped: [...own, ...left],
    readEffect: () => Promise.resolve({ warnings: input.action === "stop" ? scheduleWarnings(others) : [] }),
  };
}

/**
 * Without a named app, an app that cannot run as declared is skipped.
 * @throws {SvcmError} for a named app that is unknown or cannot run as declared
 */
async function createDeclaredSteps(ports: ApplyPorts, input: ActionInput, subject: ActionSubject): Promise<Steps> {
  const requested = await readRequestedApps(ports, input, subject);
  const [first] = requested.refused;
  if (!requested.isAll && first !== undefined) throw first.error;
  const name = requested.isAll ? "*" : requested.declarations.map((declared) => declared.name).join(", ");
  if (input.action !== "start") return { name, ...(await createRestartSteps(ports, requested, input.action, subject)) };
  noteProcesses(subject, ports, await listSubjects(ports, requested));
  const create = (context: ActionContext): Step[] => [
    ...requested.declarations.map((declared) => ({
      label: declared.name,
      run: () => startDeclared(context, declared),
    })),
    ...createFailingSteps(requested.refused),
  ];
  return { name, create, skipped: [], readEffect: () => readEffect(ports, requested, "start") };
}

async function listSubjects(ports: HasProcesses, { declarations, refused }: RequestedApps): Promise<NamedProcess[]> {
  const listed = await listOrEmpty(ports.processes);
  return [...declarations, ...refused].flatMap(({ name }): readonly NamedProcess[] => {
    const found = listed.filter((record) => record.name === name);
    return found.length > 0 ? found : [{ name, pmId: null }];
  });
}

async function createRestartSteps(
  ports: HasProcesses & HasStamps & HasWorkspace,
  requested: RequestedApps,
  action: ProcessAction,
  subject: ActionSubject,
): Promise<Pick<Steps, "create" | "skipped" | "readEffect">> {
  const { isAll, declarations, refused } = requested;
  const list = await ports.processes.list();
  const failing = [...refused];
  const findProcesses = (name: string): ProcessRecord[] => {
    try {
      return resolveTarget(list, { scope: "process", name });
    } catch (error) {
      if (!isAll || !(error instanceof SvcmError)) throw error;
      failing.push({ name, error });
      return [];
    }
  };
  const targets = declarations.flatMap(({ name }) => findProcesses(name));
  noteProcesses(subject, ports, [...targets, ...failing.map(({ name }) => ({ name, pmId: null }))]);
  const { others, own } = separateOwn(ports, action, targets, isAll);
  const { services, left } = separateJobs(action, others);
  const nextRun = (record: ProcessRecord): DeclaredRun => findDeclaredRun(ports, requested, record);
  const create = (context: ActionContext): Step[] => [
    ...services.map((record) => createProcessStep({ ...context, nextRun }, record)),
    ...createFailingSteps(failing),
  ];
  const before = listDrift(ports, requested, list);
  return {
    create,
    skipped: [...own, ...left],
    readEffect: () => readEffect(ports, requested, action, before),
  };
}

function createFailingSteps(refused: RequestedApps["refused"]): Step[] {
  return refused.map(({ name, error }) => ({ label: name, run: () => Promise.reject(error) }));
}
