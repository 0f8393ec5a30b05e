import * as Flags from "@oclif/core/flags";
import { bootEnable, type BootEnableResponse } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";

export const userFlag = Flags.string({
  summary: "User of PM2, for a unit of the system. Its PM2_HOME is ~/.pm2 unless PM2_HOME says otherwise.",
  helpValue: "<name>",
});

export default class BootEnable extends SvcmCommand {
  static override summary = "Let systemd start PM2 and the saved apps with the machine.";
  static override description =
    "Writes and enables a unit. As root, it is a unit of the system that runs as the owner of PM2_HOME, or as --user; otherwise a unit of your own user, which then lingers. The unit is ready when every app is online, restarts a daemon that is killed, and gives each app its time at a shutdown. Starts and stops nothing now. Another unit of the same PM2_HOME is disabled; svcm boot disable enables it again.";
  static override examples = [
    "<%= config.bin %> boot enable",
    "sudo <%= config.bin %> boot enable --user deploy",
    "<%= config.bin %> boot enable --print",
  ];
  static override flags = {
    print: Flags.boolean({ summary: "Print the unit, and change nothing.", default: false }),
    user: userFlag,
  };

  async run() {
    const { flags } = await this.parse(BootEnable);
    const response = await this.execute(bootEnable, flags.user === undefined ? { print: flags.print } : flags);
    if (flags.print) this.logExactly(response.text.trimEnd());
    else this.log(render(response));
    return response;
  }
}

function render({ name, user, home, replaced, daemonPid }: BootEnableResponse): string {
  return [
    `Enabled ${name}: it starts PM2 of ${user} with PM2_HOME ${home} at the next boot.`,
    ...(replaced.length === 0 ? [] : [`Disabled ${replaced.join(", ")}, which started the same PM2.`]),
    ...(daemonPid === null ? [] : [`PM2's daemon, pid ${daemonPid}, runs on as it is.`]),
    "Next: svcm boot",
  ].join("\n");
}
