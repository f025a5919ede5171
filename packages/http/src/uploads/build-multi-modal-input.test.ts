import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildMultiModalInput } from "./build-multi-modal-input.ts";
import type { RequestFiles } from "./request-fields.ts";

const bytes = Buffer.from("QUJD", "base64");
const multer = (mimetype: string, more: object = {}) => ({ mimetype, buffer: bytes, ...more });
const own = (mimeType: string, more: object = {}) => ({
  mimeType,
  size: 3,
  read: () => Promise.resolve(bytes),
  ...more,
});
const image = { type: "image", data: "QUJD", mimeType: "image/png" };
const png = multer("image/png");

describe("buildMultiModalInput", () => {
  it.each<[string, object | null | undefined, unknown]>([
    ["no body", undefined, ""],
    ["null", null, ""],
    ["a body without input", {}, ""],
    ["a text", { input: " Hello. " }, " Hello. "],
    ["content parts", { input: [{ type: "text", text: "a" }] }, [{ type: "text", text: "a" }]],
  ])("takes %s without files", async (_, body, input) => {
    expect(await buildMultiModalInput(body)).toEqual(input);
    expect(await buildMultiModalInput(body, null)).toEqual(input);
    expect(await buildMultiModalInput(body, [])).toEqual(input);
  });

  it.each<[string, unknown, unknown[]]>([
    ["a text", "See:", [{ type: "text", text: "See:" }, image]],
    ["a blank text", " \n", [image]],
    ["no input", undefined, [image]],
    ["no parts", [], [image]],
    ["parts", [{ type: "text", text: "a" }], [{ type: "text", text: "a" }, image]],
  ])("puts files behind %s", async (_, input, parts) => {
    expect(await buildMultiModalInput({ input }, [png as never])).toEqual(parts);
  });

  it("leaves the parts of the body as they were", async () => {
    const input = [{ type: "text", text: "a" }];
    await buildMultiModalInput({ input }, [png]);

    expect(input).toHaveLength(1);
  });

  it.each<[string, object, object]>([
    ["an image", multer("image/png", { originalname: "a.png" }), image],
    ["a sound", multer("audio/wav"), { type: "audio", data: "QUJD", mimeType: "audio/wav" }],
    ["a file", multer("text/plain"), { type: "file", data: "QUJD", mimeType: "text/plain" }],
    [
      "a name without its folders",
      multer("text/plain", { originalname: "C:\\secret/a.txt" }),
      { type: "file", data: "QUJD", mimeType: "text/plain", filename: "a.txt" },
    ],
    ["a type in capitals, with parameters", multer("Image/PNG ; charset=x"), image],
    [
      "a part of a larger buffer",
      multer("image/png", { buffer: new Uint8Array([9, 65, 66, 67, 9]).subarray(1, 4) }),
      image,
    ],
    ["a file of this package", own("image/png"), image],
    [
      "a file of this package with its name",
      own("application/pdf", { filename: "a.pdf" }),
      { type: "file", data: "QUJD", mimeType: "application/pdf", filename: "a.pdf" },
    ],
  ])("reads %s", async (_, file, part) => {
    expect(await buildMultiModalInput({}, [file as never])).toEqual([part]);
  });

  it("reads a file of multer from disk", async () => {
    const path = join(tmpdir(), `troupe-${randomUUID()}`);
    onTestFinished(async () => await rm(path, { force: true }));
    await writeFile(path, bytes);

    expect(await buildMultiModalInput({}, { mimetype: "image/png", path })).toEqual([image]);
  });

  it("takes files in each form that a middleware gives them, in their order", async () => {
    const text = multer("text/plain");
    const file = { type: "file", data: "QUJD", mimeType: "text/plain" };
    const forms: [unknown, unknown[]][] = [
      [png, [image]],
      [own("image/png"), [image]],
      [
        [png, text],
        [image, file],
      ],
      [{ b: [text, png], a: [png], none: [] }, [file, image, image]],
    ];
    for (const [files, parts] of forms) {
      expect(await buildMultiModalInput({}, files as RequestFiles)).toEqual(parts);
    }
    expect(await buildMultiModalInput({ input: "a" }, { none: [] })).toBe("a");
  });

  it.each<[string, unknown, string]>([
    ["a text as files", "a.png", "files must be an array of uploaded files"],
    ["a file that is no array in a field", { photo: {} }, 'files["photo"] must be an array of uploaded files'],
    ["null among files", [null], "files[0] must be an uploaded file"],
    ["a file without a type", [png, { buffer: bytes }], "files[1] must be an uploaded file"],
    ["a file without content", [{ mimetype: "a/b" }], "files[0] must be an uploaded file"],
    ["a text as content", [{ mimetype: "a/b", buffer: "QUJD" }], "files[0] must be an uploaded file"],
    ["a number as path", [{ mimetype: "a/b", path: 7 }], "files[0] must be an uploaded file"],
    ["a type of this package without read", [{ mimeType: "a/b" }], "files[0] must be an uploaded file"],
  ])("refuses %s", async (_, files, message) => {
    await expect(buildMultiModalInput({}, files as RequestFiles)).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(message),
    });
  });

  it.each([7, true, {}, [{}], ["a"], [{ type: "video", data: "x" }]])("refuses the input %j", async (input) => {
    await expect(buildMultiModalInput({ input })).rejects.toMatchObject({ code: "invalid_request" });
    await expect(buildMultiModalInput({ input }, [png as never])).rejects.toMatchObject({ code: "invalid_request" });
  });
});
