import { Command } from "@oclif/core/command";
import type { Input, LoadOptions, ParserOutput } from "@oclif/core/interfaces";
import { format } from "node:util";
import {
  commandLineCaller,
  layoutHint,
  execute,
  openPorts,
  environmentsWithEcosystem,
  withLayoutHint,
  workingFolder,
  type Caller,
  type Operation,
  type Ports,
} from "../core/index.ts";
import type { Fleet } from "../fleet/fleet.ts";
import { INTERRUPTED_EXIT_CODE, jsonText, writeErr, writeOut } from "./terminal/output.ts";
import { printable, isStdoutTerminal, stderrScreen, stdoutScreen, type Screen } from "./terminal/screen.ts";
import { isRecord } from "../core/words/record.ts";
import * as Flags from "@oclif/core/flags";
import type * as FleetModule from "../fleet/index.ts";

function environmentFlag(examples: string) {
  const summary = `Environment, for example ${examples}. Defaults to NODE_ENV, else the environment of this machine or of svcm.yaml, else dev.`;
  return Flags.string({ char: "e", summary, helpValue: "<name>" });
}

const serviceFlag = Flags.string({
  summary: "Service in svcm.yaml, for example orders. Not needed if the repository has only one.",
  helpValue: "<name>",
});

export const envFlags = { environment: environmentFlag("dev, staging or ci"), service: serviceFlag };

export const ecosystemFlags = { environment: environmentFlag("dev, staging or production"), service: serviceFlag };

export const dryRunFlag = Flags.boolean({
  summary: "Show the lines that would change, and write nothing.",
  default: false,
});

export const allowMissingFlag = Flags.boolean({
  summary: "Exit 0 even if the environment has no ecosystem file.",
  default: false,
});

export function pickEnvironment({
  environment,
  service,
}: {
  environment: string | undefined;
  service: string | undefined;
}) {
  return { environment, service };
}

/** The base class of every command: `--json`, `--root`, and uniform errors. */
export abstract class SvcmCommand extends Command {
  static override enableJsonFlag = true;

  static override baseFlags = {
    root: Flags.string({
      summary: "Repository root. Defaults to the nearest folder with svcm.yaml, else with deployments.yaml or .git.",
      helpGroup: "GLOBAL",
      helpValue: "<dir>",
    }),
    fields: Flags.string({
      summary: "With --json, only these members of the answer, for example name,processes.pid.",
      helpGroup: "GLOBAL",
      helpValue: "<a,b.c>",
      dependsOn: ["json"],
    }),
    "no-input": Flags.boolean({ summary: "Never ask, as without a terminal.", helpGroup: "GLOBAL", default: false }),
  };

  /** oclif's own `run` would load the configuration again. */
  static override async run<T extends Command>(
    this: new (argv: string[], config: Command["config"]) => T,
    argv?: string[],
    options?: LoadOptions,
  ): Promise<ReturnType<T["run"]>> {
    if (!isLoadedConfig(options)) return Command.run.call(this, argv, options) as Promise<ReturnType<T["run"]>>;
    return new this(argv ?? process.argv.slice(2), options)["_run"]();
  }

  protected root: string | undefined;
  /** False with --no-input. */
  takesInput = true;
  #fields: readonly (readonly string[])[] = [];

  #ports: Promise<Ports> | undefined;
  #controller: AbortController | undefined;

  protected override async parse<F extends Parsed, B extends Parsed, A extends Parsed>(
    options?: Input<F, B, A>,
    argv?: string[],
  ): Promise<ParserOutput<F, B, A>> {
    const parsed = await super.parse(options, argv);
    const flags = parsed.flags as { readonly root?: string; readonly fields?: string; readonly "no-input"?: boolean };
    this.root = flags.root;
    this.takesInput = flags["no-input"] !== true;
    this.#fields = flags.fields === undefined ? [] : parseFields(flags.fields);
    return parsed;
  }

  /** Aborted by SIGINT and SIGTERM, and when standard output is closed. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      for (const name of SHUTDOWN_SIGNALS) process.once(name, this.#abort);
    }
    return this.#controller.signal;
  }

  ports({ isServer = false } = {}): Promise<Ports> {
    const { root } = this;
    return (this.#ports ??= openPorts({ root, env: process.env, cwd: workingFolder(), isCommand: !isServer }));
  }

  /** Loads the code of the fleet, and closes the connection to the NATS server afterwards. */
  async withFleet<T>(use: (fleet: Fleet, module: typeof FleetModule) => Promise<T>): Promise<T> {
    const fleetModule = await import("../fleet/index.ts");
    return fleetModule.withFleet(await this.ports(), process.env, (fleet) => use(fleet, fleetModule));
  }

  async execute<OperationInput, Output>(
    operation: Operation<OperationInput, Output>,
    input: OperationInput,
    caller: Pick<Caller, "report" | "signal"> = {},
  ): Promise<Output> {
    const ports = await this.ports();
    try {
      return await execute(operation, ports, input, Object.assign(commandLineCaller(), caller));
    } catch (error) {
      throw await withLayoutHint(ports, error);
    }
  }

  /** On SIGINT or SIGTERM, the operation finishes its current step and stops. A hang-up ends it only before its first step. */
  async executeUntilStopped<OperationInput, Output>(
    operation: Operation<OperationInput, Output>,
    input: OperationInput,
  ): Promise<Output> {
    const { executeAloud } = await import("./terminal/aloud.ts");
    return executeAloud(this, operation, input);
  }

