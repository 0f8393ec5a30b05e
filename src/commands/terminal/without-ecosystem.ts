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
        "set SVC_SERVICE_MANAGEMENT_PM2_DIR to the folder of your ecosystem files, or declare them in svcm.yaml")
      : `choose one with --environment, for example --environment ${first}`;
  return `${environment} has no ecosystem file: svcm looked for ${path}${present}\nHint: ${hint}`;
}
