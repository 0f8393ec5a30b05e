/** A module of PM2 without types. */
declare module "pm2/lib/Common.js" {
  type Resolved = Record<string, unknown>;
  const common: {
    verifyConfs(apps: readonly object[]): Error | Resolved[];
    resolveAppAttributes(options: { readonly cwd: string; readonly pm2_home: string }, app: Resolved): Resolved;
  };
  export default common;
}
