import { checkConformance, modelProviderCases } from "@troupe/core/testing";
import type { ModelProviderSubject } from "@troupe/core/testing";
import { describe, it } from "vitest";
import { OfflineModel } from "./offline-model.ts";

/** The cases for any model. The others need a vendor that can be scripted or made to fail. */
const titles = [
  "names its vendor and its model",
  "yields no empty pieces",
  "ends every stream with exactly one finish chunk, its last",
  "yields chunks with the fields of the interface and no others",
  "starts and ends each tool call once, with its arguments in between",
  "finishes an answer that calls tools with tool_calls",
  "generates the same answer as it streams",
  "requests nothing when its signal has aborted already",
  "ends a stream that waits for its first byte when the signal aborts",
  "ends a pending generate call when the signal aborts",
  "reports a timeout when the signal aborts with a TimeoutError",
  "leaves no listener on the signal",
] as const satisfies readonly (keyof typeof modelProviderCases)[];

const cases = Object.fromEntries(titles.map((title) => [title, modelProviderCases[title]]));

describe("OfflineModel", () => {
  checkConformance(it, cases, { create: () => new OfflineSubject() });
});

/** Presents the model as its own vendor: each stream counts as a request, and a long pause as a vendor that hangs. */
class OfflineSubject implements ModelProviderSubject {
  readonly #requests: { end: "open" | "completed" | "abandoned" }[] = [];

  requests(): readonly { end: "open" | "completed" | "abandoned" }[] {
    return this.#requests;
  }

  provider({ fault }: Parameters<ModelProviderSubject["provider"]>[0]): OfflineModel {
    const model = new OfflineModel({ wordMs: fault?.kind === "hang" ? 600_000 : 0 });
    const stream = model.stream.bind(model);
    model.stream = (...request) => this.#noted(stream(...request));
    return model;
  }

  async *#noted<Chunk>(chunks: AsyncGenerator<Chunk, void>): AsyncGenerator<Chunk, void> {
    const request: { end: "open" | "completed" | "abandoned" } = { end: "open" };
    this.#requests.push(request);
    try {
      yield* chunks;
      request.end = "completed";
    } finally {
      if (request.end === "open") request.end = "abandoned";
    }
  }
}
