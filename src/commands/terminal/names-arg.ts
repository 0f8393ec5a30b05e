import * as Args from "@oclif/core/args";

export function namesArg(description: string) {
  return { name: Args.string({ ignoreStdin: true, description, multiple: true }) };
}
