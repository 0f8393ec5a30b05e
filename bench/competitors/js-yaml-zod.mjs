/** The work of an afternoon: checks types and vocabularies, without a matrix or positions. */
import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import * as z from "zod";

const target = z.strictObject({
  name: z.string().min(1),
  region: z.string().optional(),
  runtime: z.string().regex(/^[A-Za-z][A-Za-z_+#-]*\d(?:[\w.+-]*\w)?$/),
  serviceType: z.enum(["restapi", "websocket+restapi", "grpc+restapi", "functions"]),
  deployTarget: z.enum(["dedicated-server", "vm", "ec2", "lambda", "vercel-functions", "cloudflare-workers"]),
  runtimeProtocol: z.enum(["http", "websocket", "grpc"]),
  databaseDriver: z.string(),
  keyValueDriver: z.string(),
  pm2Profile: z.enum(["dev", "staging", "production"]).optional(),
});
const document = z.strictObject({ version: z.literal("service-management.v1"), deployments: z.array(target) });

const { success, error } = document.safeParse(load(readFileSync(process.argv[2], "utf8")));
console.log(success ? "valid" : error.message);
process.exitCode = success ? 0 : 1;
