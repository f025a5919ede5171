import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import type { RequestHandler } from "express";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { encodeForm, formType, toForm } from "../../test/forms.ts";
import { head, open, sendRaw } from "../../test/raw.ts";
import { watchTemporaryFiles } from "../../test/temporary-files.ts";
import { Service } from "../../test/service.ts";
import { errorHandler } from "../errors/error-handler.ts";
import { buildMultiModalInput } from "./build-multi-modal-input.ts";
import { createFileUploadMiddleware } from "./upload-reader.ts";
import type { FileUploadOptions } from "./upload-options.ts";
import type { UploadedFile } from "./uploaded-file.ts";

type Uploaded = { body?: Record<string, string>; files?: UploadedFile[] };
const large = new File([Buffer.alloc(2_000_000, "x")], "big.bin");

/** A host with a route of its own behind the middleware. */
async function host(handle: RequestHandler, options?: FileUploadOptions, isText = false): Promise<Service> {
  const app = express()
    .use((request, _, next) => next(void (isText && request.setEncoding("utf8"))))
    .post("/", createFileUploadMiddleware(options), handle)
    .use(errorHandler({ logger: silent }));
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Service((server.address() as AddressInfo).port, "/");
}

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent, withSecrets: () => silent };

describe("createFileUploadMiddleware", () => {
  it("[http.upload-middleware] puts the fields and files of a form on the request", async () => {
    const left = watchTemporaryFiles();
    const service = await host(async (request, response) => {
      const { body, files = [] } = request as Uploaded;
      const contents = await Promise.all(files.map(async (file) => (await file.read()).length));
      response.json({ body, contents, files: files.map(({ filename, mimeType, size }) => [filename, mimeType, size]) });
    });

    const { json } = await service.ask("/", {
      method: "POST",
      body: toForm({ note: "any", odd: "too" }, large, new File(["abc"], "s.txt", { type: "text/plain" })),
    });

    expect(json).toEqual({
      body: { note: "any", odd: "too" },
      contents: [2_000_000, 3],
      files: [
        ["big.bin", "application/octet-stream", 2_000_000],
        ["s.txt", "text/plain", 3],
      ],
    });
    await vi.waitFor(() => expect(left()).toEqual({ named: [], open: 0 }));
  });

  it("leaves other bodies alone", async () => {
    const service = await host((request, response) => response.json({ files: (request as Uploaded).files ?? null }));

    expect((await service.post("/", {})).json).toEqual({ files: null });
  });

  it("passes refusals to the host's error handler", async () => {
    const service = await host((_, response) => response.end(), { maxFileSize: 10 });

    const { status, text } = await service.ask("/", { method: "POST", body: toForm({}, large) });

    expect([status, text]).toEqual([413, expect.stringContaining("big.bin")]);
  });

  it.each([false, true])(
    "counts bytes and not characters, also if the host has called setEncoding: %s",
    async (isText) => {
      const service = await host(
        (request, response) => {
          response.json((request as Uploaded).body);
        },
        { maxFiles: 1, maxFileSize: 1_000_000, maxTotalSize: 1_000_000, maxFieldSize: 10 },
        isText,
      );
      const send = async (characters: number) => {
        const preamble = Buffer.from(`${"é".repeat(characters)}\r\n`);
        const body = Buffer.concat([preamble, encodeForm({ name: "note", body: "any" })]);
        const chunk = [`${body.length.toString(16)}\r\n`, body, "\r\n0\r\n\r\n"];
        return await sendRaw(service, head("/", formType, "Transfer-Encoding: chunked", "Connection: close"), ...chunk);
      };

      expect(await send(450_000)).toMatch(/^HTTP\/1\.1 200 /);
      expect(await send(750_000)).toMatch(/^HTTP\/1\.1 413 /);
    },
  );

  it("removes the files when the host's handler throws", async () => {
    const left = watchTemporaryFiles();
    const service = await host(() => {
      expect(left()).toEqual({ named: [], open: 1 });
      throw new Error("A fault of the host.");
    });

    expect((await service.ask("/", { method: "POST", body: toForm({}, large) })).status).toBe(500);
    await vi.waitFor(() => expect(left()).toEqual({ named: [], open: 0 }));
  });

  it("removes the files when the response ends", async () => {
    const seen = Promise.withResolvers<UploadedFile[]>();
    const service = await host((request, response) => {
      response.once("close", () => seen.resolve((request as Uploaded).files ?? []));
      response.end();
    });
    await service.ask("/", { method: "POST", body: toForm({}, large) });
    const [file] = await seen.promise;

    await expect(file?.read()).rejects.toThrow("The uploaded file was removed");
  });

  it("does not call the route after the client has disconnected", async () => {
    const left = watchTemporaryFiles();
    const handle = vi.fn<RequestHandler>();
    const service = await host(handle);
    const form = encodeForm({ name: "files", filename: "x", body: Buffer.alloc(2_000_000) });
    const socket = open(service.port);
    socket.write(head("/", formType, `Content-Length: ${form.length}`));
    socket.write(form.subarray(0, -1000));
    await vi.waitFor(() => expect(left().open).toBe(1));

    socket.destroy();

    await vi.waitFor(() => expect(left()).toEqual({ named: [], open: 0 }));
    expect(handle).not.toHaveBeenCalled();
  });

  it("treats field names such as __proto__ as plain names", async () => {
    const service = await host((request, response) => {
      const { body = {} } = request as Uploaded;
      response.json([Object.getPrototypeOf(body), Object.entries(body)]);
    });
    const form = encodeForm({ name: "__proto__", body: "x" }, { name: "constructor", body: "y" });

    const answer = await sendRaw(service, head("/", formType, `Content-Length: ${form.length}`), form);

    expect(answer).toContain('[null,[["__proto__","x"],["constructor","y"]]]');
  });

  it("takes at most 20 fields", async () => {
    const service = await host((_, response) => response.end());
    const fields = Array.from({ length: 21 }, (_, index) => [`f${index}`, "x"]);
    const ask = async (count: number) =>
      await service.ask("/", { method: "POST", body: toForm(Object.fromEntries(fields.slice(0, count))) });

    expect((await ask(20)).status).toBe(200);
    expect((await ask(21)).status).toBe(400);
  });
});

