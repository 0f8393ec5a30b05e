import { bootRestore, OUTSIDE_EXIT_CODE, type BootRestoreResponse } from "../../core/index.ts";
import { pluralize } from "../../core/words/text.ts";
import { SvcmCommand } from "../base.ts";

export default class BootRestore extends SvcmCommand {
  static override summary = "Bring back the apps of PM2's saved list, as after a reboot.";
  static override description =
    "Starts PM2's daemon if none runs, and the saved apps in their order. An app that was stopped stays stopped, and a job waits for its schedule. Waits until each app is online; one that fails does not end the others. If PM2's list is broken, svcm's copy of it is used. The unit of svcm boot enable runs this command; exits 1 if an app failed, but 0 under systemd, which would otherwise end the others.";
  static override examples = ["<%= config.bin %> boot restore"];

  async run() {
    await this.parse(BootRestore);
    const response = await this.execute(bootRestore, {});
    const { units } = await this.ports();
    const hasFailed = response.processes.some(({ outcome }) => outcome === "failed");
    if (response.state === "outside") this.setExitCode(OUTSIDE_EXIT_CODE);
    else if (hasFailed && !units.isSupervised) this.setExitCode(1);
    this.log(render(response));
    return response;
  }
}

function render({ state, daemonPid, processes }: BootRestoreResponse): string {
  if (state === "outside")
    return `PM2's daemon, pid ${daemonPid}, already runs outside of the unit. Nothing was started. The next boot starts it inside.`;
  const named = (outcome: (typeof processes)[number]["outcome"]): readonly string[] => [
    ...new Set(processes.filter((one) => one.outcome === outcome).map(({ name }) => name)),
  ];
  const started = processes.filter(({ outcome }) => outcome === "started").length;
  const failed = processes.filter(({ outcome }) => outcome === "failed");
  const resting = named("at rest");
  const listed = named("already listed");
  return [
    `Started ${pluralize(started, "process", "processes")}${failed.length === 0 ? "." : `, and ${failed.length} failed.`}`,
    ...failed.map(({ name, pmId, reason }) => `  ${name}${pmId === null ? "" : ` (id ${pmId})`}: ${reason}.`),
    ...(resting.length === 0 ? [] : [`Not started, because they were stopped or are jobs: ${resting.join(", ")}.`]),
    ...(listed.length === 0 ? [] : [`PM2 already listed: ${listed.join(", ")}.`]),
  ].join("\n");
}
