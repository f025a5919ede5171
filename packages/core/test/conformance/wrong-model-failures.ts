import { ModelError } from "../../src/errors/model-error.ts";
import { TroupeError } from "../../src/errors/troupe-error.ts";
import type { ModelChunk } from "../../src/model/model-chunk.ts";
import type { modelFailureCases } from "../../src/testing/conformance/model-failure-cases.ts";
import type { modelSignalCases } from "../../src/testing/conformance/model-signal-cases.ts";
import type { ModelProviderSubject } from "../../src/testing/conformance/model-subject.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { asking, failing, modelBut, streaming } from "./wrong-model.ts";
import { without } from "./without.ts";

const providerId = "scripted";

/** Models that fail wrongly. */
export const wrongModelFailures = {
  "calls a refused key of the caller's unauthorized": () => refusing({ fromCaller: false }),
  "calls a refused key of its own the model's failure": () => refusing({ fromCaller: true }),
  "reports a rate limit, and how long the vendor asks to wait": () =>
    failing(() => new ModelError({ providerId, status: 429 })),
  "reports a vendor that fails": () => failing(() => new ModelError({ providerId })),
  "reports a request that the vendor refuses": () => failing(() => new TroupeError("invalid_request", "Refused.")),
  "fails on an error within the stream": swallowing,
  "fails on a stream that ends before its answer is complete": swallowing,
  "fails on a connection that is closed or reset": () => failing(() => new TypeError("terminated")),
  "gives a stalled stream up": () => failing(() => new ModelError({ providerId, networkCode: "ECONNRESET" })),
  "says which failures may pass": () => failing(() => new ModelError({ providerId, status: 500 })),
  "yields what was said before a failure, and no finish": () =>
    streaming(async function* (chunks) {
      const all: ModelChunk[] = [];
      for await (const chunk of chunks) all.push(chunk);
      yield* all;
    }),
  "asks the vendor once, and leaves trying again to its caller": () =>
    modelBut((right) => ({
      stream: async function* (messages, options) {
        try {
          yield* right.stream(messages, options);
        } catch {
          yield* right.stream(messages, options);
        }
      },
    })),
  "shows no key in any error": () =>
    failing(
      (error, { apiKey }) =>
        new TroupeError("model_failed", "Failed.", { cause: new Error(`Bearer ${apiKey}`, { cause: error }) }),
    ),
} satisfies WrongSubjects<ModelProviderSubject, typeof modelFailureCases>;

/** Models whose calls end wrongly. */
export const wrongModelSignals = {
  "asks nothing once its signal has aborted": deaf,
  "ends a stream that waits for its first byte when the signal aborts": deaf,
  "ends a stream that waits for the next byte when the signal aborts": deaf,
  "ends a whole answer that is waited for when the signal aborts": () =>
    modelBut((right) => ({
      // Rejects at once, and lets the vendor go on.
      generate: async (messages, { signal, ...options } = {}) =>
        await Promise.race([
          right.generate(messages, options),
          new Promise<never>((_resolve, reject) => {
            signal?.addEventListener("abort", () => reject(new TroupeError("cancelled", "Cancelled.")));
          }),
        ]),
    })),
  "calls it a timeout when the signal's time ran out": () => failing(() => new TroupeError("cancelled", "Cancelled.")),
  "ends the vendor's request when the reader leaves early": () =>
    modelBut((right) => ({
      stream: (...args) => {
        const chunks = right.stream(...args)[Symbol.asyncIterator]();
        return { [Symbol.asyncIterator]: () => ({ next: async () => await chunks.next() }) };
      },
    })),
  "leaves nothing on the signal when it is done": () =>
    asking((options) => {
      options.signal?.addEventListener("abort", () => undefined);
      return options;
    }),
} satisfies WrongSubjects<ModelProviderSubject, typeof modelSignalCases>;

function refusing({ fromCaller }: { fromCaller: boolean }): ModelProviderSubject {
  return failing(() => new ModelError({ providerId, status: 401, key: { value: "?", fromCaller } }));
}

/** Takes the end of the connection for the end of the answer. */
function swallowing(): ModelProviderSubject {
  return streaming(async function* (chunks) {
    try {
      yield* chunks;
    } catch {
      yield { type: "finish", finishReason: "stop" };
    }
  });
}

/** Hears no signal. */
function deaf(): ModelProviderSubject {
  return asking((options) => without(options, "signal"));
}
