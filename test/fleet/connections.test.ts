import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nkeys } from "@nats-io/transport-node";
import { describe, expect, onTestFinished, test } from "vitest";
import { identityShow } from "../../src/core/index.ts";
import { OLDEST_NATS } from "../../src/fleet/identity.ts";
import { openFleet } from "../../src/fleet/open-fleet.ts";
import type { Fleet } from "../../src/fleet/fleet.ts";
import { startNode } from "../../src/fleet/index.ts";
import { hasNats, natsServer, OLD_SERVER } from "../support/nats-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { testFleet, type TestFleet } from "./support.ts";
import { longTest } from "../support/runs.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
const MS = 60_000;
const SECRET = "canary-token-5b1d";
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

type Variables = Readonly<Record<string, string>>;

/** A self-signed certificate, and the server settings that use it. */
function certificate(host: string): { readonly file: string; readonly lines: string } {
  const folder = temporaryFolder();
  const [file, key] = [join(folder, "server.pem"), join(folder, "server.key")];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  const names = ["-subj", "/CN=svcm test", "-addext", `subjectAltName=${host}`];
  execFileSync("openssl", ["req", "-x509", ...kind, ...names, "-keyout", key, "-out", file], { stdio: "ignore" });
  return { file, lines: `tls { cert_file: "${file}", key_file: "${key}" }` };
}

async function asUser(fleet: TestFleet, user: string, more: Variables): Promise<Fleet> {
  const opened = await openFleet(fleet.ports(user), { ...fleet.variables(user), ...more });
  onTestFinished(() => opened.close());
  return opened;
}

async function asNode(fleet: TestFleet, name: string, more: Variables): Promise<void> {
  const env = { ...fleet.variables(name), ...more };
  const node = await startNode({ ports: fleet.ports(name), env, version: "1.2.3", log: silent });
  onTestFinished(() => node.close());
}

const refused = (work: Promise<unknown>): Promise<{ readonly code: string; readonly details: string }> =>
  work.then(
    () => expect.fail("it was accepted"),
    (error: { body: { code: string; details: string } }) => error.body,
  );

const text = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A signed claim, as `nsc` creates it. */
function jwt(issuer: ReturnType<typeof nkeys.createUser>, sub: string, nats: object): string {
  const head = text({ typ: "JWT", alg: "ed25519-nkey" });
  const claim = text({
    jti: sub,
    iat: 1,
    iss: issuer.getPublicKey(),
    sub,
    name: "svcm",
    nats: { version: 2, ...nats },
  });
  const signature = Buffer.from(issuer.sign(new TextEncoder().encode(`${head}.${claim}`))).toString("base64url");
  return `${head}.${claim}.${signature}`;
}

