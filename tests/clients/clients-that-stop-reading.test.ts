import { setImmediate as turn } from "node:timers/promises";
import { agUi } from "@troupe/ag-ui";
import { Agent, createLogger, InMemoryStorage } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { createHandler, createService } from "@troupe/core/service";
import { http } from "@troupe/http";
import { openaiApi } from "@troupe/openai-api";
import { chatStream } from "@troupe/use-chat";
import { describe, expect, it, onTestFinished } from "vitest";
import { runRequests } from "./run-requests.ts";

const pieces = 1000;
const pieceBytes = 4096;

/** A model whose answer has 4 MB, and which counts the pieces that are taken from it. */
class LongModel implements ModelProvider {
  readonly providerId = "long";
  readonly modelId = "long-1";
  taken = 0;

  async generate(): Promise<never> {
    throw new Error("Only streams are asked for.");
  }

  async *stream(): AsyncGenerator<ModelChunk> {
    for (; this.taken < pieces; this.taken += 1) {
      yield { type: "text", text: "ö".repeat(pieceBytes / 2) };
      await turn();
    }
    yield { type: "finish", finishReason: "stop", usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 } };
  }

  /** Resolves once nothing more is taken. */
  async untilQuiet(): Promise<void> {
    for (let before = -1; before !== this.taken;) {
      before = this.taken;
      for (let turns = 0; turns < 100; turns += 1) await turn();
    }
  }
}

/** Returns true if a path's run is stored for other connections, and so does not wait for the reader of its stream. */
const isStored = (path: string): boolean => path.endsWith("/ui") || path.startsWith("/agui/");

const streams = Object.entries(runRequests).filter(([name]) => name.startsWith("a stream") || name.includes("AG-UI"));

describe.each(streams)("%s", (_name, [path, body]) => {
  it("waits for a client that stops reading, and has all of its text once the client goes on", async () => {
    const model = new LongModel();
    const agents = { a: new Agent({ name: "a", model, storage: new InMemoryStorage() }) };
    const service = createService({ agents, logger: createLogger({ level: "silent" }) });
    onTestFinished(async () => await service.close({ graceMs: 0 }));
    const handler = createHandler(service, [http(), chatStream(), agUi(), openaiApi()]);
    const headers = { "content-type": "application/json", accept: "text/event-stream" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };

    const response = await handler(new Request(`http://own.example${path}`, init));
    await model.untilQuiet();
    expect(response.status).toBe(200);
    expect([model.taken, isStored(path) || model.taken < pieces / 2]).toEqual([model.taken, true]);
    const text = await response.text();
    expect([model.taken, text.split("ö").length - 1 >= (pieces * pieceBytes) / 2]).toEqual([pieces, true]);
  });
});
