import { TroupeError } from "../../src/base/errors/troupe-error.ts";
import type { VectorDocument } from "../../src/knowledge/vector/vector-store.ts";
import type { vectorStoreCases } from "../../src/testing/conformance/vector-store-cases.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { meanwhile } from "./wrong-storage.ts";
import { keeping, storeBut } from "./wrong-vector-store.ts";
import type { WholeVectorStore } from "./wrong-vector-store.ts";

/** Stores with mistakes in stored documents. */
export const wrongVectorDocuments = {
  "returns a document with its embedding as 32-bit floats": () =>
    keeping(({ embedding, ...rest }) => ({ ...rest, embedding: (embedding ?? []).map(Math.trunc).with(1, -2) })),
  "returns null for a document that was never stored": () =>
    storeBut((right) => ({ get: async (id) => (await right.get(id)) ?? { id, content: "" } })),
  "replaces a document as a whole": () =>
    storeBut((right) => ({
      upsert: async (document) => await right.upsert({ ...(await right.get(document.id)), ...document }),
    })),
  "deletes a document": () => storeBut(() => ({ delete: async () => {} })),
  "finds a document by its second vector, content and metadata alone": () =>
    storeBut((right) => ({
      upsert: async (document) => {
        const known = await right.get(document.id);
        await right.upsert(known?.embedding === undefined ? document : { ...document, embedding: known.embedding });
      },
    })),
  "finds the documents that are left when others were deleted, each by its own vector": () =>
    storeBut((right) => ({
      // The next document takes the vector of the deleted one.
      delete: async (id) => {
        const gone = await right.get(id);
        await right.delete(id);
        const [next] = gone?.embedding === undefined ? [] : await right.search(gone.embedding, { topK: 1 });
        if (next !== undefined) await right.upsert({ ...next.document, embedding: gone?.embedding ?? [1, 0] });
      },
    })),
  "clears a second time, and finds nothing of what was cleared": () => {
    let isCleared = false;
    return storeBut((right) => ({
      clear: async () => {
        if (!isCleared) await right.clear();
        isCleared = true;
      },
    }));
  },
  "deletes an absent document without an error": () =>
    storeBut(() => ({
      delete: async () => {
        throw new TroupeError("not_found", "Nothing to delete.");
      },
    })),
  "clears all documents and accepts new ones": () =>
    storeBut((right) => ({ clear: async () => await right.delete("a") })),
  "takes every character of an id literally": () =>
    storeBut((right) => ({
      delete: async (id) => {
        if (id.includes("'")) await right.clear();
        else await right.delete(id);
      },
    })),
  "shares no object with its callers": () =>
    storeBut((right) => {
      const live = new Map<string, VectorDocument>();
      return {
        upsert: async (document) => {
          live.set(document.id, document);
          await right.upsert(document);
        },
        get: async (id) => live.get(id) ?? null,
      };
    }),
  "stores the document as it was at the call": () =>
    storeBut((right) => ({
      upsert: async (document) => {
        await meanwhile();
        await right.upsert(document);
      },
    })),
  "refuses an id that storage would refuse as a key": () =>
    keeping((document) => ({ ...document, id: document.id.replaceAll("\0", "") })),
  "refuses content that is not a well-formed string": () =>
    keeping((document) => ({ ...document, content: document.content.toWellFormed() })),
  "refuses content of more than 8 MB, and a NUL character": () =>
    keeping((document) => ({ ...document, content: document.content.replaceAll("\0", "") })),
  "refuses metadata that is not JSON": () =>
    keeping((document) => ({
      ...document,
      metadata: JSON.parse(JSON.stringify(document.metadata ?? {}, bigintAsText)) as Record<string, unknown>,
    })),
  "refuses vectors that are not finite, are zero or have another length": () =>
    keeping((document) => ({ ...document, embedding: [...(document.embedding ?? []), 1, 1].slice(0, 2) })),
  "keeps the old document when it refuses the new one": () =>
    storeBut((right) => ({
      upsert: async (document) => {
        await right.delete(document.id);
        await right.upsert(document);
      },
    })),
  "refuses a document without an embedding when the store has no embeddings": () =>
    keeping((document) => ({ embedding: [1, 1], ...document })),
  "keeps every one of many documents stored at once": () =>
    storeBut((right) => {
      let busy = false;
      return {
        upsert: async (document) => {
          if (busy) return;
          busy = true;
          await meanwhile();
          await right.upsert(document);
          busy = false;
        },
      };
    }),
  "closes twice": () => {
    let isClosed = false;
    return storeBut(() => ({
      close: async () => {
        if (isClosed) throw new TroupeError("storage_unavailable", "Closed already.");
        isClosed = true;
      },
    }));
  },
  "refuses every call after it was closed": () => storeBut(() => ({ close: async () => {} })),
} satisfies Partial<WrongSubjects<WholeVectorStore, typeof vectorStoreCases>>;

function bigintAsText(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
