import { GracePeriod } from "./grace-period.ts";
import type { Run } from "./run.ts";

/** The code and message of the warning about a failure at the end of a run. */
type Problem = { readonly code: string; readonly message: string };

const turnNotStored: Problem = { code: "turn_not_stored", message: "The interrupted turn could not be stored." };
const answerNotStored: Problem = {
  code: "turn_not_stored",
  message: "The turn of an answer could not be stored. The answer is delivered without.",
};
const waitNotStored: Problem = { code: "wait_not_stored", message: "The session could not note that its run waits." };
const afterRunFailed: Problem = { code: "hook_failed", message: "The hook afterRun failed." };
const onErrorFailed: Problem = { code: "hook_failed", message: "The hook onError failed." };

const problems = { turnNotStored, answerNotStored, waitNotStored, afterRunFailed, onErrorFailed };

/** The grace period at the end of a run. Calls the functions of `RunWork` that belong to this period. */
export class RunEnding extends GracePeriod {
  readonly #run: Pick<Run, "warn">;

  constructor(run: Pick<Run, "warn">) {
    super();
    this.#run = run;
  }

  /** Calls a function of the run's work at the end of the run. An error becomes a warning. */
  call(problem: keyof typeof problems, call: () => void | Promise<void>): void | Promise<void> {
    try {
      const pending = call();
      return pending === undefined ? undefined : this.#waitOrWarn(problem, pending);
    } catch (error) {
      this.warn(problem, error);
    }
  }

  /** Warns about a failure at the end of the run that does not change its outcome. */
  warn(problem: keyof typeof problems, error: unknown): void {
    const { code, message } = problems[problem];
    this.#run.warn(code, message, { error });
  }

  async #waitOrWarn(problem: keyof typeof problems, pending: Promise<void>): Promise<void> {
    try {
      await this.wait(pending);
    } catch (error) {
      this.warn(problem, error);
    }
  }
}
