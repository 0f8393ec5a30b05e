import * as Flags from "@oclif/core/flags";
import { ecosystemShow } from "../../core/index.ts";
import { inFolder, pluralize } from "../../core/words/text.ts";
import { pickEnvironment, ecosystemFlags } from "../base.ts";
import { NodeCommand } from "../terminal/node-command.ts";
import { paint, type Screen, withVerdict } from "../terminal/screen.ts";
import { formatBytes } from "../terminal/numbers.ts";
import { renderTable, type Column } from "../terminal/table.ts";

export default class EcosystemShow extends NodeCommand {
  static override summary = "Show the apps in a PM2 ecosystem file and the command that starts each.";
  static override description =
    "Evaluates the file in a separate process, as PM2 would. Secrets appear as [REDACTED]. With --service-kind, also shows the one command that starts all apps of that kind.";
  static override examples = [
    "<%= config.bin %> ecosystem show --environment production",
    "<%= config.bin %> ecosystem show --service-kind websocket-rest-api",
    "<%= config.bin %> ecosystem show --json",
  ];
  static override flags = {
    ...ecosystemFlags,
    "service-kind": Flags.string({
      summary: "Also show the command that starts all apps of this kind, for example rest-api.",
      helpValue: "<kind>",
    }),
  };

  async run() {
    const { flags } = await this.parse(EcosystemShow);
    const { "service-kind": serviceKind } = flags;
    const response = await this.execute(ecosystemShow, { ...pickEnvironment(flags), serviceKind });
    if (response.exists) this.print((screen) => render(response, serviceKind, screen));
    else await this.logMissingEcosystem(response);
    return response;
  }
}

type Response = Awaited<ReturnType<(typeof ecosystemShow)["run"]>>;
type App = Response["apps"][number];

const CRON_ZONE = "PM2 counts a schedule in the time zone of its daemon.";
const NOT_SELECTABLE = "No app of this file can be selected.";
const NOT_FOUND_BY_PM2 = "PM2 itself finds no app in this file: svcm check says why.";
const WITHOUT_PM2 = "If pm2 is not on your PATH, use npx pm2.";

function render(response: Response, serviceKind: string | undefined, screen: Screen): string {
  const { path, environment, apps, preview } = response;
  if (apps.length === 0) return `${path} does not declare any apps for ${environment}.`;
  const { bold } = paint;
  const table = renderTable<App>(
    [
      { heading: "NAME", cell: ({ name }) => name, shorten: "middle" },
      { heading: "SCRIPT", cell: ({ script }) => script, shorten: "middle" },
      {
        heading: "INTERPRETER",
        cell: (app) => [app.interpreter, ...app.interpreterArgs].join(" "),
        shorten: "fold",
        dropPriority: 3,
      },
      {
        heading: "INSTANCES",
        cell: ({ instances, execMode }) => `${instances} (${execMode})`,
        dropPriority: 2,
      },
      ...scheduleColumns(apps),
    ],
    apps,
    screen,
  );
  const blocks = apps.map(({ name, command, cwd, env }) => {
    const variables = Object.entries(env).map(([key, value]) => `  ${key}=${value}`);
    const none = name === "" ? NOT_SELECTABLE : NOT_FOUND_BY_PM2;
    return [bold(name || "(no name)"), ...variables, ...commandLines(inFolder(cwd, command), none, screen)].join("\n");
  });
  const together =
    preview &&
    [
      bold(`All of ${serviceKind}`),
      ...commandLines(inFolder(preview.cwd, preview.command ?? ""), NOT_SELECTABLE, screen),
    ].join("\n");
  const hint = [
    ...(apps.some(({ cronRestart }) => cronRestart !== null) ? [paint.dim(CRON_ZONE)] : []),
    ...(apps.some(({ command }) => command !== "") ? [paint.dim(WITHOUT_PM2)] : []),
  ];
  const verdict = withVerdict({ text: `${path} declares ${pluralize(apps.length, "app")} for ${environment}.` }, table);
  return [verdict, ...blocks, ...(together === undefined ? [] : [together]), ...hint].join("\n\n");
}

function scheduleColumns(apps: readonly App[]): Column<App>[] {
  const cron: Column<App> = { heading: "SCHEDULE", cell: ({ cronRestart }) => cronRestart ?? "", dropPriority: 1 };
  const memory: Column<App> = {
    heading: "MEMORY LIMIT",
    cell: ({ maxMemoryRestart: bytes }) => (bytes === null ? "" : formatBytes(bytes)),
    dropPriority: 1,
  };
  return [
    ...(apps.some(({ cronRestart }) => cronRestart !== null) ? [cron] : []),
    ...(apps.some(({ maxMemoryRestart }) => maxMemoryRestart !== null) ? [memory] : []),
  ];
}

/** Can be pasted, also when it continues on a second line. */
function commandLines(command: string, none: string, { width = Infinity }: Screen): string[] {
  if (command === "") return [`  ${none}`];
  const line = `  $ ${command}`;
  return [line.length <= width ? line : line.replace(/ --only /, " \\\n      --only ")];
}
