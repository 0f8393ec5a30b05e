import type { HasTokens } from "../access/port-tokens.ts";
import type { HasEffects } from "../env/port-effects.ts";
import type { ApplyPorts } from "../rollout/apply/ports.ts";
import type { HasProposals } from "./port-proposals.ts";

/** A proposal is computed, approved and run. */
export interface ApprovalPorts extends ApplyPorts, HasEffects, HasProposals, HasTokens {}
