import { once } from "node:events";
import { Readable } from "node:stream";
import { asyncProperty, assert, integer, nat } from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeForm, formType } from "../../test/forms.ts";
import type { FormPart } from "../../test/forms.ts";
import { head, open, sendRaw } from "../../test/raw.ts";
import { scripted, talker } from "../../test/runnables.ts";
import { watchTemporaryFiles } from "../../test/temporary-files.ts";
import { serve } from "../../test/serve.ts";
import type { Service } from "../../test/service.ts";
import { Form } from "./form.ts";
import { readUploadOptions } from "./upload-options.ts";

const path = "/agents/a/run";
const text: FormPart = { name: "input", body: "Hi" };
const file: FormPart = { name: "files", filename: "a.bin", type: "application/x", body: "abc" };
const megabyte = Buffer.alloc(1_048_576, "x");

async function send(service: Service, form: Buffer, ...headers: string[]): Promise<string> {
  const type = headers.some((header) => header.startsWith("Content-Type")) ? [] : [formType];
  return await sendRaw(service, head(path, ...type, `Content-Length: ${form.length}`, ...headers), form);
}

/** Returns the file name that the model gets for a part with this name. */
async function nameOf(filename: string, ...headers: string[]): Promise<unknown> {
  const { agent, model } = scripted("Seen.");
  const service = await serve({ agents: { a: agent }, fileUpload: true });
  await send(service, encodeForm({ ...file, filename, headers }));
  const parts = model.calls[0]?.messages.at(-1)?.content as { filename?: string }[] | undefined;
  return parts?.[0]?.filename;
}

/** Encodes a form of parts with these header lines and the text "x". */
function encodeParts(...parts: readonly (readonly string[])[]): Buffer {
  const encoded = parts.map((lines) => `--edge\r\n${lines.join("\r\n")}\r\n\r\nx\r\n`);
  return Buffer.from(`${encoded.join("")}--edge--\r\n`);
}

describe("a part of a form that cannot be read", () => {
  const input = 'Content-Disposition: form-data; name="input"';
  const named = 'name="files"; filename="a.txt"';
  const unreadable: [string, Buffer, string][] = [
    ["has no Content-Disposition", encodeParts([input], ["Content-Type: text/plain"]), "Part 2 of the form has no"],
    ["is an attachment", encodeParts([input], [`Content-Disposition: attachment; ${named}`]), '"attachment'],
    ["has an unclosed quote", encodeParts([input], ['Content-Disposition: form-data; name="files']), "cannot be read"],
    ["has an empty Content-Disposition", encodeParts([input], ["Content-Disposition:"]), "Part 2 of the form has no"],
    [
      "has a text that is no UTF-8",
      encodeForm({ ...text, body: Buffer.from("caf\xe9", "latin1") }),
      "must be in UTF-8",
    ],
    [
      "has a text that ends within a character, and says UTF-8",
      encodeForm({ ...text, type: "text/plain; charset=UTF-8", body: Buffer.from([0x61, 0xe2, 0x82]) }),
      "must be in UTF-8",
    ],
  ];

  it.each(unreadable)("is refused when it %s [http.form-parts]", async (_, form, told) => {
    for (const pieces of [[form], Array.from(form, (byte) => Buffer.of(byte))]) {
      const { agent, model } = scripted("Never parts.");
      const service = await serve({ agents: { a: agent }, fileUpload: true });

      const answer = await sendRaw(service, head(path, formType, `Content-Length: ${form.length}`), ...pieces);

      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer.replaceAll("\\", "")).toContain(told);
      expect(model.calls).toEqual([]);
    }
  });

  it("is told from texts and files that look like one", async () => {
    const { agent, model } = scripted("Seen.");
    const service = await serve({ agents: { a: agent }, fileUpload: true });
    const inside = "\r\n--edg\r\n--edgy\r\nContent-Disposition: attachment\r\n\r\n\u{fffd}";
    const latin1 = { name: "sessionId", type: "text/plain; charset=iso-8859-1", body: "s1" };
    const bytes = Buffer.concat([Buffer.from(inside), Buffer.of(0xff, 0xfe, 0x0d)]);

    await send(service, encodeForm({ ...text, body: inside }, latin1, { ...file, body: bytes }));

    expect(model.calls[0]?.messages.at(-1)?.content).toEqual([
      { type: "text", text: inside },
      { type: "file", data: bytes.toString("base64"), mimeType: "application/x", filename: "a.bin" },
    ]);
  });
});

