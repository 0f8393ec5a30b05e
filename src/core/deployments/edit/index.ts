/** Loaded only for an edit. */
export { setConfiguration } from "./configuration.ts";
export { applyDraft } from "./draft.ts";
export { refuseIssues } from "./edit.ts";
export { addEntry, editEntry, removeEntry } from "./entry.ts";
export { interfaceKind } from "./interface.ts";
export { migrateDocument } from "./migrate-document.ts";
export { duplicateTarget, targetKind } from "./target.ts";
