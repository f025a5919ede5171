import { constants } from "node:buffer";
import { Readable } from "node:stream";
import { createLogger } from "@troupe/core";
import type { Request } from "express";
import { describe, expect, it, vi } from "vitest";
import { encodeForm, formContentType } from "../../test/forms.ts";
import type { FormPart } from "../../test/forms.ts";
import { watchTemporaryFiles } from "../../test/temporary-files.ts";
import { WrittenResponse } from "@troupe-internal/fake-responses";
import { NodeExchange } from "@troupe/core/transport";
import { createFileUploadMiddleware, UploadReader } from "./upload-reader.ts";
import { readUploadOptions } from "./upload-options.ts";

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

const toExchange = (request: Request, response = new WrittenResponse()) =>
  new NodeExchange(request, response.asResponse, createLogger());

function reader(options: object = {}, maxTextBytes?: number): UploadReader {
  return new UploadReader(readUploadOptions(options, { owner: "test" }), maxTextBytes);
}

const read = async (uploads: UploadReader, parts: FormPart[], response = new WrittenResponse()) =>
  await uploads.readBody(toExchange(requestOf(encodeForm(...parts)), response), () => undefined);

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
    const done = reader().readBody(toExchange(request), check);
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

  const readJson = async (uploads: UploadReader, request: Request, response = new WrittenResponse()) =>
    await uploads.jsonReader(toExchange(request, response))?.();

  it("reads no JSON by itself without a limit of its text", () => {
    expect(reader({ maxTotalSize: 10 }).jsonReader(toExchange(requestOf("{}")))).toBeUndefined();
  });

  it.each<[object, number, number]>([
    [{ maxTotalSize: 10 }, 4, 10],
    [{ maxTotalSize: 10 }, 40, 40],
    [{ maxTotalSize: 1e15 }, 4, constants.MAX_STRING_LENGTH],
  ])("with %j and text of %i bytes takes JSON of %i bytes", async (options, maxTextBytes, maxBytes) => {
    const long = requestOf("{}");
    long.headers["content-length"] = String(maxBytes + 1);
    const message = `The body must have at most ${maxBytes} bytes. Send fewer or smaller files.`;
    await expect(readJson(reader(options, maxTextBytes), long)).rejects.toMatchObject({ message });
    const wordy = requestOf("x".repeat(maxTextBytes + 1));
    delete wordy.headers["content-length"];
    const text = `The body must have at most ${maxTextBytes} bytes beside`;
    await expect(readJson(reader(options, maxTextBytes), wordy)).rejects.toThrow(text);
    expect(String(await readJson(reader(options, maxTextBytes), requestOf("{}")))).toBe("{}");
  });

  it("shares its memory between forms and JSON", async () => {
    const left = watchTemporaryFiles();
    const uploads = reader({ maxTotalSize: 60 }, 40);
    const first = new WrittenResponse();
    await read(uploads, [file(60)], first);
    const body = `{"input":[{"data":"${"x".repeat(30)}"}]}`;
    const done = readJson(uploads, requestOf(body));
    await expect.poll(() => left().open, { interval: 1 }).toBe(1);
    for (let turns = 0; turns < 20; turns++) await settle();
    expect(left().open).toBe(1);
    first.end();
    expect(String(await done)).toBe(body);
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
