import { describe, expect, test } from "vitest";
import {
  anonymousIdentity,
  checkProvenance,
  type AccessPolicy,
  type Provenance,
  authentication,
  createIdentities,
  type Identities,
} from "../../src/server/access.ts";
import { systemClock } from "../../src/core/files/host.ts";
import { rightsOf } from "../../src/core/index.ts";

const policy: AccessPolicy = {
  hosts: new Set(["svcm.example", "10.0.0.7", "fd00::1"]),
  isLoopback: true,
  identities: identitiesWith(undefined),
};

function identitiesWith(token: string | undefined): Identities {
  const tokens = { path: "", current: () => undefined, update: () => Promise.resolve(), createSecret: () => "" };
  return createIdentities({ tokens, clock: systemClock }, token);
}

const own: Provenance = {
  method: "GET",
  target: "/api/runtime/env",
  hosts: ["localhost:3200"],
  origin: undefined,
  fetchSite: undefined,
  fetchMode: undefined,
  fetchDest: undefined,
  localAddress: "127.0.0.1",
};

function isOwn(request: Partial<Provenance>, isPage = false): boolean {
  return checkProvenance(policy, { ...own, ...request }, isPage) === undefined;
}

describe("Host", () => {
  test.each([
    ["localhost"],
    ["localhost:3200"],
    ["localhost:1"],
    ["127.0.0.1:3200"],
    ["127.9.9.9"],
    ["[::1]:3200"],
    ["svcm.example"],
    ["SVCM.example:8443"],
    ["10.0.0.7:80"],
    ["[fd00:0::1]:80"],
  ])("%s is accepted as a Host", (host) => {
    expect(isOwn({ hosts: [host] })).toBe(true);
  });

  test.each([
    [[]],
    [["localhost", "localhost"]],
    [["localhost", "evil.example"]],
    [["evil.example"]],
    [["evil.example:3200"]],
    [["localhost.evil.example"]],
    [["svcm.example.evil.example"]],
    [["svcm.example."]],
    [["evil.example#localhost"]],
    [["10.0.0.8"]],
    [["0.0.0.0:3200"]],
    [[""]],
    [["127.0.0.1.nip.io"]],
  ])("%j is refused as a Host", (hosts) => {
    expect(isOwn({ hosts })).toBe(false);
  });

  test("the address of the connection is accepted as a Host, another address is refused", () => {
    expect(isOwn({ hosts: ["192.168.1.5:3200"], localAddress: "192.168.1.5" })).toBe(true);
    expect(isOwn({ hosts: ["192.168.1.5:3200"], localAddress: "::ffff:192.168.1.5" })).toBe(true);
    expect(isOwn({ hosts: ["192.168.1.5:3200"], localAddress: "127.0.0.1" })).toBe(false);
    expect(isOwn({ hosts: ["192.168.1.5:3200"], localAddress: undefined })).toBe(false);
  });

  test("a target with an authority must name the same host", () => {
    expect(isOwn({ target: "http://localhost:3200/api/runtime/env" })).toBe(true);
    for (const target of [
      "http://evil.example/",
      "http://localhost/",
      "HTTPS://evil.example",
      "http://localhost:3200@evil.example/",
    ]) {
      expect(isOwn({ target })).toBe(false);
    }
  });
});

describe("Origin", () => {
  test("an Origin must equal scheme and Host, byte for byte", () => {
    expect(isOwn({ origin: "http://localhost:3200" })).toBe(true);
    expect(isOwn({ origin: "http://[::1]:3200", hosts: ["[::1]:3200"] })).toBe(true);
  });

  test("an Origin may be the same host over TLS, behind a proxy", () => {
    expect(isOwn({ origin: "https://localhost:3200" })).toBe(true);
    expect(isOwn({ origin: "https://svcm.example", hosts: ["svcm.example"] })).toBe(true);
    expect(isOwn({ origin: "https://svcm.example", hosts: ["svcm.example:8443"] })).toBe(false);
  });

  test("an Origin may be that of the public URL, with any Host of the proxy", () => {
    const behindProxy = { ...policy, publicOrigin: "https://ops.example:8443" };
    const problem = (origin: string) => checkProvenance(behindProxy, { ...own, origin }, false);
    expect(problem("https://ops.example:8443")).toBeUndefined();
    for (const origin of ["http://ops.example:8443", "https://ops.example", "https://ops.example:8443/", "null"]) {
      expect(problem(origin)).toContain("SVC_SERVICE_MANAGEMENT_PUBLIC_URL");
    }
  });

  test.each([
    "",
    "null",
    "http://localhost",
    "http://localhost:3201",
    "https://localhost:3201",
    "wss://localhost:3200",
    "http://LOCALHOST:3200",
    "http://127.0.0.1:3200",
    "http://localhost:3200/",
    "http://localhost:3200, http://localhost:3200",
    "http://evil.example",
    "chrome-extension://abcdef",
    "file://",
  ])("the Origin %j is refused", (origin) => {
    expect(isOwn({ origin })).toBe(false);
  });

  test("an allowed host is not an allowed Origin of another host", () => {
    expect(isOwn({ origin: "http://svcm.example" })).toBe(false);
    expect(isOwn({ origin: "http://svcm.example", hosts: ["svcm.example"] })).toBe(true);
  });
});

