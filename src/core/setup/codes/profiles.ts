import type { CodeDocs } from "../../findings/rule.ts";

export const profileCodes: CodeDocs = {
  PROFILE_NOT_FOUND: {
    summary: "There is no operational profile with that name.",
    remedy: "Choose one of the names that `svcm env profile list` shows.",
  },
  PROFILE_VALUE_MISSING: {
    summary: "A placeholder of the profile needs a value.",
    remedy:
      "Add it to the command, `svcm env profile apply <profile> KEY=VALUE`; `svcm env profile show` lists the keys.",
  },
  PROFILE_VALUE_UNKNOWN: {
    summary: "The profile does not take a value for this key.",
    remedy: "Leave it out, or write it with `svcm env set KEY=VALUE` after the profile.",
  },
};