describe.each([
  ["without a type", {}],
  ["of the type that some clients give to every file", { type: "Application/Octet-Stream" }],
])("a file %s", (_, type) => {
  it.each([
    ["its first bytes", "%PDF-1.7 and more", "application/pdf"],
    ["nothing", "plain", "application/octet-stream"],
  ])("gets one by %s [http.upload-sniffed]", async (__, body, mimeType) => {
    const form = encodeForm(
      { name: "files", filename: "a", ...type, body },
      { name: "files", filename: "b", type: "a/B;c", body },
    );
    for (const pieces of [[form], Array.from(form, (byte) => Buffer.of(byte))]) {
      const { agent, model } = scripted("Seen.");
      const service = await serve({ agents: { a: agent }, fileUpload: true });

      await sendRaw(service, head(path, formType, `Content-Length: ${form.length}`), ...pieces);

      const data = Buffer.from(body).toString("base64");
      expect(model.calls[0]?.messages.at(-1)?.content).toEqual([
        { type: "file", data, mimeType, filename: "a" },
        { type: "file", data, mimeType: "a/b", filename: "b" },
      ]);
    }
  });

  it("gets one by its first bytes, in whatever pieces they come [http.upload-sniffed]", async () => {
    const form = new Form(readUploadOptions({}, { owner: "a test" }));
    const pieces = Array.from(Buffer.from("%PDF-1.7 and more"), (byte) => Buffer.of(byte));

    await form.addFile("files", Readable.from(pieces), { filename: "a", encoding: "7bit", mimeType: undefined });

    expect(form.files).toMatchObject([{ mimeType: "application/pdf", size: 17 }]);
  });

  it("is held to allowedMimeTypes by the type of its content", async () => {
    const service = await serve({ agents: { a: talker() }, fileUpload: { allowedMimeTypes: ["application/pdf"] } });
    const status = async (body: string) => (await send(service, encodeForm({ ...file, type: "", body }))).slice(9, 12);

    expect([await status("%PDF-1.7"), await status("%PDX-1.7")]).toEqual(["200", "415"]);
  });
});

