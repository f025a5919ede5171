import { isPointId } from "./check-request.ts";

/** An answer of Qdrant that is an error. */
export class QdrantRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Payload = Record<string, unknown>;
type Sparse = { indices: number[]; values: number[] };
type Point = { id: string | number; vector: Float32Array; words: Sparse | undefined; payload: Payload };
type Condition = {
  key?: string;
  match?: { value?: unknown };
  has_id?: (string | number)[];
};
type Filter = Partial<Record<"must" | "must_not" | "should", Condition | Condition[] | null>>;
type SentVector = number[] | { "": number[]; words?: Sparse };
type SentPoint = { id: string | number; vector: SentVector; payload?: Payload | null };

/** An operation of a batch. */
export type DoubleOperation = {
  upsert?: { points: SentPoint[]; update_filter?: Filter | null };
  delete?: { points?: (string | number)[]; filter?: Filter };
  update_vectors?: { points: { id: string | number; vector: { words: Sparse } }[] };
};

/** A search, or a request for points by their ids. */
export type DoubleQuery = {
  query: number[] | Sparse;
  using?: string | null;
  filter?: Filter | null;
  limit?: number | null;
  with_payload?: boolean | string[] | null;
  with_vector?: boolean | null;
  params?: { exact?: boolean } | null;
};

type Scored = { point: Point; score: number };

/** A request for all points, page by page. */
export type DoubleScroll = Selection & { limit: number; offset?: string };

/** The parts of a point that an answer has. */
export type Selection = Pick<DoubleQuery, "with_payload" | "with_vector">;

/**
 * A collection of the double: points that are compared one by one. A field that is filtered needs an index, as in the
 * strict mode of Qdrant's cloud.
 */
export class DoubleCollection {
  readonly size: number;
  readonly distance: string;
  metadata: unknown;
  sparseVectors: Record<string, unknown> | undefined;
  readonly indexes = new Map<string, unknown>();
  readonly points = new Map<string | number, Point>();
  /** Lets searches that are not exact miss every second point, as a way through an index may. */
  missesPoints = false;

  constructor(config: Payload) {
    const { size, distance } = (config["vectors"] ?? {}) as { size?: number; distance?: string };
    if (size === undefined || distance !== "Dot") throw new QdrantRefusal(501, "The double only has Dot.");
    this.size = size;
    this.distance = distance;
    this.metadata = config["metadata"] ?? null;
    this.sparseVectors = config["sparse_vectors"] as Record<string, unknown> | undefined;
  }

  /**
   * Checks an operation, and returns its changes to be made one after the other: a reader may come between any two, as in
   * Qdrant.
   */
  changes({ upsert, delete: deleted, update_vectors }: DoubleOperation): (() => void)[] {
    if (update_vectors !== undefined) return update_vectors.points.map((point) => () => this.#updateWords(point));
    if (upsert !== undefined) {
      for (const point of upsert.points) this.#checkPoint(point);
      return upsert.points.map((point) => () => this.#upsert(point, upsert.update_filter ?? undefined));
    }
    if (deleted === undefined) throw new QdrantRefusal(501, "The double only has upsert and delete.");
    this.#checkFilter(deleted.filter);
    const ids = deleted.points ?? this.#matching(deleted.filter).map((point) => point.id);
    return ids.map((id) => () => void this.points.delete(id));
  }

  query({ query, using, filter, limit, params, ...selection }: DoubleQuery): unknown[] {
    this.#checkFilter(filter ?? undefined);
    const among = this.#matching(filter ?? undefined);
    const scored = Array.isArray(query) ? this.#compare(among, query) : this.#compareWords(among, query, using);
    const isWhole = !this.missesPoints || params?.exact === true;
    const seen = scored.filter((_, index) => isWhole || index % 2 === 0);
    const nearest = seen.toSorted((one, other) => other.score - one.score).slice(0, limit ?? 10);
    return nearest.map(({ point, score }) => ({ ...selected(point, selection), version: 0, score }));
  }

  retrieve(ids: (string | number)[], selection: Selection): unknown[] {
    return ids.flatMap((id) => {
      const point = this.points.get(id);
      return point === undefined ? [] : [selected(point, selection)];
    });
  }

  scroll({ limit, offset, ...selection }: DoubleScroll): unknown {
    const sorted = [...this.points.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const from = offset === undefined ? 0 : sorted.findIndex(({ id }) => id >= offset);
    const rest = from === -1 ? [] : sorted.slice(from);
    const points = rest.slice(0, limit).map((point) => selected(point, selection));
    return { points, next_page_offset: rest[limit]?.id ?? null };
  }

  #compare(among: readonly Point[], query: readonly number[]): Scored[] {
    this.#checkSize(query);
    const wanted = Float32Array.from(query);
    return among.map((point) => ({ point, score: dot(point.vector, wanted) }));
  }

  #compareWords(among: readonly Point[], query: Sparse, using: string | null | undefined): Scored[] {
    this.#checkWords(using ?? "");
    const holders = [...this.points.values()].filter(({ words }) => words !== undefined);
    const weights = query.indices.map((index) => {
      const count = holders.filter(({ words }) => words?.indices.includes(index)).length;
      return [index, Math.log(1 + (holders.length - count + 0.5) / (count + 0.5))] as const;
    });
    return among.flatMap((point) => {
      const found = weights.filter(([index]) => point.words?.indices.includes(index));
      const score = found.reduce((sum, [index, weight]) => sum + weight * valueOf(point.words, index), 0);
      return found.length === 0 ? [] : [{ point, score }];
    });
  }

  #updateWords({ id, vector: { words } }: { id: string | number; vector: { words: Sparse } }): void {
    this.#checkWords("words");
    const point = this.points.get(id);
    if (point === undefined) throw new QdrantRefusal(404, `Not found: No point with id ${id} found`);
    point.words = words;
  }

