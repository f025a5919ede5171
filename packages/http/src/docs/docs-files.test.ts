import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Exchange } from "@troupe/core/transport";
import { describe, expect, it, onTestFinished } from "vitest";
import { DocsFiles, sendText } from "./docs-files.ts";

/** A request for a file, and what is sent for it. */
function ask(headers: Record<string, string> = {}) {
  const sent: { status: number; headers: Record<string, unknown>; body?: Buffer | string }[] = [];
  const send = (status: number, given: Record<string, unknown>, body?: Buffer | string) =>
    void sent.push({ status, headers: given, ...(body !== undefined && { body }) });
  return { exchange: { headers, send } as unknown as Exchange, sent };
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "docs-files-"));
  onTestFinished(async () => await rm(path, { recursive: true }));
  return path;
}

const texts = ["", "plain", "é", "日本語", "😀 and \u0000", "e\u0301\n".repeat(300)];

describe("a text of the docs", () => {
  it.each(texts)("has its length in bytes: %j", (text) => {
    const { exchange, sent } = ask();
    sendText(exchange, "text/html", text);
    const headers = { "Content-Type": "text/html; charset=utf-8", "Content-Length": Buffer.from(text).length };
    expect(sent).toMatchObject([{ status: 200, headers, body: text }]);
  });

  it("differs in its tag from each other text", () => {
    const tags = texts.map((text) => {
      const { exchange, sent } = ask();
      sendText(exchange, "text/html", text);
      return sent[0]?.headers["ETag"];
    });
    expect(new Set(tags).size).toBe(texts.length);
  });
});

describe("a file of the docs", () => {
  it.each(texts)("is sent as it is stored, with its length in bytes: %j", async (text) => {
    const path = await folder();
    await writeFile(join(path, "ä.css"), text);
    const { exchange, sent } = ask();
    await new DocsFiles(path).send(exchange, "ä.css");
    const bytes = Buffer.from(text);
    const headers = { "Content-Type": "text/css; charset=utf-8", "Content-Length": bytes.length };
    expect(sent).toMatchObject([{ status: 200, headers, body: bytes }]);
  });

  it("is read once, even by requests that come together", async () => {
    const path = await folder();
    await writeFile(join(path, "a.js"), "1");
    const files = new DocsFiles(path);
    const first = ask();
    const asked = [first, ask(), ask()];
    await Promise.all(asked.slice(1).map(({ exchange }) => files.send(exchange, "a.js")));
    await writeFile(join(path, "a.js"), "2");
    await files.send(first.exchange, "a.js");
    expect(asked.map(({ sent }) => String(sent[0]?.body))).toEqual(["1", "1", "1"]);
  });

  it.each([1, 2, 3])("is read again after %i requests together found it unreadable", async (count) => {
    const path = await folder();
    const files = new DocsFiles(path);
    const failing = Array.from({ length: count }, () => files.send(ask().exchange, "a.png"));
    const outcomes = await Promise.allSettled(failing);
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => "rejected"));
    await writeFile(join(path, "a.png"), "x");
    await writeFile(join(path, "b.txt"), "y");
    for (const [name, type] of [
      ["a.png", "image/png"],
      ["b.txt", "application/octet-stream"],
    ] as const) {
      const { exchange, sent } = ask();
      await files.send(exchange, name);
      expect(sent).toMatchObject([{ status: 200, headers: { "Content-Type": type } }]);
    }
  });

  it.each([
    ["the tag", (tag: string) => tag, 304],
    ["the tag among others", (tag: string) => `"x", ${tag} ,"y"`, 304],
    ["the tag as a weak one", (tag: string) => `W/${tag}`, 304],
    ["any tag", () => "*", 304],
    ["another tag", () => '"x"', 200],
    ["the tag without quotes", (tag: string) => tag.slice(1, -1), 200],
  ])("is answered for %s with its status and its tag", async (_what, toHeader, status) => {
    const path = await folder();
    await writeFile(join(path, "a.js"), "1");
    const files = new DocsFiles(path);
    const first = ask();
    await files.send(first.exchange, "a.js");
    const tag = String(first.sent[0]?.headers["ETag"]);
    const { exchange, sent } = ask({ "if-none-match": toHeader(tag) });
    await files.send(exchange, "a.js");
    expect(sent).toMatchObject([{ status, headers: { ETag: tag, "Cache-Control": "no-cache" } }]);
    expect("body" in (sent[0] ?? {})).toBe(status === 200);
  });
});
