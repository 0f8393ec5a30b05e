import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connect } from "../../../../src/core/pm2/daemon/worker/connection.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

test("a daemon that ends between the connection and its acceptance is a lost connection", async () => {
  const path = join(temporaryFolder(), "rpc.sock");
  const daemon = createServer();
  await new Promise<void>((listening) => daemon.listen(path, listening));
  const connected = connect(path, 60_000);
  daemon.close();
  await expect(connected).rejects.toMatchObject({ code: "PM2_CONNECTION_LOST" });
});
