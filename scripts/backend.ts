/** With `--omit=dev`, installs only the packages of the default choices; tests need every framework and driver. */
import { prepareBackend } from "./backend/prepare.ts";

prepareBackend({ withDevelopment: !process.argv.includes("--omit=dev") });
