/** Runs before the first paint; a separate file because the content policy forbids inline scripts. */
import { applyTheme, storedTheme } from "./state/preferences.ts";

applyTheme(storedTheme());
