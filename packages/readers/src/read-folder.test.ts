import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemoryVectorStore, KnowledgeBase } from "@troupe/core";
import type { SyncDocument } from "@troupe/core";
import { FakeEmbeddings } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { readFolder } from "./read-folder.ts";

function makeFolder(files: Record<string, string>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-readers-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

async function all(documents: AsyncIterable<SyncDocument>): Promise<SyncDocument[]> {
  const found: SyncDocument[] = [];
  for await (const document of documents) found.push(document);
  return found;
}

describe("readFolder", () => {
  it("lists files of known formats in all folders, sorted, with a hash of their bytes", async () => {
    const files = { "b.txt": "B", "a/c.md": "# C", "a/d.bin": "x", ".hidden.txt": "x", "node_modules/x.md": "x" };
    const folder = makeFolder(files);
    const documents = await all(readFolder(folder));
    const again = await all(readFolder(folder));

    expect(documents.map(({ id }) => id)).toEqual(["b.txt", "a/c.md"]);
    expect(again.map(({ hash }) => hash)).toEqual(documents.map(({ hash }) => hash));
    expect(await documents[1]?.read()).toEqual({ content: "# C", metadata: { title: "C" } });
    writeFileSync(join(folder, "b.txt"), "B2");
    expect((await all(readFolder(folder)))[0]?.hash).not.toBe(documents[0]?.hash);
  });

  it("chooses files and adds metadata by their paths", async () => {
    const folder = makeFolder({ "a.txt": "A", "b.txt": "B" });
    const metadata = (path: string) => ({ url: `https://a.example/${path}` });
    const [only, ...others] = await all(readFolder(folder, { include: (path) => path === "b.txt", metadata }));

    expect(others).toEqual([]);
    expect(await only?.read()).toEqual({ content: "B", metadata: { url: "https://a.example/b.txt" } });
    expect(only?.hash).not.toBe((await all(readFolder(folder)))[1]?.hash);
  });

  it("follows no link", async () => {
    const secret = makeFolder({ "secret.txt": "S" });
    const folder = makeFolder({ "a.txt": "A" });
    symlinkSync(join(secret, "secret.txt"), join(folder, "link.txt"));
    symlinkSync(secret, join(folder, "folder"));
    symlinkSync(folder, join(folder, "loop"));

    expect((await all(readFolder(folder))).map(({ id }) => id)).toEqual(["a.txt"]);
  });

  it("gives a document that fails for a file beyond a limit, and an error for a folder that does not exist", async () => {
    const folder = makeFolder({ "a.txt": "12345", "b.txt": "1" });
    const [large, small] = await all(readFolder(folder, { maxBytes: 4 }));

    await expect(large?.read()).rejects.toThrow("The document has 5 bytes, expected at most 4 (maxBytes).");
    expect(await small?.read()).toMatchObject({ content: "1" });
    await expect(all(readFolder(join(folder, "none")))).rejects.toThrow("The folder cannot be read.");
    expect(() => readFolder("")).toThrow("path must be the path of a folder");
    expect(() => readFolder(folder, { depth: 1 } as never)).toThrow("depth");
  });

  it("keeps a knowledge base equal to a folder", async () => {
    const folder = makeFolder({ "a.txt": "A", "b.html": "<h1>B</h1>", "c.jsonl": "broken" });
    const embeddings = new FakeEmbeddings();
    const knowledge = new KnowledgeBase({ name: "docs", vectorStore: new InMemoryVectorStore({ embeddings }) });
    const first = await knowledge.sync(readFolder(folder), { prefix: "docs/" });
    rmSync(join(folder, "a.txt"));
    const second = await knowledge.sync(readFolder(folder), { prefix: "docs/" });

    expect(first).toMatchObject({ stored: 2, failed: 1, failures: [{ id: "docs/c.jsonl" }] });
    expect(second).toMatchObject({ stored: 0, unchanged: 1, deleted: 1 });
    expect((await knowledge.get("docs/b.html"))?.content).toBe("# B");
  });
});

describe("the files of a folder", () => {
  it("come in the order of their names, those of a folder before those below it, and folders in their order", async () => {
    const names = [
      "b/2.md",
      "b/1.md",
      "b/c/3.md",
      "z.md",
      "a/é.MD",
      "a.b/x.md",
      "B.md",
      "node_modules.md",
      "d/node_modules/x.md",
    ];
    const folder = makeFolder(Object.fromEntries(names.map((name) => [name, name])));

    expect((await all(readFolder(folder))).map(({ id }) => id)).toEqual([
      "B.md",
      "node_modules.md",
      "z.md",
      "a/é.MD",
      "a.b/x.md",
      "b/1.md",
      "b/2.md",
      "b/c/3.md",
    ]);
  });

  it("are asked for by their ids, and only if their format is known", async () => {
    const folder = makeFolder({ "a/b.txt": "x", "c.bin": "x" });
    const asked: string[] = [];
    const include = (path: string) => asked.push(path) > 0;
    await all(readFolder(folder, { include }));

    expect(asked).toEqual(["a/b.txt"]);
  });

  it("have the same hash as ever, which other metadata changes, and metadata that go before their own", async () => {
    const folder = makeFolder({ "a.md": "# Own\n" });
    const [plain] = await all(readFolder(folder));
    const [other] = await all(readFolder(folder, { metadata: () => ({ title: "Given", a: 1 }) }));

    expect(plain?.hash).toBe("f442ab138310f23b9e86400b3ce144b767ac5269874e0a2cb364d452fb4c041f");
    expect(other?.hash).not.toBe(plain?.hash);
    expect(await other?.read()).toEqual({ content: "# Own\n", metadata: { title: "Given", a: 1 } });
  });

  it("are read with the limits of the folder, of which each is taken", async () => {
    const folder = makeFolder({ "a.txt": "é" });
    const read = async (maxBytes: number) => await (await all(readFolder(folder, { maxBytes })))[0]?.read();

    expect(await read(2)).toMatchObject({ content: "é" });
    await expect(read(1)).rejects.toThrow("The document has 2 bytes, expected at most 1 (maxBytes).");
  });
});
