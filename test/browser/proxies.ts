/** Real reverse proxies with the configurations of the documentation, for one test. */
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { REPOSITORY } from "../support/command-line.ts";
import { isRoot } from "../support/machine.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const EXAMPLES = join(REPOSITORY, "docs/examples/proxy");
/** The name in the examples, which the browser of these tests resolves to this machine. */
export const PROXY_HOST = "ops.example.com";

export interface Front {
  readonly port: number;
  readonly servicePort: number;
  readonly path: string;
}

export interface Proxy {
  readonly name: string;
  readonly isInstalled: boolean;
  readonly start: (front: Front) => void;
}

export const proxies: readonly Proxy[] = [
  { name: "nginx", isInstalled: has("nginx", "-v") && has("openssl", "version"), start: startNginx },
  { name: "Caddy", isInstalled: has("caddy", "version") && has("openssl", "version"), start: startCaddy },
];

function startNginx({ port, servicePort, path }: Front): void {
  const folder = temporaryFolder();
  const { certificate: file, key } = certificate(folder);
  const site = substitute(readFileSync(join(EXAMPLES, "nginx.conf"), "utf8"), {
    "listen 443 ssl;": `listen 127.0.0.1:${port} ssl;`,
    "/etc/ssl/certs/ops.example.com.pem": file,
    "/etc/ssl/private/ops.example.com.key": key,
    "location /svcm/ {": `location ${path}/ {`,
    "http://127.0.0.1:3200": `http://127.0.0.1:${servicePort}`,
  });
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (of) => `${of}_temp_path ${folder}/${of};`,
  );
  const main = [
    ...(isRoot ? ["user root;"] : []),
    `pid ${folder}/pid;`,
    `error_log ${folder}/errors;`,
    "events {}",
    `http { access_log off; ${temporary.join(" ")}\n${site}}`,
  ];
  writeFileSync(join(folder, "nginx.conf"), main.join("\n"));
  // The command returns when the proxy listens; the proxy continues in the background.
  execFileSync("nginx", ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "errors")]);
  const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
  onTestFinished(() => void process.kill(pid, "SIGTERM"));
}

function startCaddy({ port, servicePort, path }: Front): void {
  const folder = temporaryFolder();
  const { certificate: file, key } = certificate(folder);
  const site = substitute(readFileSync(join(EXAMPLES, "Caddyfile"), "utf8"), {
    "\nops.example.com {": `\nhttps://ops.example.com:${port} {\n\tbind 127.0.0.1\n\ttls ${file} ${key}`,
    "path /svcm /svcm/*": path === "" ? "path *" : `path ${path} ${path}/*`,
    "127.0.0.1:3200": `127.0.0.1:${servicePort}`,
  });
  const options = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n";
  writeFileSync(join(folder, "Caddyfile"), options + site);
  // The command returns when the proxy listens; the proxy continues in the background.
  const output = openSync(join(folder, "output"), "w");
  execFileSync("caddy", ["start", "--config", "Caddyfile", "--adapter", "caddyfile"], {
    cwd: folder,
    stdio: ["ignore", output, output],
    env: { PATH: process.env["PATH"], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  closeSync(output);
  const [, pid] = /\(pid=(\d+)\)/.exec(readFileSync(join(folder, "output"), "utf8")) ?? [];
  onTestFinished(() => void process.kill(Number(pid), "SIGKILL"));
}

/** Checks that the example in the documentation contains these texts, so it is the tested configuration. */
function substitute(example: string, places: Readonly<Record<string, string>>): string {
  return Object.entries(places).reduce((text, [shown, used]) => {
    if (!text.includes(shown)) throw new Error(`The example does not hold ${JSON.stringify(shown)}.`);
    return text.replace(shown, () => used);
  }, example);
}

function certificate(folder: string): { certificate: string; key: string } {
  const [file, key] = [join(folder, "certificate.pem"), join(folder, "key.pem")];
  const names = ["-subj", `/CN=${PROXY_HOST}`, "-addext", `subjectAltName=DNS:${PROXY_HOST}`];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  execFileSync("openssl", ["req", "-x509", ...kind, ...names, "-keyout", key, "-out", file], { stdio: "ignore" });
  return { certificate: file, key };
}

function has(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}
