/**
 * Installs and builds the reference backend if it is out of date. With `--omit=dev`, installs only the packages of its
 * default choices; otherwise every framework and driver, which the tests need.
 */
import { prepareBackend } from "./backend/prepare.ts";

prepareBackend({ withDevelopment: !process.argv.includes("--omit=dev") });
