import { streamEvents } from "@troupe/core/kit";
import type { HttpReply } from "@troupe/core/kit";
import { postJson, readJson } from "@troupe/core/provider";
import type { EventBatch } from "@troupe/core/provider";
import type { OpenedCall } from "./access.ts";
import { toVendorError } from "./errors.ts";
import { FrameStream } from "./event-frames.ts";
import type { ProviderSettings } from "./options.ts";
import type { WireEvent, WireRequest } from "./wire-types.ts";

/**
 * Milliseconds to wait for a whole answer to begin. Answers with reasoning take minutes; longer answers should be
 * streamed.
 */
const wholeAnswerMs = 600_000;

type Operation = "converse" | "converse-stream";

/** The settings of a model that its requests use. */
type HttpSettings = Pick<ProviderSettings, "modelId" | "idleTimeoutMs">;

/** A connection that carries requests to Converse and ConverseStream. */
export class ConverseConnection {
  readonly #settings: HttpSettings;

  constructor(settings: HttpSettings) {
    this.#settings = settings;
  }

  /** Sends a request and returns the whole answer, parsed. */
  async send(request: WireRequest, opened: OpenedCall): Promise<unknown> {
    return await readJson(await this.#post(request, opened, "converse"));
  }

  /**
   * Sends a request and returns the events of its answer. `isWhole` requests a whole answer, which is the only event,
   * for a model that cannot stream it.
   */
  async open(
    request: WireRequest,
    opened: OpenedCall,
    isWhole: boolean,
  ): Promise<AsyncIterable<EventBatch<WireEvent>>> {
    const reply = await this.#post(request, opened, isWhole ? "converse" : "converse-stream");
    // Some gateways answer with JSON, or with server-sent events, where frames are expected.
    const isText = /json|text\/event-stream/i.test(reply.headers.get("content-type") ?? "");
    return isWhole || isText ? streamEvents<WireEvent>(reply, { format: "sse" }) : new FrameStream(reply);
  }

  async #post(body: WireRequest, opened: OpenedCall, operation: Operation): Promise<HttpReply> {
    const { modelId, idleTimeoutMs } = this.#settings;
    const { call, baseURL, headers, sender } = opened;
    const isStreamed = operation === "converse-stream";
    const accept = isStreamed ? "application/vnd.amazon.eventstream" : "application/json";
    return await postJson(sender, {
      url: `${baseURL}/model/${encodeURIComponent(modelId)}/${operation}`,
      headers: { accept, ...headers },
      body,
      call,
      headersTimeoutMs: isStreamed ? idleTimeoutMs : Math.max(wholeAnswerMs, idleTimeoutMs),
      idleTimeoutMs,
      toError: toVendorError,
    });
  }
}
