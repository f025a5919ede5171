import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** The text of a failure that no client may see. */
export const vendorSecret = "the vendor's own words";

/** The input at which the vendor fails. */
export const failingInput = "Fail, please.";

/** A vendor of Chat Completions that answers in words, notes what it is sent, and sends no faster than it is read. */
export class WatchedVendor {
  words = 3;
  chunkDelayMs = 0;
  /** Called when the client of an answer leaves before its end. */
  onAbort: () => void = () => undefined;
  sentBytes = 0;
  /** The headers and the body of the last request. */
  last: { headers: IncomingHttpHeaders; body: string } = { headers: {}, body: "" };
  readonly #server = createServer((request, response) => void this.#take(request, response));

  static async listen(): Promise<WatchedVendor> {
    const vendor = new WatchedVendor();
    await new Promise<void>((resolve) => void vendor.#server.listen(0, "127.0.0.1", resolve));
    return vendor;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sets the length and pace of the answers to come. */
  answerWith(words: number, chunkDelayMs = 0): void {
    Object.assign(this, { words, chunkDelayMs });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await request.setEncoding("utf8").toArray()).join("");
    this.last = { headers: request.headers, body };
    if (body.includes(failingInput)) {
      response.writeHead(500, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: vendorSecret } }));
      return;
    }
    if ((JSON.parse(body) as { stream?: boolean }).stream === true) return await this.#answer(response);
    const message = { role: "assistant", content: "word ".repeat(this.words) };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: "c", object: "chat.completion", model: "m", choices, usage }));
  }

  async #answer(response: ServerResponse): Promise<void> {
    response.once("close", () => void (response.writableFinished || this.onAbort()));
    response.writeHead(200, { "content-type": "text/event-stream" });
    const { words, chunkDelayMs } = this;
    const chunk = (delta: object, finish: string | null = null): string =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    // Long answers come in large chunks.
    const wordsPerChunk = words > 10_000 ? 2000 : 1;
    for (let count = 0; count < words && !response.destroyed; count += wordsPerChunk) {
      await this.#write(response, chunk({ content: "word ".repeat(Math.min(wordsPerChunk, words - count)) }));
      if (chunkDelayMs > 0) await sleep(chunkDelayMs);
    }
    response.end(`${chunk({}, "stop")}data: ${JSON.stringify({ id: "c", choices: [], usage })}\n\ndata: [DONE]\n\n`);
  }

  async #write(response: ServerResponse, text: string): Promise<void> {
    const isFull = !response.write(text);
    this.sentBytes += text.length;
    if (!isFull || response.destroyed) return;
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        response.off("drain", goOn).off("close", goOn);
        resolve();
      };
      response.on("drain", goOn).on("close", goOn);
    });
  }
}