describe("a hostile form", () => {
  const broken: [string, Buffer, ...string[]][] = [
    ["without a boundary", encodeForm(text), "Content-Type: multipart/form-data"],
    ["with an empty boundary", encodeForm(text), "Content-Type: multipart/form-data; boundary="],
    ["with another boundary", encodeForm(text), "Content-Type: multipart/form-data; boundary=other"],
    ["with nothing in it", Buffer.from("--edge--\r\n")],
    ["with nothing at all", Buffer.from(" ")],
    ["made of garbage", Buffer.alloc(5000, 255)],
    ["without its closing boundary", encodeForm(text, file).subarray(0, -10)],
    ["cut within a file", Buffer.concat([encodeForm(text, file).subarray(0, -12)])],
    ["cut within the headers of a part", encodeForm(text, file).subarray(0, 100)],
    ["with a part without a name", encodeForm({ body: "Hi" })],
    ["with a part of an empty name", encodeForm({ name: "", body: "Hi" })],
    ["with a file without a field", encodeForm({ filename: "x", body: "Hi" })],
    ["with NUL in a filename", encodeForm(text, { ...file, filename: "a\0b" })],
    ["with part headers of 90 KB", encodeForm(text, { ...file, headers: [`X-Long: ${"x".repeat(90_000)}`] })],
    ["with 3,000 part headers", encodeForm(text, { ...file, headers: Array.from({ length: 3000 }, () => "X: y") })],
    [
      "with 5,000 parts without a Content-Disposition",
      Buffer.from(`${"--edge\r\n\r\nx\r\n".repeat(5000)}--edge--\r\n`),
    ],
    ["with 100 fields", encodeForm(...Array.from({ length: 100 }, (_, index) => ({ name: `f${index}`, body: "x" })))],
    ["with a text in an unknown charset", encodeForm({ ...text, type: "text/plain; charset=x-none" })],
    ["with a file in base64", encodeForm({ ...file, headers: ["Content-Transfer-Encoding: base64"] })],
    ["with a prototype", encodeForm({ name: "__proto__", body: "x" }, text)],
  ];

  it.each(broken)("is refused with a message: one %s", async (_, form, ...headers) => {
    const left = watchTemporaryFiles();
    const { agent, model } = scripted("Never parts.");
    const service = await serve({ agents: { a: agent }, fileUpload: true });

    const answer = await send(service, form, ...headers);

    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/"code":"invalid_request","message":"[^"\\]*(\\.[^"\\]*)*\."/);
    expect([left(), model.calls, service.lines]).toEqual([{ named: [], open: 0 }, [], []]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("is refused if it is compressed", async () => {
    const service = await serve({ agents: { a: talker() }, fileUpload: true });

    expect(await send(service, encodeForm(text), "Content-Encoding: gzip")).toMatch(/^HTTP\/1\.1 415 /);
  });

  it("is refused before it is sent if a key header is malformed", async () => {
    const service = await serve({ agents: { a: talker() }, fileUpload: true });
    const socket = open(service.port);
    socket.write(head(path, formType, "Content-Length: 1000", "x-openai-api-key: a b"));

    const [piece] = (await once(socket, "data")) as [Buffer];

    expect(piece.toString()).toMatch(/^HTTP\/1\.1 400 [^]*x-openai-api-key/);
    socket.destroy();
  });

  it("is refused before it is sent if it is announced too long", async () => {
    const service = await serve({ agents: { a: talker() }, fileUpload: true });
    const socket = open(service.port);
    socket.write(head(path, formType, "Content-Length: 10000000000"));

    const [piece] = (await once(socket, "data")) as [Buffer];

    expect(piece.toString()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it("is cut off if it never ends, before its first part or after its last", async () => {
    const service = await serve({ agents: { a: talker() }, fileUpload: { maxFileSize: 9, maxFieldSize: 9 } });
    for (const begin of [Buffer.from("\r\n"), encodeForm(text)]) {
      const pieces = [begin, megabyte].flatMap((piece) => [`${piece.length.toString(16)}\r\n`, piece, "\r\n"]);
      const answer = await sendRaw(service, head(path, formType, "Transfer-Encoding: chunked"), ...pieces, "0\r\n\r\n");
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    }
  });

  it.each([
    ["a path", "../../etc/passwd", "passwd"],
    ["a path of another system", "C:\\\\Users\\\\me\\\\x.txt", "x.txt"],
    ["nothing but dots", "..", undefined],
    ["marks that turn its direction", "a\u202egnp.exe", "agnp.exe"],
    ["letters of any language", "Übersicht 日本.pdf", "Übersicht 日本.pdf"],
    ["10,000 characters", "n".repeat(10_000), "n".repeat(255)],
  ])("has a filename with %s cleaned", async (_, filename, seen) => {
    expect(await nameOf(filename)).toBe(seen);
  });

  it("has an encoded filename cleaned", async () => {
    const service = scripted("Seen.");
    const { port } = await serve({ agents: { a: service.agent }, fileUpload: true });
    const part = "Content-Disposition: form-data; name=\"files\"; filename*=UTF-8''..%2Fa%00%E2%80%AEb";
    const form = Buffer.from(`--edge\r\n${part}\r\n\r\nabc\r\n--edge--\r\n`);

    await sendRaw({ port }, head(path, formType, `Content-Length: ${form.length}`), form);

    expect(service.model.calls[0]?.messages.at(-1)?.content).toMatchObject([{ filename: "ab" }]);
  });
});

describe("a small form", () => {
  const form = encodeForm(text, file, { ...file, filename: "b.bin", body: "defghi" });

  it("is refused if it is cut at any byte, and taken only whole", async () => {
    const service = await serve({ agents: { a: talker() }, fileUpload: true });
    // Bytes after the last boundary do not matter.
    const whole = form.length - 2;

    for (let at = 0; at <= form.length; at++) {
      const answer = await send(service, form.subarray(0, at));
      expect(answer.slice(0, 12), `cut at ${at}`).toBe(`HTTP/1.1 ${at < whole ? 400 : 200}`);
    }
    expect(service.lines).toEqual([]);
  });

  it("is taken or refused the same way in pieces of any size, and leaves nothing behind", async () => {
    const left = watchTemporaryFiles();
    const limit = () => integer({ min: 1, max: 12 });
    await assert(
      asyncProperty(limit(), limit(), limit(), limit(), nat(form.length), async (...limits) => {
        const [maxFiles, maxFileSize, maxTotalSize, maxFieldSize, at] = limits;
        const service = await serve({
          agents: { a: talker() },
          fileUpload: { maxFiles, maxFileSize, maxTotalSize, maxFieldSize },
        });
        const pieces = [form.subarray(0, at), form.subarray(at)];

        const answer = await sendRaw(service, head(path, formType, `Content-Length: ${form.length}`), ...pieces);

        const isTaken = maxFiles >= 2 && maxFileSize >= 6 && maxTotalSize >= 9 && maxFieldSize >= 2;
        expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${isTaken ? 200 : 413}`);
        expect(service.lines).toEqual([]);
      }),
      { numRuns: 100 },
    );
    expect(left()).toEqual({ named: [], open: 0 });
  });
});
