import type { Project } from "../../core/index.ts";

interface Known {
  /** Environments that have an ecosystem file. */
  readonly others: readonly string[];
  /** The next step for a repository without `svcm.yaml`. */
  readonly layoutHint: string | undefined;
  readonly undecided: NonNullable<Project["undecided"]>;
}

export function withoutEcosystem(
  { environment, path }: { readonly environment: string; readonly path: string },
  { others, layoutHint, undecided }: Known,
): string {
  const open = undecided.filter(({ environment: only }) => only === undefined || only === environment);
  if (open.length > 0) {
    const files = open.map(({ file }) => file).join(", ");
    return `${environment} has no ecosystem file yet: ${path} lists ${files} below undecided\nHint: name those that the team starts below ecosystem; then run: svcm init --confirm`;
  }
  const [first] = others;
  const present = first === undefined ? "" : `\nThese environments have one: ${others.join(", ")}.`;
  const hint =
    first === undefined
      ? (layoutHint ??
        (path.endsWith("/svcm.yaml")
          ? `write one and declare it in svcm.yaml, for example ecosystem: { ${environment}: ecosystem.config.js }`
          : "set SVC_SERVICE_MANAGEMENT_PM2_DIR to the folder of your ecosystem files, or declare them in svcm.yaml"))
      : `choose one with --environment, for example --environment ${first}`;
  return `${missingEcosystem({ environment, path })}${present}\nHint: ${hint}`;
}

/** @param missing its path is that of `svcm.yaml` if that file names none for the environment */
export function missingEcosystem(missing: { readonly environment: string; readonly path: string }): string {
  const { environment, path } = missing;
  const why = path.endsWith("/svcm.yaml") ? `${path} names none` : `svcm looked for ${path}`;
  return `${environment} has no ecosystem file: ${why}`;
}
