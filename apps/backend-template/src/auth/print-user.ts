/** Prints a line for the users' file: `npm run --silent user -- <name>`. The password is read from standard input. */
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { hashPassword } from "./password.ts";

const MIN_PASSWORD_LENGTH = 12;

const [name = ""] = process.argv.slice(2);
if (!/^[^:\p{Cc}\s]{1,64}$/u.test(name)) {
  console.error("Usage: npm run --silent user -- <name>; accepted: 1 to 64 characters, no colon, no white space");
  process.exitCode = 2;
} else {
  const password = await readPassword();
  if (password.length >= MIN_PASSWORD_LENGTH) {
    console.log(`${name}:${await hashPassword(password)}`);
  } else {
    console.error(`The password is too short; accepted: at least ${MIN_PASSWORD_LENGTH} characters`);
    process.exitCode = 1;
  }
}

async function readPassword(): Promise<string> {
  const { stdin, stderr } = process;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (stdin.isTTY) stderr.write(`Password of ${name}: `);
  const reader = createInterface({ input: stdin, output: silent, terminal: stdin.isTTY });
  const line = await new Promise<string>((resolve) => {
    reader.once("line", resolve);
    reader.once("close", () => resolve(""));
  });
  if (stdin.isTTY) stderr.write("\n");
  reader.close();
  return line;
}
