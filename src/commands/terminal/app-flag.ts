import * as Flags from "@oclif/core/flags";

/** Chooses apps of an ecosystem file or of a release. */
export function appFlag(whole: "ecosystem file" | "release") {
  return Flags.string({
    summary: `Only this app of the ${whole}. Can be repeated.`,
    helpValue: "<name>",
    multiple: true,
  });
}
