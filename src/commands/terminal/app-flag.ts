import * as Flags from "@oclif/core/flags";

export function appFlag(whole: "ecosystem file" | "release") {
  return Flags.string({
    summary: `Only this app of the ${whole}. Can be repeated.`,
    helpValue: "<name>",
    multiple: true,
  });
}
