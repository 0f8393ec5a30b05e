import { expect, test } from "vitest";
import { runInstalled } from "./installed.ts";

test('the page "Your own backend" runs as printed in an Express project that installed the package', async () => {
  const code = `const express = require("express");
const app = express();
app.get("/", (_, response) => response.send("shop\\n"));
app.listen(process.env.PORT);
`;
  expect(await runInstalled({ dependencies: ["express"], code })).toEqual([]);
});
