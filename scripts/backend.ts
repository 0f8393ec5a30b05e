/**
 * Installs and builds the reference backend if it is not up to date. With `--omit=dev` only the packages of its default
 * choices; without it every framework and driver, which the tests need.
 */
import { prepareBackend } from "./backend/prepare.ts";

prepareBackend({ withDevelopment: !process.argv.includes("--omit=dev") });
