import type { ContentPart } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { bodiesOf, startVendor } from "../test/vendor.ts";

const png = "iVBORw0KGgo=";
const pdf = "JVBERi0xLjc=";
const csv = Buffer.from("a,ü\n1,2").toString("base64");

async function sent(part: ContentPart): Promise<unknown> {
  const { vendor, connect } = await startVendor();
  vendor.say("Yes.");
  await connect(undefined, { promptCache: false }).generate([
    { role: "user", content: [{ type: "text", text: "See:" }, part] },
  ]);
  const messages = bodiesOf(vendor)[0]?.["messages"] as { content: unknown[] }[];
  return messages[0]?.content[1];
}

describe("a part", () => {
  it.each<[string, ContentPart, object]>([
    [
      "an image in base64",
      { type: "image", data: png },
      { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
    ],
    [
      "an image as a data: URL",
      { type: "image", data: "data:image/jpg;base64,/9j/AAAA" },
      { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "/9j/AAAA" } },
    ],
    [
      "an image by URL",
      { type: "image", data: "https://example.com/a.png" },
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
    ],
    [
      "a file that is an image",
      { type: "file", data: png, mimeType: "image/png", filename: "a.png" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
    ],
    [
      "a PDF",
      { type: "file", data: pdf, mimeType: "application/pdf", filename: "a.pdf" },
      {
        type: "document",
        title: "a.pdf",
        source: { type: "base64", media_type: "application/pdf", data: pdf },
      },
    ],
    [
      "a PDF by URL",
      { type: "file", data: "https://example.com/a.pdf", mimeType: "application/pdf" },
      { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
    ],
    [
      "a file of text",
      { type: "file", data: csv, mimeType: "text/csv; charset=utf-8", filename: "a.csv" },
      { type: "document", title: "a.csv", source: { type: "text", media_type: "text/plain", data: "a,ü\n1,2" } },
    ],
    [
      "a file of JSON",
      { type: "file", data: Buffer.from("{}").toString("base64"), mimeType: "application/json" },
      { type: "document", source: { type: "text", media_type: "text/plain", data: "{}" } },
    ],
  ])("is converted to the vendor's format when it is %s", async (_, part, block) => {
    expect(await sent(part)).toEqual(block);
  });

  it.each<[string, ContentPart]>([
    ["audio", { type: "audio", data: "SUQzAAAA" }],
    ["image", { type: "image", data: "AAAABBBB", mimeType: "image/bmp" }],
    ["image", { type: "image", data: "AAAABBBB" }],
    ["file", { type: "file", data: "UEsDBAAA", mimeType: "application/zip" }],
    ["file", { type: "file", data: "https://example.com/a.csv", mimeType: "text/csv" }],
  ])("is refused by name before the request when its type is %s, which the model does not take", async (type, part) => {
    const { vendor, connect } = await startVendor();

    await expect(
      connect(undefined, { promptCache: false }).generate([{ role: "user", content: [part] }]),
    ).rejects.toMatchObject({
      code: "unsupported_media_type",
      message: expect.stringMatching(`anthropic's claude-opus-5-5 does not take this part: ${type}`),
      fields: { vendor: "anthropic", model: "claude-opus-5-5", part: type },
    });
    expect(vendor.exchanges).toEqual([]);
  });

  it("is an invalid request when its data cannot be read", async () => {
    const { connect } = await startVendor();

    await expect(
      connect(undefined, { promptCache: false }).generate([{ role: "user", content: [{ type: "image", data: "?" }] }]),
    ).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("is neither base64 nor a data: or http(s) URL"),
    });
  });

  it("becomes text when another model took it and this one does not", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say("Yes.");
    const content: ContentPart[] = [
      { type: "audio", data: "SUQzAAAA" },
      { type: "file", data: "gs://bucket/a.pdf", mimeType: "application/pdf", filename: "a.pdf" },
    ];
    await connect(undefined, { promptCache: false }).generate([
      { role: "user", content },
      { role: "assistant", content: "Heard." },
      { role: "user", content: "And?" },
    ]);

    expect(bodiesOf(vendor)[0]?.["messages"]).toMatchObject([
      {
        content: [
          { type: "text", text: "[audio: not shown to this model]" },
          { type: "text", text: "[file a.pdf, application/pdf: not shown to this model]" },
        ],
      },
      {},
      {},
    ]);
  });

  it("is sent within a tool result, and only as text within an answer", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say("Yes.");
    await connect(undefined, { promptCache: false }).generate([
      { role: "user", content: "Look." },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Here." },
          { type: "image", data: png },
        ],
        toolCalls: [{ id: "a", name: "look", arguments: {} }],
      },
      {
        role: "tool",
        toolCallId: "a",
        content: [
          { type: "text", text: "Seen" },
          { type: "image", data: png },
        ],
      },
    ]);

    expect(bodiesOf(vendor)[0]?.["messages"]).toMatchObject([
      {},
      { content: [{ type: "text", text: "Here.\n[image: not shown to this model]" }, { type: "tool_use" }] },
      { content: [{ type: "tool_result", content: [{ type: "text", text: "Seen" }, { type: "image" }] }] },
    ]);
  });
});
