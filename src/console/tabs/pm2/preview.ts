import { batch, computed, signal } from "@preact/signals";
import type { Console } from "../../console.ts";
import type { Ecosystem } from "../../data/api.ts";
import { formatCount } from "../../data/format.ts";
import { Question } from "../../data/question.ts";
import type { Problem } from "../../data/request-error.ts";

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
  readonly #question = new Question();

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

  /** The server runs the file for each answer. */
  async load(): Promise<void> {
    const { environment, serviceKind } = this;
    const asked = await this.#question.ask((aborted) =>
      this.#console.api.ecosystem(environment.value, serviceKind.value, aborted),
    );
    if (asked === undefined) return;
    batch(() => {
      this.ecosystem.value = asked.answer;
      this.problem.value = asked.problem;
    });
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
    this.#question.abort();
  }

  #knownKind(configuration: { readonly serviceKind?: unknown } = {}): string | undefined {
    const { serviceKind } = configuration;
    return typeof serviceKind === "string" && Object.hasOwn(this.#kinds, serviceKind) ? serviceKind : undefined;
  }
}
