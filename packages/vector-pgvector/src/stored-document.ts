import type { DocumentFields, StoredDocument } from "@troupe/core/vector";
import type { SqlStatement } from "@troupe-internal/postgres";
import { storedVectors } from "./collection-table.ts";

/** Converts vectors to and from the text that pgvector reads and writes. */
export type VectorFormat = {
  readonly write: (vector: ArrayLike<number>) => string;
  readonly read: (text: string) => number[];
};

/** A row of a collection's table, with metadata as JSON text. */
export type DocumentRow = { readonly id: string; readonly content: string; readonly metadata: string | null };

/** Limits of one statement that stores documents. A larger statement needs more memory, and may exceed its timeout. */
const [documentsAtOnce, charactersAtOnce] = [200, 4_000_000];

/** Returns the document of a row. */
export function toDocument({ id, content, metadata }: DocumentRow): DocumentFields {
  if (metadata === null) return { id, content };
  return { id, content, metadata: JSON.parse(metadata) as Record<string, unknown> };
}

/** The destination of documents: the quoted name of the table, and the quoted schema of the extension. */
export type InsertTarget = { readonly name: string; readonly extensionSchema: string; readonly format: VectorFormat };

/** Returns the statements that store documents, each for some of them. */
export function* insertStatements(documents: readonly StoredDocument[], target: InsertTarget): Generator<SqlStatement> {
  // The documents are sorted by id, so that concurrent changes of the same documents wait for each other instead of
  // deadlocking.
  const ordered = documents.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const sql = insertSql(target);
  let columns = emptyColumns();
  let characters = 0;
  for (const { id, content, metadata, vector, length } of ordered) {
    const { embedding, original } = storedVectors({ vector, length });
    const { write } = target.format;
    columns[0].push(id);
    columns[1].push(content);
    columns[2].push(metadata === undefined ? null : JSON.stringify(metadata));
    columns[3].push(write(embedding));
    columns[4].push(original === undefined ? null : write(original));
    characters += columns.reduce((sum, column) => sum + (column.at(-1)?.length ?? 0), 0);
    if (columns[0].length < documentsAtOnce && characters < charactersAtOnce) continue;
    yield { sql, parameters: columns };
    columns = emptyColumns();
    characters = 0;
  }
  if (columns[0].length > 0) yield { sql, parameters: columns };
}

type Column = (string | null)[];

function emptyColumns(): [Column, Column, Column, Column, Column] {
  return [[], [], [], [], []];
}

function insertSql({ name, extensionSchema }: InsertTarget): string {
  return `insert into ${name} (id, content, metadata, embedding, original)
    select * from unnest($1::text[], $2::text[], $3::jsonb[], $4::${extensionSchema}.vector[], $5::${extensionSchema}.vector[])
    on conflict (id) do update set content = excluded.content, metadata = excluded.metadata,
      embedding = excluded.embedding, original = excluded.original`;
}
