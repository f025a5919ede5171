import { ModelError } from "../../src/base/errors/model-error.ts";
import { TroupeError } from "../../src/base/errors/troupe-error.ts";
import type { ModelChunk } from "../../src/model/model-chunk.ts";
import type { modelProviderCases } from "../../src/testing/conformance/model-provider-cases.ts";
import type { ModelProviderSubject } from "../../src/testing/conformance/model-subject.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { asking, failing, modelBut, streaming } from "./wrong-model.ts";
import { without } from "./altered.ts";

const providerId = "scripted";

/** Models with mistakes in failures. */
export const wrongModelFailures = {
  "reports a refused key of the caller as unauthorized": () => refusing({ fromCaller: false }),
  "reports a refused key of its own as model_failed": () => refusing({ fromCaller: true }),
  "reports a rate limit with the vendor's retry-after time": () =>
    failing(() => new ModelError({ providerId, status: 429 })),
  "reports a vendor that fails": () => failing(() => new ModelError({ providerId })),
  "reports a request that the vendor refuses": () => failing(() => new TroupeError("invalid_request", "Refused.")),
  "fails on an error within the stream": swallowing,
  "fails on a stream that ends before its answer is complete": swallowing,
  "fails on a connection that is closed or reset": () => failing(() => new TypeError("terminated")),
  "ends a stalled stream as a timeout": () => failing(() => new ModelError({ providerId, networkCode: "ECONNRESET" })),
  "marks which failures can be retried": () => failing(() => new ModelError({ providerId, status: 500 })),
  "yields the text before a failure, and no finish chunk": () =>
    streaming(async function* (chunks) {
      const all: ModelChunk[] = [];
      for await (const chunk of chunks) all.push(chunk);
      yield* all;
    }),
  "calls the vendor once and leaves retries to its caller": () =>
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
} satisfies Partial<WrongSubjects<ModelProviderSubject, typeof modelProviderCases>>;

/** Models with mistakes in cancelled calls. */
export const wrongModelSignals = {
  "requests nothing when its signal has aborted already": deaf,
  "ends a stream that waits for its first byte when the signal aborts": deaf,
  "ends a stream that waits for the next byte when the signal aborts": deaf,
  "ends a pending generate call when the signal aborts": () =>
    modelBut((right) => ({
      // Rejects at once, but does not cancel the vendor's request.
      generate: async (messages, { signal, ...options } = {}) =>
        await Promise.race([
          right.generate(messages, options),
          new Promise<never>((_resolve, reject) => {
            signal?.addEventListener("abort", () => reject(new TroupeError("cancelled", "Cancelled.")));
          }),
        ]),
    })),
  "reports a timeout when the signal aborts with a TimeoutError": () =>
    failing(() => new TroupeError("cancelled", "Cancelled.")),
  "ends the vendor's request when the reader leaves early": () =>
    modelBut((right) => ({
      stream: (...args) => {
        const chunks = right.stream(...args)[Symbol.asyncIterator]();
        return { [Symbol.asyncIterator]: () => ({ next: async () => await chunks.next() }) };
      },
    })),
  "leaves no listener on the signal": () =>
    asking((options) => {
      options.signal?.addEventListener("abort", () => undefined);
      return options;
    }),
} satisfies Partial<WrongSubjects<ModelProviderSubject, typeof modelProviderCases>>;

function refusing({ fromCaller }: { fromCaller: boolean }): ModelProviderSubject {
  return failing(() => new ModelError({ providerId, status: 401, key: { value: "?", fromCaller } }));
}

/** Returns a model that treats the end of the connection as the end of the answer. */
function swallowing(): ModelProviderSubject {
  return streaming(async function* (chunks) {
    try {
      yield* chunks;
    } catch {
      yield { type: "finish", finishReason: "stop" };
    }
  });
}

/** Returns a model that ignores its signal. */
function deaf(): ModelProviderSubject {
  return asking((options) => without(options, "signal"));
}
