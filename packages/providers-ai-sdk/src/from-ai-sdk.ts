import { TroupeError } from "@troupe/core";
import type { ChatMessage, ContentPart, EmbeddingProvider, ModelProvider, ModelResponse } from "@troupe/core";
import { readObject } from "@troupe/core/kit";
import {
  callClient,
  collectResponse,
  createOmissionReport,
  generateAnswer,
  openSdkStream,
  PartReader,
  PrivateUrls,
  streamAnswer,
} from "@troupe/core/provider";
import type { ModelCallOptions, ModelChunk, ReportRequestOmission } from "@troupe/core/provider";
import { AiSdkEmbeddings } from "./ai-sdk-embeddings.ts";
import { isUnsupported, toVendorError } from "./errors.ts";
import { PartsReader } from "./from-parts.ts";
import { fromResult } from "./from-result.ts";
import { ModelKeys } from "./model-access.ts";
import type { ModelAccess } from "./model-access.ts";
import { readEmbeddingOptions, readModelOptions } from "./options.ts";
import type {
  AiSdkEmbeddingModel,
  AiSdkEmbeddingOptions,
  AiSdkLanguageModel,
  AiSdkOptions,
  ModelSettings,
} from "./options.ts";
import { toCallOptions } from "./to-call-options.ts";
import { urlsOf } from "./to-file.ts";
import { calledIn, toPrompt } from "./to-prompt.ts";
import { vendorOf } from "./vendors.ts";
import { reportWarnings } from "./warnings.ts";

/**
 * Makes a model of Troupe from a language model of the AI SDK (specification v3 or v4), or a provider of embeddings
 * from one of its embedding models. Retries, time limits and errors follow Troupe's rules. Throws `invalid_config` for
 * wrong options, and for a model of another specification.
 */
export function fromAiSdk(model: AiSdkLanguageModel, options?: AiSdkOptions): ModelProvider;
/** Makes a provider of embeddings from an embedding model of the AI SDK. */
export function fromAiSdk(model: AiSdkEmbeddingModel, options?: AiSdkEmbeddingOptions): EmbeddingProvider;
/** Makes a provider of embeddings if the given model has `doEmbed`, otherwise a model. */
export function fromAiSdk(
  model: AiSdkLanguageModel | AiSdkEmbeddingModel,
  options: AiSdkOptions | AiSdkEmbeddingOptions = {},
): ModelProvider | EmbeddingProvider {
  if (typeof model === "string") {
    const message = "fromAiSdk needs a model object. An id alone would be called through Vercel's gateway.";
    throw new TroupeError("invalid_config", message);
  }
  if (typeof readObject(model)["doEmbed"] === "function") {
    const embeddings = model as AiSdkEmbeddingModel;
    return new AiSdkEmbeddings(embeddings, readEmbeddingOptions(embeddings, options as AiSdkEmbeddingOptions));
  }
  const language = model as AiSdkLanguageModel;
  return new AiSdkModel(language, readModelOptions(language, options as AiSdkOptions));
}

/**
 * The call options, and a function that returns them without the files of earlier messages, for packages that reject
 * some kinds of content.
 */
type Given = { asIs: object; lastPartsOnly: () => object };

type Question = { messages: readonly ChatMessage[]; options: ModelCallOptions };

/**
 * A model call that is ready to be sent: the model, its call options without a signal, and a function that reports
 * omitted settings.
 */
type Prepared = ModelAccess<AiSdkLanguageModel> & { given: Given; reportOmitted: ReportRequestOmission };

class AiSdkModel implements ModelProvider {
  readonly providerId: string;
  readonly modelId: string;
  readonly #settings: ModelSettings;
  readonly #keys: ModelKeys<AiSdkLanguageModel>;
  readonly #urls: PrivateUrls;

  constructor(model: AiSdkLanguageModel, settings: ModelSettings) {
    this.providerId = settings.providerId;
    this.modelId = model.modelId;
    this.#settings = settings;
    this.#keys = new ModelKeys(model, settings);
    this.#urls = new PrivateUrls(settings.allowPrivateUrls);
  }

