import { createLogger, InMemoryStorage, InMemoryVectorStore } from "@troupe/core";
import type { Agent } from "@troupe/core";
import { OfflineEmbeddings, OfflineModel } from "@troupe-internal/offline-model";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSupport } from "./agents.ts";
import { ProjectDocs } from "./project-docs.ts";
import { suggestions } from "./suggestions.ts";

/** Questions about the documentation, with the page that answers each. */
const pages: Readonly<Record<string, string>> = {
  "How do I write a storage driver?": "docs/guide/write-a-storage-driver.md",
  "Can a run survive a restart of the server?": "docs/guide/durable-runs.md",
  "How do I run a durable run over HTTP?": "docs/guide/durable-runs.md",
};

describe("the support agent of the demo, offline", () => {
  const embeddings = new OfflineEmbeddings();
  const logger = createLogger({ level: "error" });
  const storage = new InMemoryStorage();
  let docs: ProjectDocs;
  let support: Agent;

  beforeAll(async () => {
    const vectorStore = new InMemoryVectorStore({ embeddings });
    docs = new ProjectDocs({ embeddings, vectorStore, storage, logger });
    await docs.fill();
    support = createSupport({ model: new OfflineModel({ wordMs: 0 }), storage }, docs.tool);
  });
  afterAll(async () => await docs.close());

  it("is asked only questions whose page is known here", () => {
    expect(Object.keys(pages)).toEqual(expect.arrayContaining([...(suggestions["support"] ?? [])]));
  });

  it.each(Object.entries(pages))("answers %j from %s", async (question, page) => {
    const { text, sources = [] } = await support.run(question);

    expect(text).toContain(`Quoted from ${page}`);
    expect(sources[0]).toMatchObject({ title: expect.stringMatching(new RegExp(`^${page}(#|$)`)) as string });
    expect(sources[0]?.passage?.length).toBeGreaterThan(100);
  });
});
