import { describe, expect, it, vi } from "vitest";
import type { ContentPart } from "../../base/message/content.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { ModelMessage } from "../../model/vendor-state.ts";
import { historyFiller } from "./fill-history.ts";

type Load = (part: ContentPart) => Promise<ContentPart>;

const text: ContentPart = { type: "text", text: "Look." };
const image: ContentPart = { type: "image", data: "aGk=" };
const storedAt = (index: number) =>
  ({ type: "file", stored: { seq: 1, index, id: "w", bytes: 3, pieces: 1 } }) as unknown as ContentPart;
const [one, two] = [storedAt(0), storedAt(1)];
const user = (content: ChatMessage["content"]) => ({ role: "user", content }) as ChatMessage;
const filled = (part: ContentPart) => ({ type: "file", data: `data of ${JSON.stringify(part)}` }) as ContentPart;

describe("historyFiller", () => {
  it.each<[history: ChatMessage[]]>([
    [[]],
    [[user("Hi")]],
    [[user([text, image])]],
    [[user([{ ...one, data: "aGk=" } as ContentPart]), { role: "assistant", content: null }]],
  ])("is none where no part has its data elsewhere: %j", (history) => {
    expect(historyFiller(history, async (part) => await Promise.resolve(part))).toBeUndefined();
  });

  it("fills the stored parts of messages alone, in their places", async () => {
    const load = vi.fn<Load>(async (part) => await Promise.resolve(filled(part)));
    const plain = user("Hi");
    const whole = user([text, image]);
    const state = { providerId: "v", modelId: "m", items: [] };
    const tool: ModelMessage = { role: "tool", toolCallId: "c", content: [one, text, two, image], vendorState: state };
    const given = structuredClone(tool);
    const fill = historyFiller([plain, tool], load);
    const messages = await fill?.([plain, tool, whole]);

    expect(messages).toStrictEqual([plain, { ...tool, content: [filled(one), text, filled(two), image] }, whole]);
    expect(messages?.[0]).toBe(plain);
    expect(messages?.[2]).toBe(whole);
    expect(load.mock.calls).toEqual([[one], [two]]);
    expect(tool).toEqual(given);
  });

  it("loads a part once, also for calls that are made at once, and none that is not sent", async () => {
    const load = vi.fn<Load>(async (part) => await Promise.resolve(filled(part)));
    const fill = historyFiller([user([one]), user([two])], load);
    const both = await Promise.all([fill?.([user([one, one])]), fill?.([user([one])])]);
    const again = await fill?.([user([one])]);

    expect(both).toEqual([[user([filled(one), filled(one)])], [user([filled(one)])]]);
    expect(again).toEqual([user([filled(one)])]);
    expect(load.mock.calls).toEqual([[one]]);
  });

  it("fails with the error of the storage", async () => {
    const fill = historyFiller([user([one])], async () => await Promise.reject(new Error("gone")));

    await expect(fill?.([user([text, one])])).rejects.toThrow("gone");
    await expect(fill?.([user("Hi")])).resolves.toEqual([user("Hi")]);
  });
});