describe.skipIf(!hasNats)("connections to the NATS server (needs nats-server)", () => {
  test.skipIf(!hasOpenssl).each([
    ["DNS:localhost", "localhost"],
    ["IP:127.0.0.1", "127.0.0.1"],
  ])("are encrypted if the server has the certificate of %s (needs openssl)", async (host, name) => {
    const { file, lines } = certificate(host);
    const fleet = await testFleet({ more: lines, isSetUp: false });
    const url = { SVC_SERVICE_MANAGEMENT_NATS_URL: fleet.server.url.replace("nats://127.0.0.1", `tls://${name}`) };
    const trusting = { ...url, SVC_SERVICE_MANAGEMENT_NATS_CA: file };
    await asNode(fleet, "web-1", trusting);
    const vera = await asUser(fleet, "vera", trusting);
    expect(await vera.ask("web-1", identityShow, {}, MS)).toMatchObject({ actor: "vera" });
    for (const variables of [url, { ...url, SVC_SERVICE_MANAGEMENT_NATS_CA: certificate(host).file }, {}]) {
      const { code, details } = await refused(asUser(fleet, "vera", variables));
      expect(code).toBe("FLEET_UNTRUSTED");
      expect(details).toMatch(/is not trusted: .*certificate.*SVC_SERVICE_MANAGEMENT_NATS_CA/);
    }
  });

  test.skipIf(!hasOpenssl)("are refused if the certificate names another address (needs openssl)", async () => {
    const { file, lines } = certificate("IP:127.0.0.2,DNS:localhost");
    const fleet = await testFleet({ more: lines, isSetUp: false });
    const url = fleet.server.url.replace("nats:", "tls:");
    const variables = { SVC_SERVICE_MANAGEMENT_NATS_URL: url, SVC_SERVICE_MANAGEMENT_NATS_CA: file };
    const { code, details } = await refused(asUser(fleet, "vera", variables));
    expect([code, details]).toEqual([
      "FLEET_UNTRUSTED",
      expect.stringContaining("127.0.0.1 is not in the cert's list"),
    ]);
  });

  longTest.each(["tls", "nats"])(
    "with %s send no credentials to a server without TLS, if TLS is required",
    async (scheme) => {
      const server = await natsServer("", `authorization { token: "${SECRET}" }`);
      const fleet = await testFleet();
      const file = join(temporaryFolder(), "file");
      writeFileSync(file, SECRET, { mode: 0o600 });
      const variables: Variables = {
        SVC_SERVICE_MANAGEMENT_NATS_URL: server.url.replace("nats:", `${scheme}:`),
        SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS: file,
        SVC_SERVICE_MANAGEMENT_NATS_USER: "vera",
        ...(scheme === "nats" && { SVC_SERVICE_MANAGEMENT_NATS_CA: file }),
      };
      expect((await refused(asUser(fleet, "vera", variables))).code).toBe("FLEET_UNTRUSTED");
    },
  );

  longTest("are not made with a key that other users of the machine can read", async () => {
    const fleet = await testFleet();
    const file = join(fleet.root("vera"), "key.nk");
    for (const mode of [0o644, 0o620, 0o604]) {
      chmodSync(file, mode);
      await expect(fleet.as("vera")).rejects.toMatchObject({
        kind: "START_REFUSED",
        body: { details: expect.stringContaining(`chmod 600 ${file}`) },
      });
    }
    chmodSync(file, 0o400);
    expect((await fleet.as("vera")).user).toBe("vera");
  });

  longTest("to a server before 2.10.27 are refused with the version", async (context) => {
    if (OLD_SERVER === undefined) return context.skip(`needs nats-server before ${OLDEST_NATS}`);
    const fleet = await testFleet({ program: OLD_SERVER, isSetUp: false });
    for (const opened of [fleet.as("adam"), fleet.start("web-1")])
      await expect(opened).rejects.toMatchObject({ kind: "FLEET_FAILED", body: { code: "NATS_TOO_OLD" } });
  });

  longTest("use a token; a wrong token is refused, and neither is in a message", async () => {
    const server = await natsServer("", `authorization { token: "${SECRET}" }`);
    const fleet = await testFleet();
    const [right, wrong] = [join(temporaryFolder(), "token"), join(temporaryFolder(), "token")];
    writeFileSync(right, `${SECRET}\n`, { mode: 0o600 });
    writeFileSync(wrong, `${SECRET}x\n`, { mode: 0o600 });
    const withToken = (file: string): Variables => ({
      SVC_SERVICE_MANAGEMENT_NATS_URL: server.url,
      SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS: file,
      SVC_SERVICE_MANAGEMENT_NATS_USER: "vera",
    });
    await asNode(fleet, "web-1", withToken(right));
    const vera = await asUser(fleet, "vera", withToken(right));
    expect(await vera.ask("web-1", identityShow, {}, MS)).toMatchObject({ actor: "vera", role: "viewer" });
    const refusal = await refused(asUser(fleet, "vera", withToken(wrong)));
    expect(refusal.code).toBe("FLEET_REFUSED");
    expect(JSON.stringify(refusal)).not.toContain("canary");
  });

  longTest(
    "use a .creds file of a server with operator and accounts, with only the permissions of its JWT",
    async () => {
      const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
      const limits = { subs: -1, conn: -1, leaf: -1, imports: -1, exports: -1, data: -1, payload: -1, wildcards: true };
      const jetstream = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
      const operatorJwt = jwt(operator, operator.getPublicKey(), { type: "operator" });
      const accountJwt = jwt(operator, account.getPublicKey(), {
        type: "account",
        limits: { ...limits, ...jetstream },
      });
      const credsOf = (own: ReturnType<typeof nkeys.createUser>, claims: object): string => {
        const file = join(temporaryFolder(), "svcm.creds");
        const free = { subs: -1, data: -1, payload: -1 };
        const claim = jwt(account, own.getPublicKey(), { type: "user", ...free, ...claims });
        const seed = new TextDecoder().decode(own.getSeed());
        const block = (name: string, content: string): string =>
          `-----BEGIN ${name}-----\n${content}\n------END ${name}------\n`;
        writeFileSync(file, `${block("NATS USER JWT", claim)}\n${block("USER NKEY SEED", seed)}`, { mode: 0o600 });
        return file;
      };
      const system = nkeys.createAccount();
      const systemJwt = jwt(operator, system.getPublicKey(), { type: "account", limits });
      const accounts = `${account.getPublicKey()}: ${accountJwt}, ${system.getPublicKey()}: ${systemJwt}`;
      const preload = `system_account: ${system.getPublicKey()}\nresolver: MEMORY\nresolver_preload: { ${accounts} }`;
      const server = await natsServer("", `operator: ${operatorJwt}\n${preload}`);
      const fleet = await testFleet();
      const withCreds = (file: string): Variables => ({
        SVC_SERVICE_MANAGEMENT_NATS_URL: server.url,
        SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS: file,
        SVC_SERVICE_MANAGEMENT_NATS_USER: "vera",
      });
      await asNode(fleet, "web-1", withCreds(credsOf(nkeys.createUser(), {})));
      const vera = await asUser(fleet, "vera", withCreds(credsOf(user, {})));
      expect(await vera.ask("web-1", identityShow, {}, MS)).toMatchObject({ actor: "vera" });
      const mute = await asUser(fleet, "vera", withCreds(credsOf(nkeys.createUser(), { pub: { deny: ["svcm.>"] } })));
      expect((await refused(mute.ask("web-1", identityShow, {}, MS))).code).toBe("NODE_FORBIDDEN");
      const unknownUser = credsOf(nkeys.createUser(), { issuer_account: operator.getPublicKey() });
      expect((await refused(asUser(fleet, "vera", withCreds(unknownUser)))).code).toBe("FLEET_REFUSED");
    },
  );
});
