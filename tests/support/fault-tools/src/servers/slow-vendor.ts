import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelOptions, ModelProvider, StreamChunk } from "@troupe/core";
import { createHttpPool, readSse } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import type { HttpPool } from "@troupe/core/provider";

/** The answer of a vendor: the number of pieces, their length, and the time before each piece. */
export type VendorPlan = { pieces: number; pieceBytes: number; everyMs?: number };

const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };

/**
 * A vendor on a real socket that answers no faster than its reader reads. It records how much was read, and when
 * readers disconnected.
 */
export class Vendor {
  readonly server = createServer((_request, response) => void this.#answer(response));
  /** The times (`performance.now`) at which readers disconnected before the end of an answer. */
  readonly leftAt: number[] = [];
  takenBytes = 0;
  answering = 0;
  readonly #plan: VendorPlan;

  private constructor(plan: VendorPlan) {
    this.#plan = plan;
  }

  static async start(plan: VendorPlan): Promise<Vendor> {
    const vendor = new Vendor(plan);
    vendor.server.listen(0, "127.0.0.1");
    await once(vendor.server, "listening");
    return vendor;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async connections(): Promise<number> {
    return await new Promise((resolve) => this.server.getConnections((_error, count) => resolve(count)));
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  async #answer(response: ServerResponse): Promise<void> {
    this.answering += 1;
    response.once("close", () => {
      this.answering -= 1;
      if (!response.writableFinished) this.leftAt.push(performance.now());
    });
    const { pieces, pieceBytes, everyMs } = this.#plan;
    const piece = `data: ${"x".repeat(pieceBytes)}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    for (let sent = 0; sent < pieces && !response.destroyed; sent++) {
      if (everyMs !== undefined) await pause(everyMs, response);
      await write(response, piece);
      this.takenBytes += piece.length;
    }
    response.end();
  }
}

async function write(response: ServerResponse, piece: string): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    const goOn = () => {
      response.off("close", goOn);
      resolve();
    };
    response.once("close", goOn);
    response.write(piece, goOn);
  });
}

async function pause(ms: number, response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    const goOn = () => {
      clearTimeout(timer);
      response.off("close", goOn);
      resolve();
    };
    const timer = setTimeout(goOn, ms);
    response.once("close", goOn);
  });
}

/** A model of the slow vendor, which answers with the received pieces. */
export class VendorModel implements ModelProvider {
  readonly providerId = "vendor";
  readonly modelId = "vendor-1";
  /** The total length of the pieces that the model has read. */
  readBytes = 0;
  readonly #url: string;
  readonly #pool: HttpPool = createHttpPool();

  constructor(url: string) {
    this.#url = url;
  }

  async generate(_messages: unknown, options?: ModelOptions): Promise<ModelResponse> {
    let text = "";
    for await (const chunk of this.stream(_messages, options)) if (chunk.type === "text") text += chunk.text;
    return { text, toolCalls: [], usage, finishReason: "stop" };
  }

  async *stream(_messages: unknown, { signal }: ModelOptions = {}): AsyncGenerator<StreamChunk> {
    const reply = await this.#pool.send(this.#url, { method: "POST", body: "{}", signal });
    for await (const { data } of readSse(reply.bytes, signal && { signal })) {
      this.readBytes += data.length;
      yield { type: "text", text: data };
    }
    yield { type: "finish", finishReason: "stop", usage };
  }
}
