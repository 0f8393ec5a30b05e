import { expect, test } from "vitest";
import { EXPRESS, runInstalled } from "./installed.ts";

test('the page "Your own backend" runs as printed in an Express project that installed the package', async () => {
  expect(await runInstalled(EXPRESS)).toEqual([]);
});

test('the page "Your own backend" runs as printed in a NestJS project that installed the package', async () => {
  const code = `require("reflect-metadata");
const { Controller, Get, Module } = require("@nestjs/common");
const { NestFactory } = require("@nestjs/core");

class ShopController {
  shop() {
    return "shop\\n";
  }
}
Controller()(ShopController);
Get()(ShopController.prototype, "shop", Object.getOwnPropertyDescriptor(ShopController.prototype, "shop"));
class ShopModule {}
Module({ controllers: [ShopController] })(ShopModule);

NestFactory.create(ShopModule).then((app) => app.listen(process.env.PORT));
`;
  const nest = ["@nestjs/common", "@nestjs/core", "@nestjs/platform-express", "reflect-metadata", "rxjs"];
  expect(await runInstalled({ dependencies: nest, code })).toEqual([]);
});

test('the page "Your own backend" runs as printed beside another version of PM2', async () => {
  expect(await runInstalled({ ...EXPRESS, dependencies: [...EXPRESS.dependencies, "pm2@6.0.14"] })).toEqual([]);
});
