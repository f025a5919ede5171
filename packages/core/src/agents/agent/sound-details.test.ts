import { describe, expect, it } from "vitest";
import type { ModelResponse } from "../../model/model-response.ts";
import { soundDetails } from "./sound-details.ts";

const half = "\ud83d";
const sound = (more: { [Name in keyof ModelResponse]?: unknown }) => soundDetails(more as ModelResponse);

describe("soundDetails", () => {
  it("has what a response has beside its content and usage, and nothing else of it", () => {
    const details = {
      finishReason: "stop",
      sources: [{ id: "s1", url: "https://example.org" }],
      skippedCalls: 2,
      responseId: "r1",
      model: "m-1",
      answeredBy: { providerId: "v", modelId: "m" },
    };
    const content = { text: "Hi", thinking: "Hm", toolCalls: [], usage: {}, vendorState: {}, malformedArguments: [] };

    expect(sound({ ...content, ...details })).toStrictEqual(details);
    expect(sound({ finishReason: "stop" })).toStrictEqual({ finishReason: "stop" });
  });

  it.each(["stop", "length", "tool_calls", "content_filter", "tool_roundtrips", "error", "other"])(
    "keeps the finish reason %s",
    (finishReason) => {
      expect(sound({ finishReason })).toStrictEqual({ finishReason });
    },
  );

  it.each([["end_turn"], ["STOP"], [""], ["constructor"], [undefined], [1]])(
    "takes the finish reason %j as another",
    (finishReason) => {
      expect(sound({ finishReason })).toStrictEqual({ finishReason: "other" });
    },
  );

  it.each<[more: { [Name in keyof ModelResponse]?: unknown }]>([
    [{ responseId: "" }],
    [{ responseId: "x".repeat(1024) }],
    [{ model: "x".repeat(1024) }],
    [{ model: "😀" }],
    [{ sources: [] }],
    [{ skippedCalls: 0 }],
    [{ skippedCalls: Number.MAX_SAFE_INTEGER }],
    [{ answeredBy: { providerId: "x".repeat(1024), modelId: "y".repeat(1024) } }],
  ])("keeps what can be stored", (more) => {
    expect(sound({ finishReason: "stop", ...more })).toStrictEqual({ finishReason: "stop", ...more });
  });

  it.each<[more: { [Name in keyof ModelResponse]?: unknown }]>([
    [{ responseId: "x".repeat(1025) }],
    [{ responseId: half }],
    [{ responseId: 7 }],
    [{ responseId: null }],
    [{ model: "x".repeat(1025) }],
    [{ model: half }],
    [{ model: ["m"] }],
    [{ sources: {} }],
    [{ sources: "https://example.org" }],
    [{ skippedCalls: 1.5 }],
    [{ skippedCalls: NaN }],
    [{ skippedCalls: 2 ** 53 }],
    [{ skippedCalls: "1" }],
    [{ answeredBy: "v/m" }],
    [{ answeredBy: null }],
    [{ answeredBy: ["v", "m"] }],
    [{ answeredBy: { providerId: "v" } }],
    [{ answeredBy: { modelId: "m" } }],
    [{ answeredBy: { providerId: half, modelId: "m" } }],
    [{ answeredBy: { providerId: "v", modelId: "x".repeat(1025) } }],
  ])("leaves out what is not of its type or could not be stored: %.60j", (more) => {
    expect(sound({ finishReason: "stop", ...more })).toStrictEqual({ finishReason: "stop" });
  });

  it("copies of the answering model its two names alone", () => {
    const answeredBy = { providerId: "v", modelId: "m", apiKey: "sk-1" };
    const { answeredBy: kept } = sound({ finishReason: "stop", answeredBy });

    expect(kept).toStrictEqual({ providerId: "v", modelId: "m" });
  });
});