  #checkWords(name: string): void {
    if (this.sparseVectors?.[name] !== undefined) return;
    throw new QdrantRefusal(400, `Wrong input: Not existing vector name error: ${name}`);
  }

  #upsert({ id, vector, payload }: SentPoint, updateFilter: Filter | undefined): void {
    const old = this.points.get(id);
    if (old !== undefined && updateFilter !== undefined && !matches(old, updateFilter)) return;
    const [own, words] = Array.isArray(vector) ? [vector] : [vector[""], vector.words];
    this.points.set(id, { id, vector: Float32Array.from(own), words, payload: payload ?? {} });
  }

  #matching(filter: Filter | undefined): Point[] {
    return [...this.points.values()].filter((point) => filter === undefined || matches(point, filter));
  }

  #checkPoint({ id, vector }: SentPoint): void {
    if (!isPointId(id)) {
      const text = `Format error in JSON body: value ${id} is not a valid point ID, valid values are either an unsigned integer or a UUID`;
      throw new QdrantRefusal(400, text);
    }
    this.#checkSize(Array.isArray(vector) ? vector : vector[""]);
    if (!Array.isArray(vector) && vector.words !== undefined) this.#checkWords("words");
  }

  #checkSize(vector: readonly number[]): void {
    if (vector.length === this.size) return;
    const text = `Wrong input: Vector dimension error: expected dim: ${this.size}, got ${vector.length}`;
    throw new QdrantRefusal(400, text);
  }

  #checkFilter(filter: Filter | undefined): void {
    for (const { key } of Object.values(filter ?? {}).flatMap(listOf)) {
      if (key === undefined || this.indexes.has(key)) continue;
      const text = `Bad request: Index required but not found for "${key}" of one of the following types: [keyword].`;
      throw new QdrantRefusal(400, text);
    }
  }
}

function valueOf(words: Sparse | undefined, index: number): number {
  return words?.values[words.indices.indexOf(index)] ?? 0;
}

function selected({ id, payload, vector, words }: Point, { with_payload, with_vector }: Selection): object {
  const names = Array.isArray(with_payload) ? with_payload : Object.keys(with_payload === true ? payload : {});
  const kept = Object.fromEntries(names.filter((name) => name in payload).map((name) => [name, payload[name]]));
  const own = Array.from(vector);
  const sent = words === undefined ? own : { "": own, words };
  const hasPayload = with_payload !== false && with_payload !== undefined;
  return { id, ...(hasPayload && { payload: kept }), ...(with_vector === true && { vector: sent }) };
}

function matches(point: Point, { must, must_not, should }: Filter): boolean {
  if (should !== undefined) throw new QdrantRefusal(501, "The double has no should.");
  return (
    listOf(must).every((condition) => holds(point, condition)) &&
    !listOf(must_not).some((condition) => holds(point, condition))
  );
}

function holds({ id, payload }: Point, { key, match, has_id }: Condition): boolean {
  if (has_id !== undefined) return has_id.includes(id);
  if (key === undefined || match?.value === undefined) throw new QdrantRefusal(501, "The double lacks a condition.");
  const value = payload[key];
  return (Array.isArray(value) ? value : [value]).includes(match.value);
}

function listOf(conditions: Condition | Condition[] | null | undefined): Condition[] {
  return conditions === undefined || conditions === null ? [] : [conditions].flat();
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? NaN) * (other[index] ?? NaN);
  return Math.fround(sum);
}
