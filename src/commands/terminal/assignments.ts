import * as Args from "@oclif/core/args";
import { UsageError } from "./errors.ts";

export const assignmentArgs = {
  "key=value": Args.string({ ignoreStdin: true, description: "Key and its new value.", multiple: true }),
};

/** @throws {UsageError} for anything but `KEY=VALUE`, and for a duplicate key */
export function parseAssignments(args: readonly string[] = []): Record<string, string> {
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const arg of args) {
    const equals = arg.indexOf("=");
    if (equals < 1)
      throw new UsageError(`${JSON.stringify(arg)} is not of the form KEY=VALUE.`, `write ${arg || "KEY"}=VALUE`);
    const key = arg.slice(0, equals);
    if (key in values) throw new UsageError(`${key} is given more than once.`);
    values[key] = arg.slice(equals + 1);
  }
  return { ...values };
}
