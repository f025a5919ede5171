import { constants } from "node:buffer";
import { Readable } from "node:stream";
import type { Request } from "express";
import { describe, expect, it, vi } from "vitest";
import { encodeForm, formContentType } from "../../test/forms.ts";
import type { FormPart } from "../../test/forms.ts";
import { watchTemporaryFiles } from "../../test/temporary-files.ts";
import { WrittenResponse } from "../../test/written-response.ts";
import { createFileUploadMiddleware, UploadReader } from "./upload-reader.ts";
import { readUploadOptions } from "./upload-options.ts";
import { readLargeBody } from "./read-large-body.ts";

vi.mock(import("./read-large-body.ts"), { spy: true });

const settle = async () => await new Promise((resolve) => setImmediate(resolve));
const file = (bytes: number, name = "a.bin"): FormPart => ({
  name: "files",
  filename: name,
  type: "application/x-a",
  body: Buffer.alloc(bytes, "x"),
});

function requestOf(bytes: Buffer | string, type = formContentType): Request {
  const headers = { "content-type": type, "content-length": String(bytes.length) };
  return Object.assign(Readable.from([Buffer.from(bytes)]), { headers, complete: true }) as unknown as Request;
}

function reader(options: object = {}, maxTextBytes?: number): UploadReader {
  return new UploadReader(readUploadOptions(options, { owner: "test" }), maxTextBytes);
}

const read = async (uploads: UploadReader, parts: FormPart[], response = new WrittenResponse()) =>
  await uploads.readBody({ request: requestOf(encodeForm(...parts)), response: response.asResponse }, () => undefined);

describe("UploadReader", () => {
  it.each<[string, string, boolean]>([
    ["multipart/form-data", formContentType, true],
    ["JSON", "application/json", false],
  ])("takes %s for an upload as it should", (_, type, expected) => {
    expect(reader().isUpload(requestOf("{}", type))).toBe(expected);
  });

  it("reads the fields of a form and its files as the input, and leaves no file", async () => {
    const left = watchTemporaryFiles();
    const parts = [{ name: "input", body: "Hi." }, { name: "userId", body: "ada" }, file(2_000_000)];
    const data = Buffer.alloc(2_000_000, "x").toString("base64");
    expect(await read(reader(), parts)).toEqual({
      userId: "ada",
      input: [
        { type: "text", text: "Hi." },
        { type: "file", data, mimeType: "application/x-a", filename: "a.bin" },
      ],
    });
    expect(left()).toEqual({ named: [], open: 0 });
  });

  it("tells the names of the fields to the check of its caller, and rejects with its error", async () => {
    const left = watchTemporaryFiles();
    const refusal = new Error("No.");
    const names: string[] = [];
    const check = (name: string): void => {
      names.push(name);
      if (name === "odd") throw refusal;
    };
    const request = requestOf(encodeForm({ name: "input", body: "Hi." }, file(2_000_000), { name: "odd", body: "" }));
    const done = reader().readBody({ request, response: new WrittenResponse().asResponse }, check);
    await expect(done).rejects.toBe(refusal);
    expect([names.filter((name) => name !== "files"), left()]).toEqual([["input", "odd"], { named: [], open: 0 }]);
  });

  it("lets the files of all its uploads wait until memory is free, for all files of one together", async () => {
    const uploads = reader({ maxTotalSize: 10 });
    const first = new WrittenResponse();
    await read(uploads, [file(3), file(4)], first);
    await read(uploads, [file(3)]);
    let isOver = false;
    const third = read(uploads, [file(1)]).then(() => (isOver = true));
    for (let turns = 0; turns < 20; turns++) await settle();
    expect(isOver).toBe(false);
    first.end();
    await third;
  });

  it("is cancelled when the client leaves while its upload waits, and holds nothing then", async () => {
    const left = watchTemporaryFiles();
    const uploads = reader({ maxTotalSize: 3_000_000 });
    const [first, second] = [new WrittenResponse(), new WrittenResponse()];
    await read(uploads, [file(3_000_000)], first);
    const waiting = read(uploads, [file(2_000_000)], second);
    waiting.catch(() => undefined);
    await expect.poll(() => left().open, { interval: 1 }).toBe(1);
    second.leave();
    const message = "The client disconnected while its upload waited for memory.";
    await expect(waiting).rejects.toMatchObject({ code: "cancelled", message });
    expect(left()).toEqual({ named: [], open: 0 });
    first.end();
    await read(uploads, [file(3_000_000)]);
  });

  it.each<[object, number | undefined, object | undefined]>([
    [{ maxTotalSize: 10 }, undefined, undefined],
    [{ maxTotalSize: 10 }, 4, { maxBytes: 10, maxTextBytes: 4 }],
    [{ maxTotalSize: 10 }, 40, { maxBytes: 40, maxTextBytes: 40 }],
    [{ maxTotalSize: 1e15 }, 4, { maxBytes: constants.MAX_STRING_LENGTH, maxTextBytes: 4 }],
  ])("with %j and text of %j bytes has for JSON the limits %j", async (options, maxTextBytes, limits) => {
    const exchange = { request: requestOf("{}", "application/json"), response: new WrittenResponse().asResponse };
    vi.mocked(readLargeBody).mockClear().mockResolvedValue(Buffer.from("{}"));
    await reader(options, maxTextBytes).jsonReader(exchange)?.();
    const calls = vi.mocked(readLargeBody).mock.calls.map(([given, { memory: _, ...rules }]) => [given, rules]);
    expect(calls).toEqual(limits === undefined ? [] : [[exchange, limits]]);
  });

  it("shares its memory between forms and JSON", async () => {
    const uploads = reader({ maxTotalSize: 10 }, 4);
    const [first, second] = [new WrittenResponse(), new WrittenResponse()];
    await read(uploads, [file(10)], first);
    vi.mocked(readLargeBody).mockClear().mockResolvedValue(Buffer.from("{}"));
    await uploads.jsonReader({ request: requestOf("{}"), response: second.asResponse })?.();
    const { memory } = vi.mocked(readLargeBody).mock.calls[0]?.[1] ?? {};
    const entered = vi.fn<() => void>();
    const waiting = memory?.acquire(1, second.asResponse).then(entered);
    await settle();
    expect(entered).not.toHaveBeenCalled();
    first.end();
    await waiting;
    expect(entered).toHaveBeenCalledOnce();
  });

  it("checks the data of JSON against its limits", () => {
    const body = { input: [{ type: "file", mimeType: "a/b", data: "eHh4" }] };
    expect(() => reader({ maxFileSize: 3 }).checkJson(body)).not.toThrow();
    expect(() => reader({ maxFileSize: 2 }).checkJson(body)).toThrow(/input\[0\]\.data/);
  });
});

