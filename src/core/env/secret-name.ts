const SECRET =
  /SECRET|TOKEN|PASS|PWD|KEY|CREDENTIAL|AUTH|PRIVATE|SALT|COOKIE|BEARER|JWT|DSN|WEBHOOK|CONNECTION_?STRING|CERTIFICATE/i;

/** Where the shell is, and was. */
const HARMLESS = new Set(["PWD", "OLDPWD", "INIT_CWD"]);

/**
 * Whether a name says that its value is a secret: `DB_PASSWORD`, `apiKey`, `X-Auth-Token`. Rather one too many;
 * what the runtime contract shows by name is for the caller to know.
 */
export function isSecretName(name: string): boolean {
  return SECRET.test(name) && !HARMLESS.has(name);
}
