/** A module of PM2 without types: it resolves declarations. */
declare module "pm2/lib/Common.js" {
  type Resolved = Record<string, unknown>;
  const common: {
    /** Validates entries of an ecosystem file, with PM2's aliases, units and defaults. */
    verifyConfs(apps: readonly object[]): Error | Resolved[];
    /** Looks up script, interpreter and log files. Throws if one is missing. */
    resolveAppAttributes(options: { readonly cwd: string; readonly pm2_home: string }, app: Resolved): Resolved;
  };
  export default common;
}