describe("Sec-Fetch-Site", () => {
  test.each(["same-origin", "none"])("Sec-Fetch-Site %s is accepted", (fetchSite) => {
    expect(isOwn({ fetchSite })).toBe(true);
  });

  const foreign = ["same-site", "cross-site", "", "Same-Origin", "same-origin, same-origin", "anything"];
  test.each(foreign)("Sec-Fetch-Site %j is refused", (fetchSite) => {
    expect(isOwn({ fetchSite })).toBe(false);
    expect(isOwn({ fetchSite }, true)).toBe(false);
  });

  const link = { fetchSite: "cross-site", fetchMode: "navigate", fetchDest: "document" };

  test("a link from another site may lead only to the page", () => {
    expect(isOwn(link, true)).toBe(true);
    expect(isOwn(link)).toBe(false);
  });

  test.each([
    { fetchDest: "iframe" },
    { fetchDest: undefined },
    { fetchMode: "no-cors" },
    { fetchMode: undefined },
    { method: "POST" },
  ])("a request from another site is refused with %j", (other) => {
    expect(isOwn({ ...link, ...other }, true)).toBe(false);
  });
});

describe("rights", () => {
  const right = "Bearer a-token";
  const on = (isLoopback: boolean, isTokenSet: boolean, isPublic = false): AccessPolicy => ({
    hosts: new Set(),
    isLoopback,
    isPublic,
    identities: identitiesWith(isTokenSet ? "a-token" : undefined),
  });

  test.each([
    { where: "loopback, no token set", policy: on(true, false), authorization: undefined, grants: rightsOf.editor },
    { where: "loopback, none given", policy: on(true, true), authorization: undefined, grants: ["read"] },
    { where: "loopback, wrong one", policy: on(true, true), authorization: "Bearer wrong", grants: ["read"] },
    { where: "loopback, right one", policy: on(true, true), authorization: right, grants: rightsOf.admin },
    { where: "behind a proxy, none given", policy: on(true, true, true), authorization: undefined, grants: [] },
    { where: "behind a proxy, right one", policy: on(true, true, true), authorization: right, grants: rightsOf.admin },
    { where: "elsewhere, none given", policy: on(false, true), authorization: undefined, grants: [] },
    { where: "elsewhere, wrong one", policy: on(false, true), authorization: "Bearer wrong", grants: [] },
    { where: "elsewhere, right one", policy: on(false, true), authorization: right, grants: rightsOf.admin },
    {
      where: "elsewhere, no token set, which never starts",
      policy: on(false, false),
      authorization: right,
      grants: [],
    },
  ])("$where: $grants", ({ policy: given, authorization, grants }) => {
    const authenticate = authentication(given, { failures: 10, windowMs: 60_000 });
    expect(authenticate("127.0.0.1", authorization).grants).toEqual(grants);
  });

  test("a caller without a token is anonymous", () => {
    expect(anonymousIdentity(on(true, true))).toEqual({ actor: "anonymous", grants: ["read"] });
  });
});

describe("Authorization", () => {
  const isOwner = (authorization: string, token = "s3cret token") =>
    identitiesWith(token).find(authorization) !== undefined;

  test.each(["Bearer s3cret token", "bearer s3cret token", "BEARER   s3cret token"])(
    "Authorization %j carries the token",
    (authorization) => {
      expect(isOwner(authorization)).toBe(true);
    },
  );

  test.each([
    "",
    "Bearer",
    "Bearer ",
    "Bearers3cret token",
    "Bearer s3cret",
    "Bearer s3cret token ",
    "Bearer s3cret token,",
    "Bearer S3CRET TOKEN",
    'Bearer "s3cret token"',
    "Basic s3cret token",
    "s3cret token",
    "Bearer Bearer s3cret token",
    " Bearer s3cret token",
  ])("Authorization %j does not carry the token", (authorization) => {
    expect(isOwner(authorization)).toBe(false);
  });

  test("a token is compared by its UTF-8 bytes, which Node.js decodes as Latin-1", () => {
    const header = `Bearer ${Buffer.from("tökén-日本").toString("latin1")}`;
    expect(isOwner(header, "tökén-日本")).toBe(true);
    expect(isOwner(header, "tökén-日木")).toBe(false);
  });
});
