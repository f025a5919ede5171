import { expect, it, vi } from "vitest";
import type { ModelResponse } from "../../model/model-response.ts";
import type { Run } from "../run/run.ts";
import { answering } from "./test/agents.ts";
import { normalizeResponse } from "./normalize-response.ts";
import { soundResponse } from "./sound-response.ts";

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const bare: ModelResponse = { text: "Hi", toolCalls: [], usage, finishReason: "stop" };
const state = (items: unknown) => ({ providerId: "v", modelId: "m", items });
const odd = { vendor: "odd", model: "odd-1" };
const other = { vendor: "v", model: "m" };
const answeredBy = { providerId: "v", modelId: "m" };

const badUsage = (model: string) =>
  `The usage that ${model} reported has a number that can be no count of tokens. It is not counted.`;
const leftOut = (model: string) => `What ${model} wants back with the next model call cannot be kept. It is left out.`;

it.each<[what: string, more: object, warnings: unknown[]]>([
  ["a sound one", { vendorState: state([1]) }, []],
  ["one without usage", { usage: undefined }, []],
  ["wrong usage", { usage: { ...usage, totalTokens: -1 } }, [["usage_unsound", badUsage("odd/odd-1"), odd]]],
  ["state that cannot be kept", { vendorState: state(NaN) }, [["state_left_out", leftOut("odd/odd-1"), odd]]],
  [
    "both, of the model that answered",
    { vendorState: state(NaN), usage: { ...usage, totalTokens: 0.5 }, answeredBy },
    [
      ["usage_unsound", badUsage("v/m"), other],
      ["state_left_out", leftOut("v/m"), other],
    ],
  ],
])("soundResponse normalizes a response and warns of what it cannot keep: %s", (_, more, warnings) => {
  const warnOnce = vi.fn<Run["warnOnce"]>();
  const response = { ...bare, ...more };

  expect(soundResponse(response, { warnOnce }, answering())).toStrictEqual(normalizeResponse(response));
  expect(warnOnce.mock.calls).toEqual(warnings);
});
