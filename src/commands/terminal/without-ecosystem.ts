/** The message for an environment without an ecosystem file. */
export function withoutEcosystem(environment: string, path: string): string {
  return [
    `${environment} has no ecosystem file: svcm looked for ${path}`,
    "Hint: choose another environment with --environment, or set SVC_SERVICE_MANAGEMENT_PM2_DIR to the folder of your ecosystem files",
  ].join("\n");
}