  async generate(messages: readonly ChatMessage[], options: ModelCallOptions = {}): Promise<ModelResponse> {
    // Only a stream reveals that the arguments of a tool call were truncated.
    if ((options.tools ?? []).length > 0) return await collectResponse(this.stream(messages, options));
    return await generateAnswer(async () => {
      const { model, given, call, reportOmitted } = await this.#prepare({ messages, options });
      const send = async () => {
        const ask = async (abortSignal: AbortSignal) =>
          await this.#carry((asked) => model.doGenerate({ ...asked, abortSignal } as never), given);
        const limits = { signal: call.signal, timeoutMs: this.#settings.timeoutMs };
        const result = await callClient(ask, { ...limits, toError: (thrown) => toVendorError(thrown, call) });
        this.#warn(readObject(result)["warnings"], reportOmitted);
        return fromResult(result, this);
      };
      return { call, send };
    });
  }

  stream(messages: readonly ChatMessage[], options: ModelCallOptions = {}): AsyncGenerator<ModelChunk, void> {
    return streamAnswer(async () => {
      const { model, given, call, reportOmitted } = await this.#prepare({ messages, options });
      const toError = (thrown: unknown) => toVendorError(thrown, call);
      const ask = async (abortSignal: AbortSignal) => {
        const result = await this.#carry((asked) => model.doStream({ ...asked, abortSignal } as never), given);
        return readObject(result)["stream"];
      };
      const open = async () => {
        const limits = { signal: call.signal, timeoutMs: this.#settings.idleTimeoutMs, toError };
        const events = await openSdkStream<object>(ask, limits);
        const onWarnings = (warnings: unknown) => this.#warn(warnings, reportOmitted);
        const reader = new PartsReader({ model: this, onWarnings, toError });
        return { events, reader, fromWhole: (body: unknown) => fromResult(body, this) };
      };
      return { call, open };
    });
  }

  async #prepare({ messages, options }: Question): Promise<Prepared> {
    const { providerId, logger, parts = ["image", "audio", "file"] } = this.#settings;
    const access = await this.#keys.open(options.apiKey, options.signal);
    const version = access.model.specificationVersion;
    const reportOmitted = createOmissionReport(this, { logger, onOmitted: options.onOmitted });
    const context = {
      providerId,
      modelId: this.modelId,
      version,
      parts,
      urls: await urlsOf(access.model),
      partReader: new PartReader(messages, reportOmitted, { isPrivateUrl: await this.#urls.check(messages) }),
      reportOmitted,
    };
    const asIs = toPrompt(messages, context);
    const calledTools = vendorOf(providerId).dropsTools === true ? calledIn(asIs) : [];
    const settings = toCallOptions(options, { ...context, calledTools });
    const asked = access.headers === undefined ? settings : { ...settings, headers: access.headers };
    const lastPartsOnly = () => toPrompt(messages, { ...context, onlyTakes: lastPartsOf(messages) });
    const given = {
      asIs: { ...asked, prompt: asIs },
      lastPartsOnly: () => ({ ...asked, prompt: lastPartsOnly() }),
    };
    return { ...access, given, reportOmitted };
  }

  /**
   * Calls the model. If its package rejects a kind of content, calls the model again without the files of earlier
   * messages.
   */
  async #carry<Result>(ask: (asked: object) => PromiseLike<Result>, { asIs, lastPartsOnly }: Given): Promise<Result> {
    try {
      return await ask(asIs);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      return await ask(lastPartsOnly());
    }
  }

  #warn(warnings: unknown, reportOmitted: ReportRequestOmission): void {
    reportWarnings(warnings, { reportOmitted, logger: this.#settings.logger });
  }
}

/** Returns the parts of the user's last message. */
function lastPartsOf(messages: readonly ChatMessage[]): readonly ContentPart[] {
  const content = messages.findLast(({ role }) => role === "user")?.content;
  return Array.isArray(content) ? content : [];
}
