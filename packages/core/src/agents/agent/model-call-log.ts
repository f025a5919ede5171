import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import { writesLevel } from "../../base/log/logger.ts";
import type { LogFields } from "../../base/log/logger.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import type { Run } from "../run/run.ts";
import { elapsedMs } from "../../base/util/elapsed-ms.ts";

type ModelName = Pick<ModelProvider, "providerId" | "modelId">;

/** The log of one model call: one line at level `debug` after the call, without any content. */
export class ModelCallLog {
  readonly #run: Run;
  readonly #model: ModelName;
  readonly #startedAt = performance.now();

  constructor(run: Run, model: ModelName) {
    this.#run = run;
    this.#model = model;
  }

  /** Logs a model call that was answered. */
  complete({ finishReason, usage, answeredBy }: ModelResponse): void {
    this.#write({ ...answeredBy, finishReason, tokens: usage.totalTokens });
  }

  /** Logs a model call that failed, and returns its error, which names the model. */
  fail(thrown: unknown): TroupeError {
    const { providerId, modelId } = this.#model;
    const error = toTroupeError(thrown, this.#run.signal, `The model ${providerId}/${modelId}`);
    this.#write({ code: error.code });
    return error;
  }

  #write(end: LogFields): void {
    const { logger } = this.#run;
    if (!writesLevel(logger, "debug")) return;
    const { providerId, modelId } = this.#model;
    const durationMs = elapsedMs(this.#startedAt);
    logger.debug("The model call ended.", { providerId, modelId, ...end, durationMs });
  }
}
