import * as Args from "@oclif/core/args";
import { entrypoints, startupCheck, type StartupCheckResponse } from "../../core/index.ts";
import { pickEnvironment, envFlags } from "../base.ts";
import { NodeCommand } from "../terminal/node-command.ts";
import { fold, renderTable } from "../terminal/table.ts";
import { paint, stdoutScreen } from "../terminal/screen.ts";
import { envAppFlag } from "../terminal/flags.ts";

export default class StartupCheck extends NodeCommand {
  static override summary = "Check whether a backend process may start, and with which settings.";
  static override description =
    "Compares an env file with the startup contract, and with the drivers that the backend lists in svcm.startup.json. If the entrypoint may not start, lists every reason and exits 1. With --app, the app's env in the ecosystem file overrides the env file, as it does under PM2.";
  static override examples = [
    "<%= config.bin %> startup check rest",
    "<%= config.bin %> startup check websocket --environment staging",
    "<%= config.bin %> startup check grpc --app dev-grpcapi",
  ];
  static override args = {
    entrypoint: Args.option({ ignoreStdin: true, options: entrypoints, description: "Entrypoint of the backend." })({
      required: true,
    }),
  };
  static override flags = {
    ...envFlags,
    app: envAppFlag,
  };

  async run() {
    const { args, flags } = await this.parse(StartupCheck);
    const { app } = flags;
    const input = { ...pickEnvironment(flags), entrypoint: args.entrypoint, ...(app !== undefined && { app }) };
    const response = await this.execute(startupCheck, input);
    if (!response.mayStart) this.setExitCode(1);
    if (!this.jsonEnabled()) this.log(render(response));
    return response;
  }
}

function render(response: StartupCheckResponse): string {
  const { entrypoint, plan, issues } = response;
  if (!plan) {
    const reasons = issues.map(({ message }) => `  ${message}`);
    const verdict = paint.red(`${entrypoint} must not start under ${configurationName(response)}:`);
    return fold([verdict, ...reasons, ...overrideHint(response)].join("\n"), stdoutScreen());
  }
  const columns = [
    { heading: "WITH", cell: ([name]: [string, string]) => name },
    { heading: "VALUE", cell: ([, value]: [string, string]) => value, shorten: "middle" as const },
  ];
  const verdict = paint.green(`${entrypoint} may start under ${configurationName(response)}.`);
  return `${verdict}\n\n${renderTable(columns, planRows(plan), stdoutScreen())}`;
}

function configurationName({ fileName, app }: StartupCheckResponse): string {
  return app === undefined ? fileName : `${fileName} and the env of ${app}`;
}

/** PM2 overrides the env file with the app's variables, but only the file was checked. */
function overrideHint({ entrypoint, environment, app }: StartupCheckResponse): string[] {
  if (app !== undefined) return [];
  const command = `svcm startup check ${entrypoint} --environment ${environment} --app <name>`;
  return [`If the ecosystem file overrides these keys for an app: ${command}`];
}

function planRows({
  httpFramework,
  databaseDriver,
  keyValueDriver,
  messageMediator,
  realtime,
}: NonNullable<StartupCheckResponse["plan"]>): [string, string][] {
  const websocket = realtime?.websocket;
  return [
    ["HTTP framework", httpFramework],
    ["Database driver", databaseDriver],
    ["Key-value storage", keyValueDriver],
    ["Message mediator", messageMediator],
    ...optionalRow("Realtime database driver", realtime?.databaseDriver),
    ...optionalRow("WebSocket adapter", websocket?.adapter),
    ...optionalRow("Workers", websocket?.workers),
    ...optionalRow("Redis URL", websocket?.redisUrlKey && `from ${websocket.redisUrlKey}`),
  ];
}

function optionalRow(name: string, value: string | number | undefined): [string, string][] {
  return value === undefined ? [] : [[name, String(value)]];
}
