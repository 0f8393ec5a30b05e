/** Names of env files. */
import { baseName } from "./path.ts";

const TEMPLATE = /(?:^|[._-])(?:ex[ae]mple|sample|template|dist|schema|defaults?)(?:$|[._-])/i;
const BACKUP = /(?:~|\.(?:bak|backup|old|orig|swp|save|copy))(?:$|\.)|[._-](?:bak|backup|old)$/i;

/** Such a copy is for Git: what an app reads is the file that it is decrypted to. */
const ENCRYPTED = /\.(?:gpg|pgp|asc|age|enc|aes)$/i;

/** `.env`, `.env.<x>`, `<x>.env`, `.<x>.env`, `env.<template>`; no backups. */
export function isEnvName(path: string): boolean {
  const name = baseName(path);
  const isEnv =
    /^\.env(?:[.-][\w.-]+)?$/.test(name) || /^\.?[\w-]+(?:\.[\w-]+)*\.env$/.test(name) || /^env\.[\w-]+$/.test(name);
  return (
    isEnv &&
    !BACKUP.test(name) &&
    !ENCRYPTED.test(name) &&
    !(name.startsWith("env.") && !TEMPLATE.test(name)) &&
    !/\.[cm]?[jt]s$/.test(name)
  );
}

export function isTemplateName(name: string): boolean {
  return TEMPLATE.test(name);
}

/** `.env.staging.example` becomes `.env.staging`. */
export function withoutTemplateWord(path: string): string {
  const name = baseName(path);
  return (
    path.slice(0, path.length - name.length) +
    name.replace(TEMPLATE, (found) => (/^[._-].*[._-]$/.test(found) ? found.slice(0, 1) : ""))
  );
}
