import type { EmbeddingProvider, EmbedOptions, ModelOptions, ModelProvider } from "@troupe/core";
import type { ProviderSubject, SubjectOptions } from "./provider-subject.ts";

/**
 * Settings of a client of a vendor's library: the base URL of a fake vendor, its key, and the function that sends its
 * requests.
 */
export type ClientSettings = { url: string; apiKey?: string; fetch?: typeof globalThis.fetch };

/** Options of a model over a client. */
type ClientModelOptions = Pick<SubjectOptions, "idleTimeoutMs" | "logger"> & { modelId: string };

/**
 * The models and embeddings of a provider over clients of its vendor's library, and the cases that they cannot pass.
 */
export type ClientSubject = {
  /** Creates a model over a new client. */
  model: (client: ClientSettings, options: ClientModelOptions) => ModelProvider;
  /** Creates embeddings over a new client. */
  embeddings?: (client: ClientSettings) => EmbeddingProvider;
  /** Environment variables from which the library reads its key, if they differ from those of the provider. */
  keyVariables?: readonly string[];
  /** Cases that the library makes impossible, in addition to the gaps of every library, each with its reason. */
  knownGaps?: Readonly<Record<string, string>>;
};

/** Gaps of every library, by its observed behaviour. */
const gapsOfAll = {
  "reports a refused key of the caller as unauthorized": "the key is that of the client, and no caller could mend it",
  "refuses a key that a header cannot hold before any request": "the library sends a key of two words as it is",
  "refuses wrong options where they are given, and shows none of their values":
    "its models are made at their calls, and the options of the network are the client's",
  "follows no redirect": "the library follows redirects, as the fetch of Node does",
  "goes through the proxy of the environment where NODE_USE_ENV_PROXY is 1": "Node's fetch reads it once, at its start",
};

/**
 * Returns a subject whose calls go through the vendor's own library. It has a client for each key, as a service has one
 * for each of its users. All else is that of the given subject.
 */
export function throughClients(subject: ProviderSubject, clients: ClientSubject): ProviderSubject {
  const { embeddings, ...own } = clients;
  const [modelId] = subject.models;
  return {
    ...subject,
    // Only one model: models differ in their requests, which do not depend on the client.
    models: [modelId],
    connect: (url, options) => new ClientModels(clients, { url, modelId, ...options }),
    ...(embeddings && {
      embeddings: (url, { apiKey: configuredApiKey }) =>
        new ClientEmbeddings((key = configuredApiKey) =>
          embeddings({ url, ...(key !== undefined && { apiKey: key }) }),
        ),
    }),
    keyVariables: own.keyVariables ?? subject.keyVariables,
    ownKeysOnly: true,
    // Libraries have no limit for an event, and some take minutes for an event of 40 MB.
    endsLongEvents: false,
    // Long enough for what the library does, and short enough for what it never does.
    patienceMs: 10_000,
    knownGaps: { ...subject.knownGaps, ...gapsOfAll, ...own.knownGaps },
  };
}

/** One model over a client for each key of a call. */
class ClientModels implements ModelProvider {
  readonly modelId: string;
  readonly #clients: ClientSubject;
  readonly #options: SubjectOptions & { url: string; modelId: string };
  readonly #models = new Map<string | undefined, ModelProvider>();

  constructor(clients: ClientSubject, options: SubjectOptions & { url: string; modelId: string }) {
    this.modelId = options.modelId;
    this.#clients = clients;
    this.#options = options;
  }

  get providerId(): string {
    return this.#modelFor(this.#options.apiKey ?? "any-key").providerId;
  }

  async generate(messages: Parameters<ModelProvider["generate"]>[0], { apiKey, ...options }: ModelOptions = {}) {
    return await this.#modelFor(apiKey ?? this.#options.apiKey).generate(messages, options);
  }

  async *stream(messages: Parameters<ModelProvider["stream"]>[0], { apiKey, ...options }: ModelOptions = {}) {
    yield* this.#modelFor(apiKey ?? this.#options.apiKey).stream(messages, options);
  }

  #modelFor(key: string | undefined): ModelProvider {
    const known = this.#models.get(key);
    if (known !== undefined) return known;
    const { modelId, idleTimeoutMs = 600_000, logger, apiKey: _, ...client } = this.#options;
    // A library needs more time for its first event: a test on a busy machine must not consider it silent.
    const options = { modelId, idleTimeoutMs: Math.max(idleTimeoutMs, 1500), ...(logger && { logger }) };
    const settings = client as ClientSettings;
    const model = this.#clients.model({ ...settings, ...(key !== undefined && { apiKey: key }) }, options);
    this.#models.set(key, model);
    return model;
  }
}

/** Embeddings over a client for each key of a call. */
class ClientEmbeddings implements EmbeddingProvider {
  readonly #connect: (key: string | undefined) => EmbeddingProvider;

  constructor(connect: (key: string | undefined) => EmbeddingProvider) {
    this.#connect = connect;
  }

  get providerId(): string {
    return this.#connect("any-key").providerId ?? "none";
  }

  async embed(text: string, { apiKey, ...options }: EmbedOptions = {}): Promise<number[]> {
    return await this.#connect(apiKey).embed(text, options);
  }

  async embedBatch(texts: readonly string[], { apiKey, ...options }: EmbedOptions = {}): Promise<number[][]> {
    return await this.#connect(apiKey).embedBatch(texts, options);
  }
}