  protected async logMissingEcosystem(response: {
    readonly environment: string;
    readonly path: string;
  }): Promise<void> {
    if (this.jsonEnabled()) return;
    const { withoutEcosystem } = await import("./terminal/without-ecosystem.ts");
    const ports = await this.ports();
    const [others, hint] = [await environmentsWithEcosystem(ports), await layoutHint(ports)];
    const { undecided = [] } = (await ports.facts.project()) ?? {};
    this.log(withoutEcosystem(response, { others, layoutHint: hint, undecided }));
  }

  get isInteractive(): boolean {
    return !this.jsonEnabled();
  }

  print(render: (screen: Screen) => string): void {
    if (!this.jsonEnabled()) this.log(render(stdoutScreen()));
  }

  /** Prevents quoted names and values from sending control sequences to the terminal. */
  override log(message = "", ...args: unknown[]): void {
    if (!this.jsonEnabled()) this.#print(printable(formatMessage(message, args), stdoutScreen()));
  }

  override logToStderr(message = "", ...args: unknown[]): void {
    if (!this.jsonEnabled()) writeErr(`${printable(formatMessage(message, args), stderrScreen())}\n`);
  }

  /** Output for programs, which is exact in a pipe or a file. */
  logExactly(message: string): void {
    if (isStdoutTerminal()) this.log(message);
    else if (!this.jsonEnabled()) this.#print(message);
  }

  protected override toSuccessJson(result: unknown): unknown {
    const warning = unknownFieldsText(result, this.#fields);
    if (warning !== undefined) writeErr(`${printable(warning, stderrScreen())}\n`);
    return selectFields(result, this.#fields);
  }

  protected logJsonLine(document: unknown): void {
    this.#print(jsonText(selectFields(document, this.#fields)));
  }

  /** One document per line, in one write. */
  protected logJsonLines(documents: readonly unknown[]): void {
    if (documents.length > 0)
      this.#print(documents.map((document) => jsonText(selectFields(document, this.#fields))).join("\n"));
  }

  protected override logJson(document: unknown): void {
    this.#print(jsonText(document, 2));
  }

  setExitCode(code: number): void {
    process.exitCode = code;
  }

  protected override async catch(error: unknown): Promise<void> {
    const { aborted = false, reason } = this.#controller?.signal ?? {};
    if (aborted && error === reason) return this.setExitCode(INTERRUPTED_EXIT_CODE);
    const { toFailure, printFailure } = await import("./terminal/failure.ts");
    const { id, flags, args, baseFlags, enableJsonFlag } = this.ctor;
    const json = enableJsonFlag ? { json: {} } : {};
    const failure = toFailure(error, { id, flags: { ...flags, ...baseFlags, ...json }, args });
    process.exitCode = failure.exitCode;
    if (failure.body === undefined) return;
    // A program that asks for JSON gets it, also from a command without a JSON answer.
    const end = this.argv.indexOf("--");
    const own = end === -1 ? this.argv : this.argv.slice(0, end);
    if (this.jsonEnabled() || own.includes("--json")) this.logJson(failure.body);
    else printFailure(failure);
  }

  protected override async finally(error: Error | undefined): Promise<void> {
    for (const name of SHUTDOWN_SIGNALS) process.removeListener(name, this.#abort);
    await super.finally(error);
  }

  readonly #abort = (): void => this.#controller?.abort();

  #print(line: string): void {
    if (!writeOut(`${line}\n`)) this.#abort();
  }
}

type Parsed = Record<string, unknown>;

const SHUTDOWN_SIGNALS = ["SIGINT", "SIGTERM"] as const;

const formatMessage = (message: string, args: readonly unknown[]): string =>
  args.length === 0 ? message : format(message, ...args);

function isLoadedConfig(options: LoadOptions): options is Command["config"] {
  return typeof options === "object" && "runCommand" in options;
}

/** `a,b.c` as paths. An element of a list stands for all of them, so `processes.name` is the name of each. */
export function parseFields(text: string): string[][] {
  return text
    .split(",")
    .map((field) => field.trim())
    .filter((field) => field !== "")
    .map((field) => field.split("."));
}

/** The document with these members only, in its own order. */
export function selectFields(document: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.length === 0 || paths.some((path) => path.length === 0)) return document;
  if (Array.isArray(document)) return document.map((element) => selectFields(element, paths));
  if (!isRecord(document)) return document;
  const members = Object.entries(document).flatMap(([name, value]) => {
    const rest = paths.filter(([first]) => first === name).map((path) => path.slice(1));
    return rest.length === 0 ? [] : [[name, selectFields(value, rest)] as const];
  });
  return Object.fromEntries(members);
}

function unknownFieldsText(document: unknown, paths: readonly (readonly string[])[]): string | undefined {
  const unknown = unknownFields(document, paths);
  const accepted = isRecord(document) ? Object.keys(document).join(", ") : "none";
  return unknown.length === 0
    ? undefined
    : `Warning: the answer has no ${unknown.join(", ")}. Its members: ${accepted}.`;
}

/** Paths that lead nowhere. In an empty list, nothing is known to be wrong. */
export function unknownFields(document: unknown, paths: readonly (readonly string[])[]): string[] {
  return paths.filter((path) => !hasField(document, path)).map((path) => path.join("."));
}

function hasField(document: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined || document === null) return true;
  if (Array.isArray(document))
    return document.length === 0 || document.some((element) => hasField(element, [name, ...rest]));
  return isRecord(document) && Object.hasOwn(document, name) && hasField(document[name], rest);
}
