import { ModelError } from "@troupe/core";
import type { ChatMessage, ModelOptions, ModelProvider, ModelResponse, StreamChunk } from "@troupe/core";
import { collectResponse, createHttpPool, readSse, requireKey } from "@troupe/core/provider";
import type { HttpPool, ResolvedKey } from "@troupe/core/provider";
import { toTroupeError } from "@troupe/core/kit";

/** A third party's provider, for a vendor that streams lines of JSON. */
export class LineProvider implements ModelProvider {
  readonly providerId = "line";
  readonly modelId: string;
  readonly #url: string;
  readonly #pool: HttpPool = createHttpPool();

  constructor(modelId: string, url: string) {
    this.modelId = modelId;
    this.#url = url;
  }

  async generate(messages: readonly ChatMessage[], options: ModelOptions = {}): Promise<ModelResponse> {
    return await collectResponse(this.stream(messages, options));
  }

  async *stream(messages: readonly ChatMessage[], options: ModelOptions = {}): AsyncGenerator<StreamChunk, void> {
    const { signal } = options;
    const key = await requireKey({
      providerId: this.providerId,
      request: options.apiKey,
      environment: ["LINE_API_KEY"],
    });
    try {
      const response = await this.#pool.send(this.#url, {
        method: "POST",
        headers: { authorization: `Bearer ${key.value}`, "content-type": "application/json" },
        body: JSON.stringify({ model: this.modelId, messages }),
        signal,
      });
      if (response.status !== 200) throw this.#failure(key, response.status);
      let isWhole = false;
      for await (const { data } of readSse(response.bytes, signal === undefined ? {} : { signal })) {
        const chunk = JSON.parse(data) as StreamChunk;
        isWhole = chunk.type === "finish";
        yield chunk;
      }
      if (!isWhole) throw new ModelError({ providerId: this.providerId, networkCode: "ECONNRESET", key });
    } catch (error) {
      throw toTroupeError(error, signal);
    }
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  #failure(key: ResolvedKey, status: number): ModelError {
    return new ModelError({ providerId: this.providerId, status, key });
  }
}
