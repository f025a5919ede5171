import type { StoredEntry } from "../../run-log/read-run-log.ts";
import { forms } from "./forms-steps.ts";
import type { FormName } from "./forms-steps.ts";

/** The workflow steps that have begun in the log of a run and have not ended. */
export class StepsUnderWay {
  /** The paths of the steps whose beginning was announced. */
  readonly #announced = new Set<string>();
  /** The paths of the steps with a call. It is stored before it is made, which may be earlier than the announcement. */
  readonly #calls = new Set<string>();

  /** Reads the next entry of the log. */
  add(entry: StoredEntry): void {
    for (const { type, step } of (entry["chunks"] ?? []) as { type: string; step: string }[]) {
      if (type === "step_start") this.#announced.add(step);
      if (type === "step_end") this.#announced.delete(step);
    }
    // A path has the names of the steps, and the key of a journal step has a `w` before each of them.
    const path = (entry.step ?? "").replaceAll(/(^|\/)w\//g, "$1");
    if (entry.t === "call") this.#calls.add(path);
    if (entry.t === "done") this.#calls.delete(path);
  }

  /** The form of each step. Rounds and items are parts of a step. */
  get forms(): FormName[] {
    return [...new Set([...this.#announced, ...this.#calls])].flatMap((path) => {
      const [name] = path.slice(path.lastIndexOf("/") + 1).split("-");
      return forms.find((form) => form === name) ?? [];
    });
  }
}
