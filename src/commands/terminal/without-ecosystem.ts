/**
 * @param others environments that have an ecosystem file
 * @param layoutHint the next step for a repository without `svcm.yaml`
 */
export function withoutEcosystem(
  { environment, path }: { readonly environment: string; readonly path: string },
  others: readonly string[],
  layoutHint: string | undefined,
): string {
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
