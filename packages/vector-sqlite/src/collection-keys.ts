import { hash } from "node:crypto";
import { filterTerms } from "@troupe/core/vector";
import type { MetadataFilter } from "@troupe/core/vector";
import type { WindowSize } from "./key-windows.ts";
import type { SqliteConnection, SqliteRow } from "./sqlite-connection.ts";
import { keysOf } from "./vector-tables.ts";
import type { KeyRange, VectorTables } from "./vector-tables.ts";

/** A filter for a statement: the term that the fewest documents have, and the other terms as JSON. */
export type TermFilter = { readonly rarest: string; readonly others: string };

/** Looks up the integer primary keys of one collection's documents over one SQLite connection. */
export class CollectionKeys {
  readonly tables: VectorTables;
  readonly connection: SqliteConnection;
  readonly #all: KeyRange;

  constructor(tables: VectorTables, connection: SqliteConnection, number: number) {
    this.tables = tables;
    this.connection = connection;
    this.#all = keysOf(number);
  }

  /** Returns the range of existing keys. The range is empty if there are none. */
  bounds(): KeyRange {
    const { after, last } = this.#all;
    const [first, highest] = [this.tables.firstKey, this.tables.lastKey].map((sql) =>
      toNumber(this.connection.row(sql, after, last)?.[0]),
    );
    return { after: (first ?? after + 1) - 1, last: highest ?? after };
  }

  /** Returns the stored form of a filter, or `undefined` for an empty filter. */
  termsOf(filter: MetadataFilter): TermFilter | undefined {
    const { after, last } = this.#all;
    const terms = filterTerms(filter).map(hashOf);
    const counts = new Map<string, number>();
    if (terms.length > 1)
      for (const term of terms)
        counts.set(term, Number(this.connection.row(this.tables.count, term, after, last, 1000)?.[0]));
    const [rarest, ...others] = terms.toSorted((one, other) => (counts.get(one) ?? 0) - (counts.get(other) ?? 0));
    return rarest === undefined ? undefined : { rarest, others: JSON.stringify(others) };
  }

  /** Returns the size of the windows in which a search reads vectors. Only vectors that match the filter count. */
  windowSize(dimensions: number, terms: TermFilter | undefined): WindowSize {
    // The vectors in the largest window take about 10 milliseconds. Very short vectors take little more time than their
    // rows.
    const most = Math.min(8192, Math.max(16, Math.ceil(2 ** 22 / dimensions)));
    if (terms === undefined) return { most };
    const { endOf } = this.tables;
    const { last } = this.#all;
    return {
      most,
      endOf: (after, count) => toNumber(this.connection.row(endOf, terms.rarest, after, last, count)?.[0]),
    };
  }

  /** Returns the keys of the documents that match a filter. */
  matching(filter: MetadataFilter): number[] {
    const { rarest = "", others = "[]" } = this.termsOf(filter) ?? {};
    const { after, last } = this.#all;
    return this.connection.rows(this.tables.keysWith, rarest, after, last, others).map(([key]) => Number(key));
  }
}

/** Returns the stored form of a term: its hash, because a term may be as long as the metadata. */
export function hashOf(term: string): string {
  return hash("sha256", term, "base64").slice(0, 22);
}

/** Converts a number in a row to a JavaScript number; null and undefined become undefined. */
export function toNumber(value: SqliteRow[number]): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