describe("the options of uploads", () => {
  it.each<[FileUploadOptions, string]>([
    [{ maxFileSize: 0 }, "maxFileSize"],
    [{ maxFileSize: 2 ** 40 }, "maxFileSize"],
    [{ maxFiles: 1.5 }, "maxFiles"],
    [{ maxTotalSize: -1 }, "maxTotalSize"],
    [{ maxFieldSize: Number.NaN }, "maxFieldSize"],
    [{ allowedMimeTypes: [] }, "allowedMimeTypes"],
    [{ allowedMimeTypes: ["image/png; q=1"] }, "allowedMimeTypes[0]"],
    [{ allowedMimeTypes: ["image"] }, "allowedMimeTypes[0]"],
    [{ allowedMimeTypes: "image/png" } as never, "allowedMimeTypes"],
    [{ maxFilesize: 1 } as never, "maxFilesize"],
    [[] as never, "an object"],
    [null as never, "an object"],
  ])("are refused by name: %o", (options, name) => {
    expect(() => createFileUploadMiddleware(options)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(name) as string }),
    );
  });
});

describe("buildMultiModalInput", () => {
  const file = (mimeType: string): UploadedFile => ({ mimeType, size: 3, read: async () => Buffer.from("abc") });

  it("[http.multi-modal-input] returns text alone as a string, and text with files as parts", async () => {
    expect(await buildMultiModalInput({ input: "Hi" }, [])).toBe("Hi");
    expect(await buildMultiModalInput({ input: "Hi" })).toBe("Hi");
    expect(await buildMultiModalInput({ input: "Hi" }, [file("image/x"), file("audio/x"), file("text/x")])).toEqual([
      { type: "text", text: "Hi" },
      { type: "image", data: "YWJj", mimeType: "image/x" },
      { type: "audio", data: "YWJj", mimeType: "audio/x" },
      { type: "file", data: "YWJj", mimeType: "text/x" },
    ]);
  });

  it("returns an empty string without input and files", async () => {
    expect(await buildMultiModalInput(undefined)).toBe("");
    expect(await buildMultiModalInput({}, [file("image/x")])).toHaveLength(1);
  });

  it("takes parts as input, alone and before files [http.input-parts]", async () => {
    const parts = [
      { type: "text", text: "Compare:" },
      { type: "image", data: "QUJD", mimeType: "image/png" },
    ] as const;

    expect(await buildMultiModalInput({ input: parts })).toEqual(parts);
    expect(await buildMultiModalInput({ input: parts }, [file("audio/x")])).toEqual([
      ...parts,
      { type: "audio", data: "YWJj", mimeType: "audio/x" },
    ]);
    expect(await buildMultiModalInput({ input: [] }, [file("image/x")])).toHaveLength(1);
    expect(parts).toHaveLength(2);
  });

  it("takes null for a missing body, input or files", async () => {
    expect(await buildMultiModalInput(null, null)).toBe("");
    expect(await buildMultiModalInput({ input: null }, [file("image/x")])).toHaveLength(1);
  });

  it.each([
    [7, "input must be a string or an array"],
    [{ text: "x" }, "input must be a string or an array"],
    [["x"], "input[0]"],
    [[{ type: "image" }], "input[0].data"],
    [[{ type: "video", data: "x" }], "input[0].type"],
  ])("refuses an input of another form: %j", async (input, named) => {
    for (const files of [[], [file("image/x")]]) {
      await expect(buildMultiModalInput({ input }, files)).rejects.toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining(named) as string,
      });
    }
  });

  const inMemory = {
    fieldname: "files",
    originalname: "../plan.pdf",
    mimetype: "Application/PDF; x=1",
    // A piece of a larger memory, as small buffers are.
    buffer: Buffer.from("xabcx").subarray(1, 4),
    size: 3,
  };

  it("takes the files of multer, in memory and on disk, one, several or by field [http.multer-files]", async () => {
    const folder = mkdtempSync(join(tmpdir(), "multer-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "upload");
    writeFileSync(path, "abc");
    const onDisk = { fieldname: "more", originalname: "a.png", mimetype: "image/png", path, size: 3 };
    const parts = [
      { type: "text", text: "Hi" },
      { type: "file", data: "YWJj", mimeType: "application/pdf", filename: "plan.pdf" },
      { type: "image", data: "YWJj", mimeType: "image/png" },
    ];

    expect(await buildMultiModalInput({ input: "Hi" }, [inMemory, onDisk])).toEqual(parts);
    expect(await buildMultiModalInput({ input: "Hi" }, { files: [inMemory], more: [onDisk] })).toEqual(parts);
    expect(await buildMultiModalInput({ input: "Hi" }, inMemory)).toEqual(parts.slice(0, 2));
    expect(await buildMultiModalInput({ input: "Hi" }, {})).toBe("Hi");
    // The same name twice, in one field and in two.
    expect(await buildMultiModalInput({}, { files: [inMemory, inMemory], more: [inMemory] })).toHaveLength(3);
  });

  it("takes the one file of this package's own middleware", async () => {
    expect(await buildMultiModalInput({}, file("image/x"))).toHaveLength(1);
  });

  it.each<[string, unknown, string]>([
    ["a string", "plan.pdf", "files must be"],
    ["a file without bytes", [{ mimetype: "image/png", originalname: "a.png" }], "files[0] must be"],
    ["a file without a type", [inMemory, { buffer: Buffer.from("x") }], "files[1] must be"],
    ["null in an array", [null], "files[0] must be"],
    ["a string of bytes", [{ mimetype: "image/png", buffer: "abc" }], "files[0] must be"],
    ["a field that is no array", { files: inMemory }, 'files["files"] must be'],
    ["a number", 7, "files must be"],
  ])("refuses files of another form: %s", async (_, files, message) => {
    await expect(buildMultiModalInput({ input: "Hi" }, files as never)).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(message) as string,
    });
  });

  it("rejects with the error of the disk when a file is gone", async () => {
    const gone = { mimetype: "image/png", path: join(tmpdir(), "no-such-upload") };

    await expect(buildMultiModalInput({}, [gone])).rejects.toMatchObject({ code: "ENOENT" });
  });
});
