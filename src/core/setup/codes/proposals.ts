import type { CodeDocs } from "../../findings/rule.ts";

export const proposalCodes: CodeDocs = {
  PROPOSAL_NOT_FOUND: {
    summary: "No proposal has this id.",
    remedy: "List the proposals with `svcm approve`. svcm keeps the newest 100 that have ended.",
  },
  PROPOSAL_NOT_APPROVED: {
    summary: "No user has approved the proposal, or the token that approved it is not valid any more.",
    explanation: "An argument or an answer of a program never counts as an approval.",
    remedy: "A user reads and approves it with `svcm approve ID` at a terminal.",
  },
  PROPOSAL_ENDED: {
    summary: "The proposal was run, denied, expired or out of date. It runs at most once.",
    remedy: "Propose the present plan.",
  },
  PROPOSAL_EMPTY: {
    summary: "The proposal would change nothing.",
    remedy: "Read the plan first. Propose only a plan with steps, or values that differ.",
  },
  PROPOSALS_FULL: {
    summary: "Ten proposals of the same program wait for a user.",
    remedy: "Approve or deny them: `svcm approve` lists them.",
  },
  PROPOSAL_REFUSED: {
    summary: "The proposal is not in a state that permits the request.",
    remedy: "Read the details: they name its state.",
  },
  PROPOSAL_STALE: {
    summary: "A file, the code or a process changed since the proposal, so its plan is another one now.",
    remedy: "Let the program propose the present plan.",
  },
  PROPOSALS_FAILED: {
    summary: "`.svcm/proposals.json` could not be read or written, so nothing can be proposed, approved or run.",
    remedy: "Read the details: they name the file and the reason.",
  },
  APPROVAL_SELF: {
    summary: "The one who approves is the one who proposed.",
    explanation:
      "A token never approves what it proposed. A terminal that was started by the program that proposed does not count as a user.",
    remedy: "Approve with the token of another user, or at a terminal that you opened yourself.",
  },
  APPROVAL_NEEDS_USER: {
    summary: "Only a user approves: at a terminal, or with a token of the role editor or admin.",
    remedy: "Run `svcm approve ID` at a terminal. There is no flag that answers for you.",
  },
};
