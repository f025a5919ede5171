import type { ContentPart } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { bodiesOf, startVendor } from "../test/vendor.ts";

const png = "iVBORw0KGgo=";
const pdf = "JVBERi0xLjc=";
const base64 = (text: string) => Buffer.from(text).toString("base64");

async function sent(part: ContentPart): Promise<unknown> {
  const { vendor, connect } = await startVendor();
  vendor.say("Yes.");
  await connect().generate([{ role: "user", content: [{ type: "text", text: "See:" }, part] }]);
  const contents = bodiesOf(vendor)[0]?.["contents"] as { parts: unknown[] }[];
  return contents[0]?.parts[1];
}

describe("a part", () => {
  it.each<[string, ContentPart, object]>([
    ["an image in base64", { type: "image", data: png }, { inlineData: { mimeType: "image/png", data: png } }],
    [
      "an image as a data: URL",
      { type: "image", data: "data:image/jpg;base64,/9j/AAAA" },
      { inlineData: { mimeType: "image/jpeg", data: "/9j/AAAA" } },
    ],
    [
      "an image by URL",
      { type: "image", data: "https://example.com/a", mimeType: "image/webp" },
      { fileData: { fileUri: "https://example.com/a", mimeType: "image/webp" } },
    ],
    [
      "an image by URL, of which no more is known",
      { type: "image", data: "https://example.com/a.png" },
      { fileData: { fileUri: "https://example.com/a.png" } },
    ],
    ["sound", { type: "audio", data: "SUQzAAAA" }, { inlineData: { mimeType: "audio/mpeg", data: "SUQzAAAA" } }],
    [
      "sound of a type with another name",
      { type: "audio", data: "AAAA", mimeType: "audio/x-wav; codecs=1" },
      { inlineData: { mimeType: "audio/wav", data: "AAAA" } },
    ],
    [
      "a file that is an image",
      { type: "file", data: png, mimeType: "image/png", filename: "a.png" },
      { inlineData: { mimeType: "image/png", data: png } },
    ],
    [
      "a film",
      { type: "file", data: "AAAA", mimeType: "video/mp4" },
      { inlineData: { mimeType: "video/mp4", data: "AAAA" } },
    ],
    [
      "a PDF",
      { type: "file", data: pdf, mimeType: "application/pdf", filename: "a.pdf" },
      { inlineData: { mimeType: "application/pdf", data: pdf } },
    ],
    [
      "a PDF by URL",
      { type: "file", data: "https://example.com/a.pdf", mimeType: "application/pdf" },
      { fileData: { fileUri: "https://example.com/a.pdf", mimeType: "application/pdf" } },
    ],
    [
      "a file of text",
      { type: "file", data: base64("a,ü\n1,2"), mimeType: "text/csv; charset=utf-8", filename: "a.csv" },
      { text: "File: a.csv\na,ü\n1,2" },
    ],
    [
      "a file of JSON without a name",
      { type: "file", data: base64("{}"), mimeType: "application/json" },
      { text: "File: unnamed\n{}" },
    ],
    [
      "a file of text by URL",
      { type: "file", data: "https://example.com/a.csv", mimeType: "text/csv" },
      { fileData: { fileUri: "https://example.com/a.csv", mimeType: "text/csv" } },
    ],
  ])("is converted to the vendor's format when it is %s", async (_, part, wire) => {
    expect(await sent(part)).toEqual(wire);
  });

  it.each<[string, ContentPart, string]>([
    ["image", { type: "image", data: "R0lGODlh" }, "image/gif"],
    ["image", { type: "image", data: "AAAABBBB" }, "of unknown type"],
    ["image", { type: "image", data: pdf }, "application/pdf"],
    ["audio", { type: "audio", data: png }, "image/png"],
    ["file", { type: "file", data: "UEsDBAAA", mimeType: "application/zip" }, "application/zip"],
    ["file", { type: "file", data: "https://example.com/a.zip", mimeType: "application/zip" }, "application/zip"],
  ])(
    "is refused by name before the request when its type is %s, which the model does not take",
    async (type, part, named) => {
      const { vendor, connect } = await startVendor();

      await expect(connect().generate([{ role: "user", content: [part] }])).rejects.toMatchObject({
        code: "unsupported_media_type",
        message: expect.stringContaining(`google's gemini-3.8-flash does not take this part: ${type} (${named}`),
        fields: { vendor: "google", model: "gemini-3.8-flash", part: type },
      });
      expect(vendor.exchanges).toEqual([]);
    },
  );

  it.each(["?", "gs://bucket/a.png"])(
    "is an invalid request when its data is %j, which cannot be read",
    async (data) => {
      const { connect } = await startVendor();

      await expect(connect().generate([{ role: "user", content: [{ type: "image", data }] }])).rejects.toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining("is neither base64 nor a data: or http(s) URL"),
      });
    },
  );

  it("becomes text when another model took it and this one does not", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say("Yes.");
    const zip: ContentPart = { type: "file", data: "UEsDBAAA", mimeType: "application/zip", filename: "a.zip" };
    await connect().generate([
      { role: "user", content: [zip, { type: "image", data: "gs://bucket/a.png" }] },
      { role: "assistant", content: null, toolCalls: [{ id: "a", name: "look", arguments: {} }] },
      { role: "tool", toolCallId: "a", content: [{ type: "text", text: "Seen" }, zip] },
      { role: "assistant", content: "Seen." },
      { role: "user", content: "And?" },
    ]);

    const words = "[file a.zip, application/zip: not shown to this model]";
    expect(bodiesOf(vendor)[0]?.["contents"]).toMatchObject([
      { parts: [{ text: words }, { text: "[image: not shown to this model]" }] },
      {},
      { parts: [{ functionResponse: { response: { output: `Seen\n${words}` } } }] },
      {},
      {},
    ]);
  });

  it("is sent within the tool result, and only as text within an answer", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say("Yes.");
    const seen: ContentPart[] = [
      { type: "text", text: "Seen" },
      { type: "image", data: png },
    ];
    const toolCalls = ["a", "b"].map((id) => ({ id, name: "look", arguments: {} }));
    await connect().generate([
      { role: "user", content: "Look." },
      { role: "assistant", content: seen, toolCalls },
      { role: "tool", toolCallId: "a", content: seen },
      { role: "tool", toolCallId: "b", content: "Nothing" },
    ]);

    expect(bodiesOf(vendor)[0]?.["contents"]).toMatchObject([
      {},
      {
        parts: [
          { text: "Seen\n[image: not shown to this model]" },
          { functionCall: { name: "look" } },
          { functionCall: { name: "look" } },
        ],
      },
      {
        parts: [
          { functionResponse: { response: { output: "Seen" }, parts: [{ inlineData: { mimeType: "image/png" } }] } },
          { functionResponse: { response: { output: "Nothing" } } },
        ],
      },
    ]);
  });
});
