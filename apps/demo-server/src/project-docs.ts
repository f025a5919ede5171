import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, KnowledgeBase } from "@troupe/core";
import type { EmbeddingProvider, Logger, StorageDriver, ToolDef, VectorStore } from "@troupe/core";

/** The root of the repository, found from `src` as well as from `dist`. */
const root = join(import.meta.dirname, "../../..");

/** The pages of the documentation that are stored in the knowledge base. */
const pagePatterns = ["README.md", "docs/*.md", "docs/guide/*.md", "packages/*/README.md", "apps/*/README.md"];

/**
 * The list of the guide's pages. It is left out of the knowledge base: it shares words with every question but answers
 * none.
 */
const listOfPages = join("docs", "guide", "README.md");

/** Number of pages of the documentation that are stored together. */
const pagesAtOnce = 3;

/**
 * Milliseconds between two batches, so that sessions and runs can be stored in the same file: SQLite has only one
 * writer at a time.
 */
const pauseMs = 40;

/** The objects from which the knowledge base with the project's documentation is made. */
export type ProjectDocsParts = {
  readonly embeddings: EmbeddingProvider;
  readonly vectorStore: VectorStore;
  /** Stores a hash of the stored pages, so that a restart does not store them again. */
  readonly storage: StorageDriver;
  readonly logger: Logger;
};

/** The documentation of this project as a knowledge base, which is filled in the background. */
export class ProjectDocs {
  /** The tool that searches the documentation. A search waits until the pages are stored. */
  readonly tool: ToolDef;
  readonly #parts: ProjectDocsParts;
  readonly #knowledge: KnowledgeBase;
  #filled: Promise<void> | undefined;

  constructor(parts: ProjectDocsParts) {
    const { vectorStore, embeddings } = parts;
    // Vectors of two models cannot be compared, so each model has a collection of its own.
    const collection = `troupe-docs-${embeddings.modelId ?? "any"}`;
    this.#parts = parts;
    this.#knowledge = new KnowledgeBase({
      name: "docs",
      collection,
      vectorStore,
      chunking: { size: 500, overlap: 50 },
    });
    const { parameters, execute, ...tool } = this.#knowledge.asTool({
      description: "Searches the documentation of Troupe, and gives the passages that fit the query best.",
    });
    this.tool = defineTool({
      ...tool,
      parameters,
      execute: async (args, context) => {
        await this.fill();
        return await execute(args as Record<string, unknown>, context);
      },
    });
  }

  /**
   * Stores the pages of the documentation, unless they are already stored. Throws if that fails; the next call tries
   * again.
   */
  async fill(): Promise<void> {
    this.#filled ??= this.#store().catch((error: unknown) => {
      this.#filled = undefined;
      throw error;
    });
    await this.#filled;
  }

  /** Starts to store the pages of the documentation. Logs a failure; the next search tries again. */
  fillInBackground(): void {
    this.fill().catch((error: unknown) => {
      this.#parts.logger.warn("The documentation could not be stored in the knowledge base.", { error });
    });
  }

  async close(): Promise<void> {
    await this.#filled?.catch(() => undefined);
    await this.#knowledge.close();
  }

  async #store(): Promise<void> {
    const { storage, embeddings } = this.#parts;
    const files = globSync(pagePatterns, { cwd: root }).filter((file) => file !== listOfPages);
    const pages = files.toSorted().map((file) => ({ id: file, content: readFileSync(join(root, file), "utf8") }));
    const key = `docs-${embeddings.modelId ?? "any"}`;
    const hash = createHash("sha256").update(JSON.stringify(pages)).digest("hex");
    const [first] = pages;
    const isStored = (await storage.get("demo", key)) === hash && first !== undefined;
    // The vector store may have been emptied or replaced since the hash was stored.
    if (isStored && (await this.#knowledge.get(first.id)) !== null) return;
    for (let from = 0; from < pages.length; from += pagesAtOnce) {
      await this.#knowledge.addDocuments(pages.slice(from, from + pagesAtOnce));
      await sleep(pauseMs);
    }
    await storage.set("demo", key, hash);
  }
}
