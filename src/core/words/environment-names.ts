import { baseName } from "./text.ts";

const WORDS: Readonly<Record<string, readonly string[]>> = {
  dev: ["dev", "devel", "develop", "development", "local"],
  production: ["production", "prod", "live"],
  staging: ["staging", "stage", "stg"],
  uat: ["uat"],
  qa: ["qa"],
  sandbox: ["sandbox"],
  test: ["test", "testing"],
  ci: ["ci"],
  e2e: ["e2e"],
  preprod: ["preprod", "preproduction"],
  preview: ["preview"],
  demo: ["demo"],
  beta: ["beta"],
};

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  dev: ["development", "local"],
  production: ["prod"],
  staging: ["stage"],
};

export const environmentWords: readonly string[] = Object.values(WORDS).flat();

export function environmentOf(word: string): string | undefined {
  const lower = word.toLowerCase();
  return Object.keys(WORDS).find((name) => WORDS[name]?.includes(lower));
}

export function environmentInName(name: string): string | undefined {
  return name
    .split(/[^A-Za-z\d]+/)
    .map(environmentOf)
    .find((found) => found !== undefined);
}

export function environmentFor(word: string): string {
  const free = word
    .toLowerCase()
    .replaceAll(/[^a-z\d._-]/g, "-")
    .replace(/^[^a-z\d]+/, "");
  return environmentOf(word) ?? (free || "production");
}

export function aliasesOf(name: string, names: readonly string[]): string[] {
  return (ALIASES[name] ?? []).filter((alias) => !names.includes(alias));
}

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
