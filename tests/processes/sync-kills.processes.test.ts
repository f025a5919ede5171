import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { KnowledgeBase } from "@troupe/core";
import { FakeEmbeddings } from "@troupe/core/testing";
import { SqliteVectorStore } from "@troupe/vector-sqlite";
import { expect, it, onTestFinished } from "vitest";
import { documentsOf, idsOf, textOf } from "./sync-versions.ts";

const program = fileURLToPath(new URL("sync-child.ts", import.meta.url));
const kills = Number(process.env["TROUPE_KILLS"] ?? "15");

/** Starts a process that syncs a version, and kills it at the given step. Returns false if it ended before. */
async function killAt(step: number, file: string, version: number): Promise<boolean> {
  const execArgv = ["--conditions=@troupe/source", "--no-warnings"];
  const child = fork(program, [file, String(version)], { execArgv, stdio: ["ignore", "ignore", "inherit", "ipc"] });
  let steps = 0;
  child.on("message", () => {
    steps += 1;
    if (steps === step) child.kill("SIGKILL");
  });
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  expect(signal ?? code).toBe(signal === null ? 0 : "SIGKILL");
  return signal === "SIGKILL";
}

function open(file: string) {
  const embeddings = new FakeEmbeddings();
  const vectorStore = new SqliteVectorStore(file, { embeddings, durability: "normal" });
  return {
    embeddings,
    vectorStore,
    knowledge: new KnowledgeBase({ name: "docs", vectorStore, chunking: { size: 40 } }),
  };
}

/** Returns the stored records of each document, by the document's id. */
async function recordsIn({ vectorStore }: ReturnType<typeof open>): Promise<Map<string, string[]>> {
  const { documents } = await vectorStore.collection("docs").list({ limit: 10_000 });
  const records = new Map<string, string[]>();
  for (const { id, metadata } of documents) {
    const documentId = metadata?.["documentId"];
    const of = typeof documentId === "string" ? documentId : id;
    records.set(of, [...(records.get(of) ?? []), id]);
  }
  return records;
}

/** Checks that each stored document is whole: the text of one version, and no record that is not part of it. */
async function checkWhole(file: string, version: number): Promise<void> {
  const opened = open(file);
  for (const [id, records] of await recordsIn(opened)) {
    const content = (await opened.knowledge.get(id))?.content;
    const known = Array.from({ length: version + 1 }, (_, at) => textOf(id, at));
    expect(known, id).toContain(content);
    const found = await opened.knowledge.search(content ?? "", { topK: 1000, filter: { documentId: id } });
    expect(found.map(({ document }) => document.id).toSorted(), id).toEqual(records.toSorted());
    for (const { document } of found) expect(content).toContain(document.content);
  }
  await opened.knowledge.close();
}

it("a sync that is killed at many places leaves no document half stored, and the next continues", async () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-sync-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "docs.db");
  let [killed, version] = [0, 0];
  for (let place = 1; place <= kills; place++) {
    // A new version begins when there is nothing left to kill, and every fifth time.
    if (place % 5 === 0) version += 1;
    if (await killAt(1 + (place % 9), file, version)) killed += 1;
    else version += 1;
    await checkWhole(file, version);
  }
  expect(killed).toBeGreaterThan(kills / 2);

  const { knowledge, embeddings } = open(file);
  await knowledge.sync(documentsOf(version));
  for (const id of idsOf(version)) expect((await knowledge.get(id))?.content).toBe(textOf(id, version));
  expect((await knowledge.get("doc-0")) === null).toBe(!idsOf(version).includes("doc-0"));
  const reads = new Map<string, number>();
  embeddings.calls.length = 0;
  const { unchanged, stored } = await knowledge.sync(documentsOf(version, reads));
  expect([stored, unchanged, embeddings.calls.length, reads.size]).toEqual([0, idsOf(version).length, 0, 0]);
  await knowledge.close();
});
