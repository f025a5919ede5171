import { describe, expect, it } from "vitest";
import { readDocument } from "./read-document.ts";

const read = async (name: string, content: string) => await readDocument(Buffer.from(content), { name });

describe("readDocument of large HTML", () => {
  it.each([
    ["nests deep", "<div>".repeat(50_000) + "text"],
    ["never closes", "<a href='".repeat(50_000)],
    ["has many table cells", `<table><tr>${"<th>a".repeat(50_000)}text`],
  ])("reads a document that %s", async (_name, html) => {
    expect((await read("a.html", html)).content.length).toBeLessThan(400_000);
  });

  it("ends in a sentence if its tree needs too much memory", async () => {
    await expect(read("a.html", "<b>".repeat(2_000_000))).rejects.toMatchObject({
      code: "invalid_value",
      message: "The HTML document needs too much memory.",
    });
  });
});
