import * as z from "zod";
import { type BodyOf, trustedText } from "./body.ts";
import type { ErrorCode } from "./issue.ts";

const bootFinding = z
  .strictObject({
    code: trustedText<ErrorCode>(),
    severity: z.enum(["error", "warning"]),
    path: z.array(z.union([z.string(), z.number()])).describe("The app, or the part: `unit`, `list` or `daemon`."),
    message: z.string().describe("The fault. Names variables, never their values."),
    command: z.string().describe("The one command that ends it."),
  })
  .describe("A reason why a reboot would not bring back what runs, or a fault of the daemon.");

export const bootBody = z
  .strictObject({
    verdict: z
      .enum(["yes", "no", "unknown"])
      .describe(
        "`yes`: a reboot starts what runs and is declared. `no`: a finding is an error. `unknown`: it cannot be seen.",
      ),
    home: z.string().describe("PM2_HOME."),
    owner: z.string().nullable().describe("The user who owns PM2_HOME; null if it does not exist."),
    system: z.enum(["systemd", "unknown"]).describe("The program that starts the others of this machine."),
    units: z
      .array(
        z.strictObject({
          name: z.string(),
          path: z.string(),
          scope: z.enum(["system", "user"]),
          user: z.string().describe("PM2 runs as this user."),
          isEnabled: z.boolean().describe("systemd starts it with the machine."),
          starts: z.enum(["svcm", "saved list", "other"]).describe("`saved list`: by `pm2 resurrect`."),
        }),
      )
      .describe("The units that start this PM2."),
    saved: z
      .strictObject({
        state: z.enum(["read", "absent", "empty", "broken", "unreadable"]),
        path: z.string(),
        savedAt: z.iso.datetime().nullable(),
        savedBySvcm: z
          .boolean()
          .nullable()
          .describe(
            "False if another program wrote it later, such as `pm2 save` or PM2's daemon at its end; null if svcm never did.",
          ),
        starts: z.int().describe("The processes that are not stopped in the list."),
        processes: z.int(),
      })
      .describe("PM2's saved list, from which a reboot starts the apps."),
    running: z.int().nullable().describe("The processes that PM2 lists; null if no daemon answers."),
    daemonPid: z.int().nullable(),
    comparedWith: z.string().nullable().describe("The ecosystem file; null if no app of it runs or is saved here."),
    findings: z.array(bootFinding),
  })
  .describe("The answer to the question if a reboot would bring back the running and declared processes.");

export const daemonBody = z
  .strictObject({
    home: z.string().describe("PM2_HOME."),
    library: z.string().nullable().describe("The version of PM2 that svcm brings."),
    wantedNode: z
      .strictObject({ range: z.string(), file: z.string() })
      .nullable()
      .describe("The Node.js that the repository asks for."),
    daemons: z
      .array(
        z.strictObject({
          pid: z.int(),
          home: z.string(),
          isOwn: z.boolean().describe("It is the daemon of this PM2_HOME."),
          isForeground: z.boolean().describe("It is `pm2-runtime`, the first process of a container."),
          isSuspended: z.boolean().describe("A signal has stopped it, so it does not answer."),
          pm2Version: z.string(),
          user: z.string(),
          nodePath: z.string().nullable().describe("Null if this user may not see it."),
          nodeFile: z
            .enum(["present", "replaced", "gone", "unknown"])
            .describe("`replaced`: another file is at its path since the daemon started. `gone`: no file is."),
          nodeVersion: z.string().nullable().describe("Known of the own daemon, if it answers."),
          group: z.string().nullable().describe("Its control group, which names the unit that started it."),
        }),
      )
      .nullable()
      .describe("Every daemon of PM2 that this user may see; null where the system does not show processes."),
    findings: z.array(bootFinding),
  })
  .describe("The daemons of PM2 on this machine.");

export type BootReport = BodyOf<typeof bootBody>;
export type DaemonReport = BodyOf<typeof daemonBody>;