describe("createFileUploadMiddleware", () => {
  it("names itself in the error of an unknown option", () => {
    expect(() => createFileUploadMiddleware({ maxSize: 1 } as object)).toThrow(/createFileUploadMiddleware/);
  });

  it("passes other requests on as they are", async () => {
    const request = requestOf("{}", "application/json");
    const next = vi.fn<() => void>();
    await createFileUploadMiddleware()(request, new WrittenResponse().asResponse, next);
    expect(next.mock.calls).toEqual([[]]);
    expect([request.body, request.files]).toEqual([undefined, undefined]);
  });

  it("puts fields and files on the request before it passes it on, and frees the files with the response", async () => {
    const left = watchTemporaryFiles();
    const request = requestOf(encodeForm({ name: "note", body: "any" }, file(2_000_000)));
    const response = new WrittenResponse();
    const next = vi.fn<() => void>(() => expect(request.body).toEqual({ note: "any" }));
    await createFileUploadMiddleware()(request, response.asResponse, next);
    expect(next.mock.calls).toEqual([[]]);
    expect(request.files).toMatchObject([{ filename: "a.bin", mimeType: "application/x-a", size: 2_000_000 }]);
    expect(left().open).toBe(1);
    response.end();
    await expect.poll(left, { interval: 1 }).toEqual({ named: [], open: 0 });
  });

  it("frees the files of a client that has left, and passes nothing on", async () => {
    const left = watchTemporaryFiles();
    const response = Object.assign(new WrittenResponse(), { closed: true });
    const next = vi.fn<() => void>();
    await createFileUploadMiddleware()(requestOf(encodeForm(file(2_000_000))), response.asResponse, next);
    expect([next.mock.calls, left()]).toEqual([[], { named: [], open: 0 }]);
  });
});
