import type { Issue } from "../../api/issue.ts";
import { toIssue, type Finding } from "../../findings/rule.ts";
import type { LoadedApp } from "../loaded.ts";
import { normaliseApp } from "../normalise.ts";
import { splitVolatile } from "../volatile.ts";
import { appRule, type EcosystemRule } from "./rule.ts";

export const volatileValues: EcosystemRule = {
  code: "ECOSYSTEM_VALUE_VOLATILE",
  severity: "warning",
  check: ({ apps }) => volatileFindings(apps),
};

export const volatileFields = appRule({
  code: "ECOSYSTEM_FIELD_VOLATILE",
  severity: "error",
  check: (app) =>
    splitVolatile(app).others.map((field) => ({
      path: [field],
      message: `${field} has another value each time the file runs, so no process can be as declared`,
    })),
});

/** The finding of that rule in a plan. */
export function volatileIssues(apps: readonly LoadedApp[]): Issue[] {
  const { code, severity } = volatileValues;
  const checked = apps.map((app, index) => ({ ...app, index, label: normaliseApp(app.fields).name }));
  return volatileFindings(checked).map((finding) => toIssue({ ...finding, code, severity }));
}

function volatileFindings(
  apps: readonly (LoadedApp & { readonly index: number; readonly label: string })[],
): Finding[] {
  return apps.flatMap((app): Finding[] => {
    const { variables, fields } = splitVolatile(app);
    const path = ["apps", app.index];
    const copied = `${app.label}: its env copies the variables of the shell, so svcm compares only the others`;
    const copies = (app.inherited ?? []).length === 0 ? [] : [{ path, message: copied }];
    const names = [...variables, ...fields.map((field) => (field === "args" ? "args" : "node_args"))];
    if (names.length === 0) return copies;
    const verb = names.length === 1 ? "has another value" : "have other values";
    const message = `${app.label}: ${names.join(", ")} ${verb} each time the file runs, so svcm compares only whether it is there`;
    return [...copies, { path, message }];
  });
}
