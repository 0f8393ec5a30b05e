export function withoutEcosystem(environment: string, path: string, door: string | undefined): string {
  return [
    `${environment} has no ecosystem file: svcm looked for ${path}`,
    `Hint: ${door ?? "choose another environment with --environment, or set SVC_SERVICE_MANAGEMENT_PM2_DIR to the folder of your ecosystem files"}`,
  ].join("\n");
}
