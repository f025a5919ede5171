import { describe, expect, it } from "vitest";
import { readUploadOptions } from "./upload-options.ts";

const read = (options: unknown) => readUploadOptions(options, { path: "fileUpload" });
const refused = (message: string) =>
  expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) }) as Error;

describe("readUploadOptions", () => {
  it("fills in the defaults", () => {
    expect(read({})).toEqual({
      maxFileSize: 52_428_800,
      maxFiles: 10,
      maxTotalSize: 524_288_000,
      maxFieldSize: 1_048_576,
    });
  });

  it("allows all files together what they may have one by one, unless told otherwise", () => {
    expect(read({ maxFiles: 2, maxFileSize: 5 }).maxTotalSize).toBe(10);
    expect(read({ maxFiles: 2, maxFileSize: 5, maxTotalSize: 7 }).maxTotalSize).toBe(7);
    expect(read({ maxFiles: 2, maxFileSize: 5, maxTotalSize: undefined }).maxTotalSize).toBe(10);
  });

  it("takes limits of 1, and types in any case", () => {
    const least = { maxFileSize: 1, maxFiles: 1, maxTotalSize: 1, maxFieldSize: 1 };

    expect(read({ ...least, allowedMimeTypes: ["Image/PNG", "audio/*", "application/vnd.a+b-c.d"] })).toEqual({
      ...least,
      allowedMimeTypes: ["image/png", "audio/*", "application/vnd.a+b-c.d"],
    });
  });

  it.each(["maxFileSize", "maxFiles", "maxTotalSize", "maxFieldSize"])("refuses a %s that is no limit", (name) => {
    for (const value of [0, -1, 1.5, "1", null, Infinity]) {
      expect(() => read({ [name]: value })).toThrow(refused(`fileUpload.${name} must be`));
    }
  });

  it("refuses files that no string holds", () => {
    expect(() => read({ maxFileSize: Number.MAX_SAFE_INTEGER })).toThrow(refused("fileUpload.maxFileSize"));
  });

  it.each([
    [[]],
    ["image/png"],
    [["image"]],
    [["*/*"]],
    [["*"]],
    [["image/png; a=b"]],
    [["image/"]],
    [["/png"]],
    [[7]],
  ])("refuses the types %j", (allowedMimeTypes) => {
    expect(() => read({ allowedMimeTypes })).toThrow(refused("fileUpload.allowedMimeTypes"));
  });
});
