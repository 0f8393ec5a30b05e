import { batch, computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Issue } from "../../../core/api/issue.ts";
import { changedConfiguration } from "../../../core/deployments/edit/configuration.ts";
import { splitKnown } from "../../../core/deployments/edit/edit.ts";
import { type Candidate, isMap } from "../../../core/deployments/candidate.ts";
import { fieldsOf } from "../../../core/deployments/shape.ts";
import { serviceConfigurationIssues } from "../../../core/deployments/validate.ts";
import { entryOf, portNames, type Vocabulary } from "../../../core/deployments/vocabulary.ts";
import { refusal, type Said, type Values } from "../../state/entry-kind.ts";
import type { SuiteStore } from "../../state/suite-store.ts";

/**
 * The form of the service configuration. A candidate is judged before it touches what is stored. A bad one is
 * refused and reported; it is never changed to fit.
 *
 * @see the specification, "Validation rules behind rejections" 1
 */
export class ConfigurationForm {
  /** As stored; `undefined` where nothing is. */
  readonly stored: ReadonlySignal<Candidate | undefined>;
  /** Of what is stored, judged anew whenever it changes. @see the specification, "Deploy target list behaviour" 6 */
  readonly storedIssues: ReadonlySignal<readonly Issue[]>;
  /** As the form shows them, ports by `ports.<name>`. */
  readonly values: ReadonlySignal<Values>;
  /** As they are stored, in the same form. */
  readonly before: ReadonlySignal<Values>;
  /** The listeners that the chosen kind binds. */
  readonly ports: ReadonlySignal<readonly string[]>;
  /** What is wrong with the form; what was not filled in yet is told once saving was tried. */
  readonly issues: ReadonlySignal<readonly Issue[]>;
  readonly isDirty: ReadonlySignal<boolean>;
  /** Whether the form holds something to lose: while nothing is saved what was typed, not a mere choice. */
  readonly isUnsaved: ReadonlySignal<boolean>;
  readonly said: Signal<Said | undefined> = signal();
  readonly focus: Signal<string | undefined> = signal();
  readonly #suite: SuiteStore;
  readonly #changes: Signal<Values> = signal({});
  readonly #wasTried = signal(false);
  readonly #candidate: ReadonlySignal<Candidate>;
  readonly #faults: ReadonlySignal<readonly Issue[]>;

  constructor(suite: SuiteStore, vocabulary: Vocabulary) {
    const { matrix } = vocabulary;
    const judge = (candidate: Candidate): Issue[] =>
      // As the form knows them, not as the document does.
      serviceConfigurationIssues(candidate, vocabulary).map((issue) => ({
        ...issue,
        path: withoutSection(issue.path),
      }));
    this.#suite = suite;
    this.stored = computed(() => suite.document.value.serviceConfiguration);
    this.storedIssues = computed(() => (this.stored.value ? judge(this.stored.value) : []));
    this.before = computed(() => textsOf(this.stored.value ?? {}, portNames(matrix)));
    this.values = computed(() => {
      const start = this.stored.value ? this.before.value : proposal(vocabulary);
      return { ...start, ...this.#changes.value };
    });
    this.ports = computed(() => entryOf(matrix.serviceKinds, this.values.value["serviceKind"])?.ports ?? []);
    this.#candidate = computed(() => candidateOf(this.stored.value ?? {}, this.values.value, this.ports.value));
    this.#faults = computed(() => splitKnown(judge(this.#candidate.value), this.stored.value ?? {}).bad);
    this.issues = computed(() => {
      if (this.#wasTried.value) return this.#faults.value;
      return this.#faults.value.filter(({ path }) => (this.values.value[path.join(".")] ?? "") !== "");
    });
    this.isDirty = computed(() => this.#changed().length > 0);
    this.isUnsaved = computed(() => this.#changed().some((field) => this.stored.value !== undefined || isTyped(field)));
  }

  set(field: string, value: string): void {
    this.#changes.value = { ...this.#changes.value, [field]: value };
  }

  save(): void {
    const [candidate, count] = [this.#candidate.value, this.#faults.value.length];
    batch(() => {
      this.#wasTried.value = count > 0;
      if (count > 0) {
        this.said.value = refusal(count);
        this.focus.value = "form [aria-invalid=true], form .issues";
        return;
      }
      this.#suite.update((document) => ({ ...document, serviceConfiguration: candidate }));
      this.#changes.value = {};
      this.said.value = { tone: "success", text: "Saved the service configuration." };
    });
  }

  #changed(): string[] {
    const before = this.before.value;
    return Object.entries(this.#changes.value).flatMap(([field, value]) =>
      value === (before[field] ?? "") ? [] : [field],
    );
  }

  /** Back to what is stored. */
  revert(): void {
    batch(() => {
      this.#changes.value = {};
      this.#wasTried.value = false;
      this.said.value = undefined;
      this.focus.value = "form select";
    });
  }
}

function isTyped(field: string): boolean {
  return field === "staticAssetsPath" || field.startsWith("ports.");
}

/** What is stored with the form's values; ports that the kind does not bind stay as they are stored. */
function candidateOf(stored: Candidate, values: Values, ports: readonly string[]): Candidate {
  const fields = [...fieldsOf("serviceConfiguration"), ...ports.map((name) => `ports.${name}`)];
  const before = isMap(stored["ports"]) || stored["ports"] === undefined ? stored : { ...stored, ports: {} };
  const given = textsOf(before, ports);
  const changed = fields.filter((field) => (values[field] ?? "") !== (given[field] ?? ""));
  const isFilled = (field: string): boolean => (values[field] ?? "") !== "";
  return changedConfiguration(before, {
    values: Object.fromEntries(changed.filter(isFilled).map((field) => [field, (values[field] ?? "").trim()])),
    clear: changed.filter((field) => !isFilled(field)),
  }).entry;
}

/** If nothing is stored, the form proposes the first values of the matrix. Ports cannot be guessed. */
function proposal({ matrix }: Vocabulary): Values {
  const [runMode = "", mode] = Object.entries(matrix.runModes)[0] ?? [];
  const [serviceKind = ""] = Object.keys(matrix.serviceKinds);
  return { serviceKind, runMode, cloudProvider: mode?.cloudProviders[0] ?? "" };
}

function textsOf(stored: Candidate, ports: readonly string[]): Values {
  const given = isMap(stored["ports"]) ? stored["ports"] : {};
  return Object.fromEntries([
    ...fieldsOf("serviceConfiguration").map((field) => [field, textOf(stored[field])]),
    ...ports.map((name) => [`ports.${name}`, textOf(Object.hasOwn(given, name) ? given[name] : undefined)]),
  ]);
}

function textOf(value: unknown = ""): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function withoutSection(path: Issue["path"]): Issue["path"] {
  return path[0] === "serviceConfiguration" ? path.slice(1) : path;
}
