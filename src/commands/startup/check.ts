import * as Args from "@oclif/core/args";
import { entrypoints, startupCheck, type StartupCheckResponse } from "../../core/index.ts";
import { environmentFlag, SvcmCommand } from "../base.ts";
import { ask } from "../terminal/ask.ts";
import { stdoutScreen } from "../terminal/screen.ts";
import { renderTable } from "../terminal/table.ts";

export default class StartupCheck extends SvcmCommand {
  static override summary = "Tell whether an entrypoint may start, and with what.";
  static override description =
    "Holds an environment's env file to the startup contract. Exits 1, with every reason, where it may not start.";
  static override examples = [
    "<%= config.bin %> startup check rest",
    "<%= config.bin %> startup check websocket --environment staging",
  ];
  static override args = {
    entrypoint: Args.option({ options: entrypoints, description: "Entrypoint of the backend." })({ required: true }),
  };
  static override flags = { environment: environmentFlag };

  async run() {
    const { args, flags } = await this.parse(StartupCheck);
    const response = await ask(startupCheck, flags, { environment: flags.environment, entrypoint: args.entrypoint });
    if (!response.mayStart) this.answerNo();
    if (!this.jsonEnabled()) this.log(await render(response));
    return response;
  }
}

async function render({ entrypoint, fileName, plan, issues }: StartupCheckResponse): Promise<string> {
  if (!plan)
    return [`${entrypoint} must not start under ${fileName}:`, ...issues.map(({ message }) => `  ${message}`)].join(
      "\n",
    );
  const columns = [
    { heading: "WITH", cell: ([name]: [string, string]) => name },
    { heading: "VALUE", cell: ([, value]: [string, string]) => value },
  ];
  return `${entrypoint} may start under ${fileName}.\n\n${await renderTable(columns, planRows(plan), stdoutScreen())}`;
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
    ...optional("Realtime database driver", realtime?.databaseDriver),
    ...optional("WebSocket adapter", websocket?.adapter),
    ...optional("Workers", websocket?.workers),
    ...optional("Redis URL", websocket?.redisUrlKey && `from ${websocket.redisUrlKey}`),
  ];
}

function optional(name: string, value: string | number | undefined): [string, string][] {
  return value === undefined ? [] : [[name, String(value)]];
}
