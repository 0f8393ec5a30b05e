/**
 * Installs and builds the reference backend where that is not done yet. With `--omit=dev`, what its default choices
 * need and no more; without, every framework and driver, as the tests want.
 */
import { prepareBackend } from "./backend/prepare.ts";

prepareBackend({ withDevelopment: !process.argv.includes("--omit=dev") });
