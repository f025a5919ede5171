import { checkConformance, modelProviderCases } from "@troupe/core/testing";
import type { ModelProviderSubject } from "@troupe/core/testing";
import { describe, it } from "vitest";
import { OfflineModel } from "./offline-model.ts";

/** The cases for any model. The others need a vendor that can be scripted or made to fail. */
const titles = [
  "names its vendor and its model",
  "yields no empty pieces",
  "ends every stream with exactly one finish chunk, its last",
  "yields chunks that hold what the interface says and no more",
  "starts, tells and ends each tool call once",
  "says that an answer waits for tools",
  "generates what it streams",
  "asks nothing once its signal has aborted",
  "ends a stream that waits for its first byte when the signal aborts",
  "ends a whole answer that is waited for when the signal aborts",
  "calls it a timeout when the signal's time ran out",
  "leaves nothing on the signal when it is done",
] as const satisfies readonly (keyof typeof modelProviderCases)[];

const cases = Object.fromEntries(titles.map((title) => [title, modelProviderCases[title]]));

describe("OfflineModel", () => {
  checkConformance(it, cases, { create: () => new OfflineSubject() });
});

/** Presents the model as its own vendor: each stream counts as a request, and a long pause as a vendor that hangs. */
class OfflineSubject implements ModelProviderSubject {
  readonly #requests: { end: "open" | "completed" | "left" }[] = [];

  requests(): readonly { end: "open" | "completed" | "left" }[] {
    return this.#requests;
  }

  provider({ fault }: Parameters<ModelProviderSubject["provider"]>[0]): OfflineModel {
    const model = new OfflineModel({ wordMs: fault?.kind === "hang" ? 600_000 : 0 });
    const stream = model.stream.bind(model);
    model.stream = (...request) => this.#noted(stream(...request));
    return model;
  }

  async *#noted<Chunk>(chunks: AsyncGenerator<Chunk, void>): AsyncGenerator<Chunk, void> {
    const request: { end: "open" | "completed" | "left" } = { end: "open" };
    this.#requests.push(request);
    try {
      yield* chunks;
      request.end = "completed";
    } finally {
      if (request.end === "open") request.end = "left";
    }
  }
}
