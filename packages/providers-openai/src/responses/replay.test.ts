import type { ModelMessage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { replayedItems, toVendorState } from "./replay.ts";
import type { OutputItem } from "./wire-types.ts";

const sealed = { type: "reasoning", encrypted_content: "e" };
const said = { type: "message", content: [] };
const call = { type: "function_call", id: "i", call_id: "c", name: "look", arguments: "{}" };
const search = { type: "web_search_call", id: "w" };

const identity = { providerId: "openai", modelId: "m" };

describe("toVendorState", () => {
  it.each<[string, OutputItem[], object | undefined]>([
    ["sealed reasoning", [sealed, said], {}],
    ["words alone", [said], {}],
    ["a call of the vendor's own tool", [search, sealed, said], { stored: true }],
    ["open reasoning", [{ type: "reasoning", encrypted_content: null }, said], undefined],
    ["open reasoning beside sealed", [sealed, { type: "reasoning" }, said], undefined],
    ["reasoning at the end", [said, sealed], undefined],
    ["nothing", [], undefined],
  ])("keeps %s", (_, items, more) => {
    const state = { providerId: "openai", modelId: "m", items: { outputItems: items }, ...more };

    expect(toVendorState(identity, items)).toStrictEqual(more && state);
  });
});

describe("replayedItems", () => {
  function answer(items: unknown, ids: readonly string[] = ["c"], modelId = "m"): ModelMessage {
    const toolCalls = ids.map((id) => ({ id, name: "look", arguments: {} }));
    return { role: "assistant", content: "A", toolCalls, vendorState: { providerId: "openai", modelId, items } };
  }

  const items = [sealed, call];
  const second = { ...call, call_id: "d" };

  it.each<[string, ModelMessage, OutputItem[] | undefined]>([
    ["with its calls", answer({ outputItems: items }), items],
    ["with two calls", answer({ outputItems: [call, second] }, ["c", "d"]), [call, second]],
    ["whose calls changed places", answer({ outputItems: [call, second] }, ["d", "c"]), undefined],
    ["that lost a call", answer({ outputItems: items }, []), undefined],
    ["that got a call", answer({ outputItems: items }, ["c", "d"]), undefined],
    ["with another call", answer({ outputItems: items }, ["i"]), undefined],
    ["of another model", answer({ outputItems: items }, ["c"], "n"), undefined],
    ["of the other API", answer({ fields: {} }), undefined],
    ["with items of another kind", answer({ outputItems: { 0: call } }), undefined],
    ["without state", { role: "assistant", content: "A" }, undefined],
    [
      "without calls",
      {
        role: "assistant",
        content: "A",
        vendorState: { providerId: "openai", modelId: "m", items: { outputItems: [said] } },
      },
      [said],
    ],
  ])("returns those of an answer %s", (_, message, expected) => {
    expect(replayedItems(message, identity)).toEqual(expected);
  });

  it("gives a call a name that the vendor takes, and changes nothing that is kept", () => {
    const kept = [
      { ...call, name: "look up" },
      { ...call, call_id: "d", name: 7 },
      { ...search, name: "a b" },
    ];
    const before = structuredClone(kept);

    expect(replayedItems(answer({ outputItems: kept }, ["c", "d"]), identity)).toEqual([
      { ...call, name: "look_up" },
      { ...call, call_id: "d", name: 7 },
      { ...search, name: "a b" },
    ]);
    expect(kept).toEqual(before);
  });
});
