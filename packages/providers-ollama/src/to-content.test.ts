import type { ContentPart, MessageRole } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { bodiesOf, startVendor } from "../test/vendor.ts";

const png = "iVBORw0KGgo=";
const csv = Buffer.from("a,ü\n1,2").toString("base64");

async function sent(...parts: ContentPart[]): Promise<unknown> {
  const { vendor, connect } = await startVendor();
  vendor.say("Yes.");
  await connect().generate([{ role: "user", content: parts }]);
  const { messages } = bodiesOf(vendor)[0] as { messages: unknown[] };
  return messages[0];
}

describe("a part", () => {
  it.each<[string, ContentPart, object]>([
    ["an image in base64", { type: "image", data: png }, { content: "See:", images: [png] }],
    [
      "an image as a data: URL",
      { type: "image", data: "data:image/jpg;base64,/9j/AAAA" },
      { content: "See:", images: ["/9j/AAAA"] },
    ],
    [
      "a file that is an image",
      { type: "file", data: png, mimeType: "image/png", filename: "a.png" },
      { content: "See:", images: [png] },
    ],
    [
      "an image whose type is in capitals with a parameter",
      { type: "image", data: png, mimeType: "IMAGE/PNG; q=1" },
      { content: "See:", images: [png] },
    ],
    [
      "a file of text whose type is in capitals",
      { type: "file", data: csv, mimeType: "Text/CSV", filename: "a.csv" },
      { content: "See:\nFile: a.csv\na,ü\n1,2" },
    ],
    [
      "a file of text",
      { type: "file", data: csv, mimeType: "text/csv; charset=utf-8", filename: "a.csv" },
      { content: "See:\nFile: a.csv\na,ü\n1,2" },
    ],
    [
      "a file of JSON without a name",
      { type: "file", data: Buffer.from("{}").toString("base64"), mimeType: "application/json" },
      { content: "See:\nFile: unnamed\n{}" },
    ],
  ])("is converted to the server's format when it is %s", async (_, part, said) => {
    expect(await sent({ type: "text", text: "See:" }, part)).toEqual({ role: "user", ...said });
  });

  it("is never taken for a file when it is an image whose data could be a file name", async () => {
    expect(await sent({ type: "image", data: "/etc//passwd", mimeType: "image/png" })).toEqual({
      role: "user",
      content: "",
      images: ["/etc//passwd"],
    });
  });

  it.each<[string, ContentPart, MessageRole]>([
    ["audio", { type: "audio", data: "SUQzAAAA" }, "user"],
    ["audio", { type: "audio", data: png, mimeType: "image/png" }, "user"],
    ["image", { type: "image", data: "AAAABBBB", mimeType: "image/bmp" }, "user"],
    ["image", { type: "image", data: "AAAABBBB" }, "user"],
    ["image", { type: "image", data: "https://example.com/a.png" }, "user"],
    ["image", { type: "image", data: png }, "system"],
    ["file", { type: "file", data: "JVBERi0xLjc=", mimeType: "application/pdf" }, "user"],
    ["file", { type: "file", data: "UEsDBAAA", mimeType: "application/zip" }, "user"],
    ["file", { type: "file", data: "https://example.com/a.csv", mimeType: "text/csv" }, "user"],
  ])(
    "is refused by name before the request when its type is %s, which the model does not take",
    async (type, part, role) => {
      const { vendor, connect } = await startVendor();

      await expect(connect().generate([{ role, content: [part] }])).rejects.toMatchObject({
        code: "unsupported_media_type",
        message: expect.stringMatching(
          `ollama's qwen3:8b takes no ${type} part that is .+ in a message of role "${role}"`,
        ),
        fields: { vendor: "ollama", model: "qwen3:8b", part: type },
      });
      expect(vendor.exchanges).toEqual([]);
    },
  );

  it("becomes text when another model took or sent it and this one does not take it", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say("Yes.");
    const pdf: ContentPart = { type: "file", data: "JVBERi0x", mimeType: "application/pdf", filename: "a.pdf" };
    const image: ContentPart = { type: "image", data: png, mimeType: "image/png" };
    await connect().generate([
      { role: "user", content: [pdf, image, { type: "image", data: "https://example.com/a.png" }] },
      {
        role: "assistant",
        content: [{ type: "text", text: "Here." }, image],
        toolCalls: [{ id: "a", name: "look", arguments: {} }],
      },
      { role: "tool", toolCallId: "a", content: [image] },
      { role: "user", content: "And?" },
    ]);

    const seen = "[image, image/png: not shown to this model]";
    expect(bodiesOf(vendor)[0]?.["messages"]).toMatchObject([
      {
        content: "[file a.pdf, application/pdf: not shown to this model]\n[image: not shown to this model]",
        images: [png],
      },
      { role: "assistant", content: `Here.\n${seen}` },
      { role: "tool", content: "", images: [png] },
      { role: "user", content: "And?" },
    ]);
  });

  it("is an invalid request when its data cannot be read", async () => {
    const { connect } = await startVendor();

    await expect(connect().generate([{ role: "user", content: [{ type: "image", data: "?" }] }])).rejects.toMatchObject(
      {
        code: "invalid_request",
        message: expect.stringContaining("is neither base64 nor a data: or http(s) URL"),
        fields: { vendor: "ollama", part: "image" },
      },
    );
  });
});
