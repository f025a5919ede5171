import type { AiSdkEmbeddingModel, AiSdkLanguageModel } from "../src/index.ts";

type Asked = { abortSignal?: AbortSignal };

/** Models whose vendor falls silent. */
export type SilentModels = {
  /** The signals that the methods of the models were given. */
  readonly signals: (AbortSignal | undefined)[];
  /** Settled once the vendor is silent. */
  readonly silent: Promise<void>;
  readonly language: AiSdkLanguageModel;
  readonly embedding: AiSdkEmbeddingModel;
};

/** A behaviour of a vendor before it falls silent. */
export type Silence = {
  /** The first parts of a stream. Without them the stream does not begin. */
  parts?: readonly object[];
  /** True to refuse the content of the first request, as packages do before they send it. */
  refusesFirst?: boolean;
};

/** Makes models of a vendor that falls silent. They ignore their signals: a call must end without their help. */
export function silentModels(specificationVersion: "v3" | "v4", silence: Silence = {}): SilentModels {
  const { parts, refusesFirst = false } = silence;
  const signals: (AbortSignal | undefined)[] = [];
  const { promise: silent, resolve: fallSilent } = Promise.withResolvers<void>();
  const beSilent = async (): Promise<never> => {
    fallSilent();
    return await new Promise<never>(() => undefined);
  };
  const ask = async ({ abortSignal }: Asked): Promise<never> => {
    signals.push(abortSignal);
    if (!refusesFirst || signals.length > 1) return await beSilent();
    throw Object.assign(new Error("no files"), { name: "AI_UnsupportedFunctionalityError" });
  };
  async function* read(given: readonly object[]): AsyncGenerator<object, void> {
    yield* given;
    await beSilent();
  }
  const stream = async (asked: Asked): Promise<object> => {
    if (parts === undefined) return await ask(asked);
    signals.push(asked.abortSignal);
    return { stream: read(parts) };
  };
  const facts = { specificationVersion, provider: "acme.chat", modelId: "m", supportedUrls: {} };
  return {
    signals,
    silent,
    language: { ...facts, doGenerate: ask, doStream: stream },
    embedding: { ...facts, doEmbed: ask },
  };
}
