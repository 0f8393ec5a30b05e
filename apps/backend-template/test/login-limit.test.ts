import { expect, test } from "vitest";
import { attemptKey } from "../src/auth/login-limit.ts";

test.each([
  ["127.0.0.1", "::ffff:127.0.0.1", true],
  ["192.0.2.1", "192.0.2.2", false],
  ["2001:db8:1:2::1", "2001:db8:1:2:3:4:5:6", true],
  ["2001:db8:1:2::1", "2001:db8:1:3::1", false],
  ["2001:db8::1", "2001:db8:0:0:ffff::", true],
  ["::1", "2001:db8::1", false],
])("one user from %s and from %s: counted together is %s", (one, other, isSame) => {
  expect(attemptKey("alice", one) === attemptKey("alice", other)).toBe(isSame);
  expect(attemptKey("alice", one)).not.toBe(attemptKey("bob", one));
});
