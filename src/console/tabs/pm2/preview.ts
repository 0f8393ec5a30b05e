import { batch, computed, signal } from "@preact/signals";
import type { Console } from "../../console.ts";
import { selectionPart, type AddressPart } from "../../state/address.ts";
import type { EcosystemResponse } from "../../../core/api/bodies.ts";
import { pluralize } from "../../data/format.ts";
import { monitorOf } from "../monitoring/monitor.ts";
import { LatestRequest } from "../../data/latest-request.ts";
import type { Problem } from "../../data/request-error.ts";

/**
 * Not stored, and independent of the env editor.
 *
 * @see the specification, "Deploy target list behaviour" 8 and 9
 */
export class Preview {
  readonly environment;
  readonly ecosystem = signal<EcosystemResponse | undefined>();
  readonly problem = signal<Problem | undefined>();
  readonly configuredKind = computed(() => this.#knownKind(this.#page.store.document.value.serviceConfiguration));
  readonly serviceKind = computed(
    () => this.#chosenKind.value ?? this.configuredKind.value ?? Object.keys(this.#kinds)[0] ?? "",
  );
  readonly #page: Console;
  readonly #chosenKind = signal<string | undefined>();
  readonly #question = new LatestRequest();

  constructor(page: Console) {
    this.#page = page;
    this.environment = monitorOf(page).feed.environment;
  }

  parts(): AddressPart[] {
    const tab = "pm2" as const;
    return [
      selectionPart(
        { name: "environment", tab },
        () => this.environment.value,
        (name) => monitorOf(this.#page).selectEnvironment(name),
      ),
      {
        name: "kind",
        tab,
        read: () => [this.#chosenKind.value ?? []].flat(),
        write: ([kind]) => void (this.#chosenKind.value = this.#knownKind({ serviceKind: kind })),
      },
    ];
  }

  get #kinds() {
    return this.#page.facts.matrix.serviceKinds;
  }

  choose(serviceKind: string): void {
    this.#chosenKind.value = serviceKind;
  }

  /** The server runs the ecosystem file for each answer. */
  async load(): Promise<void> {
    const { environment, serviceKind } = this;
    const result = await this.#question.send((aborted) =>
      this.#page.api.ecosystem(environment.value, serviceKind.value, aborted),
    );
    if (result === undefined) return;
    batch(() => {
      this.ecosystem.value = result.answer;
      this.problem.value = result.problem;
    });
  }

  async reload(): Promise<void> {
    await this.load();
    const { ecosystem } = this;
    if (ecosystem.value?.exists) {
      const { fileName, apps } = ecosystem.value;
      this.#page.toasts.info(`Read ${fileName} again: ${pluralize(apps.length, "app")}.`);
    }
  }

  /** Another environment or service has another file, so nothing is shown until its answer. */
  close(): void {
    this.#question.abort();
    this.ecosystem.value = undefined;
  }

  #knownKind(configuration: { readonly serviceKind?: unknown } = {}): string | undefined {
    const { serviceKind } = configuration;
    return typeof serviceKind === "string" && Object.hasOwn(this.#kinds, serviceKind) ? serviceKind : undefined;
  }
}

export function previewOf(page: Console): Preview {
  return page.getOrCreate("pm2", () => {
    const preview = new Preview(page);
    page.router.keep(...preview.parts());
    return preview;
  });
}
