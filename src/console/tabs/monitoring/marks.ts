import { computed, effect, signal, untracked } from "@preact/signals";
import type { Mark } from "../../../core/api/alerts.ts";
import type { Proposal } from "../../../core/api/proposals.ts";
import type { Api } from "../../data/api.ts";
import type { Feed } from "./feed.ts";

/** Between two looks, in seconds: another user may mute, and a program may propose. */
const EVERY_S = 15;

export type Marks = ReturnType<typeof createMarks>;

/** The mutes and notes of all users, and the proposals that wait for a decision. Another node has its own: none here. */
export function createMarks(
  api: Pick<Api, "marks" | "mute" | "note" | "proposals">,
  feed: Pick<Feed, "newest">,
  node: string,
) {
  const list = signal<readonly Mark[]>([]);
  const proposals = signal<readonly Proposal[]>([]);
  const load = async (): Promise<void> => {
    if (node !== "") return;
    // Those of the last answer stay, so that one lost request hides nothing.
    const [marked, proposed] = await Promise.allSettled([api.marks(), api.proposals()]);
    if (marked.status === "fulfilled") list.value = marked.value.marks;
    if (proposed.status === "fulfilled")
      proposals.value = proposed.value.proposals.filter(({ state }) => state === "pending");
  };
  const turn = computed(() => Math.floor((feed.newest.value?.time ?? 0) / EVERY_S));
  effect(() => {
    if (turn.value > 0) untracked(() => void load());
  });
  return {
    list,
    proposals,
    load,
    isHere: node === "",
    mute: async (body: Parameters<Api["mute"]>[0]): Promise<void> => void (list.value = (await api.mute(body)).marks),
    note: async (body: Parameters<Api["note"]>[0]): Promise<void> => void (list.value = (await api.note(body)).marks),
  };
}
