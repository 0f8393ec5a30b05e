import { batch, computed, signal } from "@preact/signals";
import type { Console } from "../../console.ts";
import type { Ecosystem } from "../../data/api.ts";
import { formatCount } from "../../data/format.ts";
import { problemOf, type Problem } from "../../data/request-error.ts";

/**
 * What is previewed: chosen in this page only, independent of the env editor, stored nowhere.
 *
 * @see the specification, "Deploy target list behaviour" 8 and 9
 */
export class Preview {
  readonly environment;
  readonly ecosystem = signal<Ecosystem | undefined>();
  readonly problem = signal<Problem | undefined>();
  /** The kind of the stored service configuration, where it is one. */
  readonly configuredKind = computed(() => this.#knownKind(this.#console.suite.document.value.serviceConfiguration));
  readonly serviceKind = computed(
    () => this.#chosenKind.value ?? this.configuredKind.value ?? Object.keys(this.#kinds)[0] ?? "",
  );
  readonly #console: Console;
  readonly #chosenKind = signal<string | undefined>();
  #reading = new AbortController();

  constructor(console: Console) {
    this.#console = console;
    this.environment = signal(console.facts.matrix.pm2Profiles[0] ?? "");
  }

  get #kinds() {
    return this.#console.facts.matrix.serviceKinds;
  }

  select(environment: string): void {
    this.environment.value = environment;
    void this.load();
  }

  choose(serviceKind: string): void {
    this.#chosenKind.value = serviceKind;
    void this.load();
  }

  /** Asks for the file afresh: the server runs it for each answer. */
  async load(): Promise<void> {
    this.close();
    this.#reading = new AbortController();
    const { signal: aborted } = this.#reading;
    try {
      const { environment, serviceKind } = this;
      const ecosystem = await this.#console.api.ecosystem(environment.value, serviceKind.value, aborted);
      if (!aborted.aborted) this.#show(ecosystem, undefined);
    } catch (error) {
      if (!aborted.aborted) this.#show(undefined, problemOf(error));
    }
  }

  /** Reads the file again because somebody asked for it, who is told what came of it. */
  async reload(): Promise<void> {
    await this.load();
    const { ecosystem } = this;
    if (ecosystem.value?.exists) {
      const { fileName, apps } = ecosystem.value;
      this.#console.toasts.info(`Read ${fileName} again: ${formatCount(apps.length, "app")}.`);
    }
  }

  /** Ends what is under way. */
  close(): void {
    this.#reading.abort();
  }

  #show(ecosystem: Ecosystem | undefined, problem: Problem | undefined): void {
    batch(() => {
      this.ecosystem.value = ecosystem;
      this.problem.value = problem;
    });
  }

  #knownKind(configuration: { readonly serviceKind?: unknown } = {}): string | undefined {
    const { serviceKind } = configuration;
    return typeof serviceKind === "string" && Object.hasOwn(this.#kinds, serviceKind) ? serviceKind : undefined;
  }
}
