import { TroupeError } from "../../src/base/errors/troupe-error.ts";
import type { VectorChange } from "../../src/knowledge/vector/vector-store.ts";
import type { vectorWriteCases } from "../../src/testing/conformance/vector-optional-cases.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { meanwhile } from "./wrong-storage.ts";
import { storeBut } from "./wrong-vector-store.ts";
import type { WholeVectorStore } from "./wrong-vector-store.ts";

/** Stores with mistakes in changes, in their start and in the name of the model. */
export const wrongVectorWrites = {
  "initializes many times, also at once and after the first document": () =>
    storeBut((right) => ({ initialize: async () => await right.clear() })),
  "stores and removes documents in one change": () =>
    writing((right, { deleteWhere: _ignored, ...change }) => right.write(change)),
  "stores a document that the same change removes": () =>
    writing(async (right, { upsert, ...removed }) => {
      await right.write({ upsert });
      await right.write(removed);
    }),
  "keeps the last of several documents with one id": () =>
    writing((right, { upsert, ...removed }) => right.write({ upsert: upsert?.toReversed(), ...removed })),
  "removes by a filter what a search with it finds": () =>
    writing((right, { deleteWhere, ...change }) => {
      const isPath = Object.keys(deleteWhere ?? {}).some((name) => name.includes("."));
      return right.write(isPath ? change : { deleteWhere, ...change });
    }),
  "changes nothing when it refuses a part of a change": () =>
    writing(async (right, { upsert = [], ...removed }) => {
      for (const document of upsert) await right.write({ upsert: [document] });
      await right.write(removed);
    }),
  "stores many documents in one change": () =>
    writing((right, { upsert, ...removed }) => right.write({ upsert: upsert?.slice(0, 1000), ...removed })),
  "takes an empty change": () =>
    writing(async (right, change) => {
      if (Object.keys(change).length === 0) throw new TroupeError("invalid_value", "The change is empty.");
      await right.write(change);
    }),
  "shows a reader all of a change or none": () => {
    let isSearched = () => {};
    return storeBut((right) => ({
      search: async (...args) => {
        const found = await right.search(...args);
        isSearched();
        return found;
      },
      write: async ({ upsert, ...removed }) => {
        await right.write(removed);
        if (removed.deleteWhere !== undefined) await new Promise<void>((resolve) => (isSearched = resolve));
        await right.write({ upsert });
      },
    }));
  },
  "remembers the first name of a model until it is cleared": () =>
    storeBut(() => ({ rememberModel: async (model) => model })),
  "remembers one name when many are told at once": () =>
    storeBut(() => {
      let kept: string | undefined;
      return {
        rememberModel: async (model) => {
          if (kept !== undefined) return kept;
          await meanwhile();
          kept = model;
          return model;
        },
      };
    }),
  "refuses the optional calls after it was closed": () => storeBut(() => ({ initialize: async () => {} })),
} satisfies WrongSubjects<WholeVectorStore, typeof vectorWriteCases>;

function writing(write: (right: WholeVectorStore, change: VectorChange) => Promise<void>): WholeVectorStore {
  return storeBut((right) => ({ write: async (change) => await write(right, change) }));
}
