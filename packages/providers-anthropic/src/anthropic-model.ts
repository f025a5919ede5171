import type { ChatMessage, ModelProvider } from "@troupe/core";
import {
  collectResponse,
  createOmissionReport,
  createRequestContext,
  generateAnswer,
  PrivateUrls,
  streamAnswer,
} from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import type { CallContext, ModelCallOptions, ModelChunk } from "@troupe/core/provider";
import { clientConnection, expectedMs, httpConnection, takesKey } from "./connection.ts";
import type { MessagesConnection } from "./connection.ts";
import { ContinuedEvents } from "./continued-events.ts";
import { AnthropicEventReader } from "./from-events.ts";
import { fromResponse } from "./from-response.ts";
import { providerId, readModelOptions } from "./options.ts";
import type { AnthropicOptions, ProviderSettings, PromptCache } from "./options.ts";
import { toRequest } from "./to-request.ts";
import type { Request } from "./to-request.ts";

/**
 * Creates a Claude model that is called through Anthropic's Messages API, or through the client in the options. Throws
 * `invalid_config` for wrong options.
 */
export function anthropic(modelId: string, options: AnthropicOptions = {}): ModelProvider {
  return new AnthropicModel(readModelOptions(modelId, options));
}

/** The arguments of a model call. */
type Asked = { messages: readonly ChatMessage[]; options: ModelCallOptions };

/**
 * Expected milliseconds for an answer beyond which a call is streamed, because a whole answer might take the vendor
 * longer than allowed.
 */
const longestWholeMs = 600_000;

class AnthropicModel implements ModelProvider {
  readonly providerId = providerId;
  readonly modelId: string;
  readonly #settings: ProviderSettings;
  readonly #connection: MessagesConnection;
  readonly #urls: PrivateUrls;
  #promptCache: PromptCache;

  constructor(settings: ProviderSettings) {
    const { modelId, client, promptCache } = settings;
    this.modelId = modelId;
    this.#settings = settings;
    this.#connection =
      client === undefined ? httpConnection(settings) : clientConnection(client, settings.idleTimeoutMs);
    this.#promptCache = promptCache;
    this.#urls = new PrivateUrls(settings.allowPrivateUrls);
  }

  async generate(messages: readonly ChatMessage[], options: ModelCallOptions = {}): Promise<ModelResponse> {
    const request = await this.#toRequest(messages, options);
    // Calls with tools are streamed, because only a stream shows that the arguments of a tool call were truncated.
    const isStreamed = request.body.tools !== undefined || expectedMs(request) > longestWholeMs;
    if (isStreamed) return await collectResponse(this.#stream(async () => request, { messages, options }));
    return await generateAnswer(async () => {
      const call = await this.#openCall(options);
      const send = async (asked: Request) => fromResponse(await this.#connection.send(asked, call), this);
      return { call, send: () => this.#carry(send, request, { messages, options }) };
    });
  }

  stream(messages: readonly ChatMessage[], options: ModelCallOptions = {}): AsyncGenerator<ModelChunk, void> {
    return this.#stream(() => this.#toRequest(messages, options), { messages, options });
  }

  #stream(prepare: () => Promise<Request>, asked: Asked): AsyncGenerator<ModelChunk, void> {
    return streamAnswer(async () => {
      const request = await prepare();
      const call = await this.#openCall(asked.options);
      const openPart = (part: Request) => this.#connection.open(part, call);
      const open = async () => {
        const reader = new AnthropicEventReader(this);
        const events = await this.#carry((each) => ContinuedEvents.open(each, reader, openPart), request, asked);
        return { events, reader, fromWhole: (body: unknown) => fromResponse(body, this) };
      };
      return { call, open };
    });
  }

  /**
   * Sends a request to Anthropic. Repeats it without cache marks if the server refuses them, as some relays do. If that
   * succeeds, later requests have no marks either.
   */
  async #carry<Answer>(
    send: (request: Request) => Promise<Answer>,
    request: Request,
    { messages, options }: Asked,
  ): Promise<Answer> {
    try {
      return await send(request);
    } catch (error) {
      if (this.#promptCache === false || !isAboutMarks(error)) throw error;
      const answer = await send(await this.#toRequest(messages, options, false));
      this.#promptCache = false;
      const { logger } = this.#settings;
      createOmissionReport(this, { logger, onOmitted: options.onOmitted })(
        "promptCache",
        "the server refuses its marks",
      );
      return answer;
    }
  }

  async #toRequest(
    messages: readonly ChatMessage[],
    options: ModelCallOptions,
    promptCache = this.#promptCache,
  ): Promise<Request> {
    const { rules, logger } = this.#settings;
    const isPrivateUrl = await this.#urls.check(messages);
    const context = createRequestContext(this, { rules, logger, isPrivateUrl }, options);
    return toRequest(messages, options, { ...context, promptCache });
  }

  async #openCall({ apiKey, signal }: ModelCallOptions): Promise<CallContext> {
    const { client, network, baseURL } = this.#settings;
    const environment = ["ANTHROPIC_API_KEY"];
    const isForeign = new URL(baseURL).hostname !== "api.anthropic.com";
    const clientTakesKey = takesKey(client);
    return await network.openCall({ providerId, apiKey, signal, environment, isForeign, clientTakesKey });
  }
}

/** HTTP statuses of a refused unknown field: the vendor's own status, and the status that many relays send. */
const refusals: readonly unknown[] = [400, 422];

/**
 * Returns true if a server refused a request because of its cache marks. The error may come from this package or from
 * a given client of Anthropic's SDK.
 */
function isAboutMarks(error: unknown): boolean {
  if (!(error instanceof Error) || !refusals.includes((error as { status?: unknown }).status)) return false;
  return error.message.includes("cache_control");
}
