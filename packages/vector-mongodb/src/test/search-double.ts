import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { BSON, Long, MongoClient } from "mongodb";
import type { Binary, Document } from "mongodb";
import { SearchIndexDouble } from "./search-index-double.ts";
import { RefusedError } from "./search-rules.ts";

/** Options of `SearchDouble.create`. */
export type SearchDoubleOptions = {
  /** True to have MongoDB Vector Search. @default true */
  vectorSearch?: boolean;
  /** True to have `$similarityCosine`, like MongoDB 8.3. @default false */
  similarity?: boolean;
  /** Searches between two updates of the indexes, which makes them eventually consistent. @default 1 */
  refreshEvery?: number;
  /** Number of list requests before an index can be queried. @default 1 */
  buildsFor?: number;
  /** Largest number of indexes that may be created. @default 10 */
  mostIndexes?: number;
};

type Message = { readonly id: number; readonly body: Document };
type Connection = { readonly client: Socket; readonly upstream: Socket; onReply?: (reply: Document) => Document };

/**
 * A double of MongoDB Vector Search: a proxy in front of a MongoDB server that answers requests which the server does
 * not support. It refuses requests that break MongoDB's published rules, and searches exactly.
 */
export class SearchDouble {
  readonly url: string;
  /** The requests to the double, by the name of the stage or command. */
  readonly asked: { name: string; body: Document }[] = [];
  /** Called once, during the next search. */
  meanwhile: () => Promise<void> = async () => {};
  readonly #server: Server;
  readonly #reader: MongoClient;
  readonly #options: Required<SearchDoubleOptions>;
  readonly #indexes = new Map<string, SearchIndexDouble>();
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, upstream: URL, options: Required<SearchDoubleOptions>) {
    this.#server = server;
    this.#options = options;
    this.#reader = new MongoClient(upstream.href, { readConcern: { level: "majority" } });
    this.url = `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/?directConnection=true`;
    server.on("connection", (client: Socket) => {
      const connection = { client, upstream: connect(Number(upstream.port), upstream.hostname) };
      for (const socket of [client, connection.upstream]) this.#keep(socket);
      eachMessage(client, (bytes) => void this.#pass(connection, bytes));
      eachMessage(connection.upstream, (bytes) => this.#passBack(connection, bytes));
      client.on("close", () => connection.upstream.destroy());
      connection.upstream.on("close", () => client.destroy());
    });
  }

  /** Starts a double in front of the server at an address. */
  static async create(upstream: string, options: SearchDoubleOptions = {}): Promise<SearchDouble> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const defaults = { vectorSearch: true, similarity: false, refreshEvery: 1, buildsFor: 1, mostIndexes: 10 };
    return new SearchDouble(server, new URL(upstream), { ...defaults, ...options });
  }

  /** Stops the double, and closes the connections through it. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await this.#reader.close();
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
  }

  async #pass(connection: Connection, bytes: Buffer): Promise<void> {
    const message = readMessage(bytes);
    if (message === undefined) return void connection.upstream.write(bytes);
    const changed = this.#options.similarity ? withoutSimilarity(message.body) : undefined;
    if (changed !== undefined) {
      this.asked.push({ name: "$similarityCosine", body: message.body });
      connection.onReply = changed.onReply;
      return void connection.upstream.write(writeMessage(message.id, changed.body));
    }
    const reply = await this.#answer(message.body);
    if (reply === undefined) connection.upstream.write(bytes);
    else connection.client.write(writeMessage(message.id + 1, reply, message.id));
  }

  #passBack(connection: Connection, bytes: Buffer): void {
    const { onReply } = connection;
    const message = onReply === undefined ? undefined : readMessage(bytes);
    if (onReply === undefined || message === undefined) return void connection.client.write(bytes);
    delete connection.onReply;
    const reply = message.body["ok"] === 1 ? onReply(message.body) : message.body;
    connection.client.write(writeMessage(message.id, reply, bytes.readInt32LE(8)));
  }

  /** Answers a request that the double supports. Returns `undefined` for any other. */
  async #answer(body: Document): Promise<Document | undefined> {
    const [name = ""] = Object.keys(body);
    const stage = name === "aggregate" ? Object.keys((body["pipeline"] as Document[])[0] ?? {})[0] : name;
    const answers: Record<string, () => Promise<Document> | Document> = {
      $listSearchIndexes: () => this.#list(body),
      createSearchIndexes: () => this.#create(body),
      $vectorSearch: async () => await this.#search(body),
    };
    const answer = this.#options.vectorSearch ? answers[stage ?? ""] : undefined;
    if (answer === undefined) return undefined;
    this.asked.push({ name: stage ?? "", body });
    try {
      return { ...(await answer()), ok: 1 };
    } catch (error) {
      if (error instanceof RefusedError) return { ok: 0, errmsg: error.message, code: error.code };
      throw error;
    }
  }

  #list(body: Document): Document {
    const { $listSearchIndexes: wanted = {} } = (body["pipeline"] as Document[])[0] ?? {};
    const { name } = wanted as { name?: string };
    const all = [...this.#indexes.values()].filter((index) => index.isOf(body["$db"], body["aggregate"]));
    return cursor(all.filter((index) => name === undefined || index.name === name).map((index) => index.describe()));
  }

  #create(body: Document): Document {
    const created = (body["indexes"] as Document[]).map((given) => {
      const index = new SearchIndexDouble(given, {
        place: { db: String(body["$db"]), collection: String(body["createSearchIndexes"]) },
        buildsFor: this.#options.buildsFor,
        refreshEvery: this.#options.refreshEvery,
      });
      const { key, name } = index;
      if (this.#indexes.has(key)) throw new RefusedError(68, "Duplicate Index");
      if (this.#indexes.size >= this.#options.mostIndexes) throw new RefusedError(8000, "maximum number of indexes");
      this.#indexes.set(key, index);
      return { id: key, name };
    });
    return { indexesCreated: created };
  }

  async #search(body: Document): Promise<Document> {
    const [first, ...rest] = body["pipeline"] as Document[];
    const isPlain = rest.length === 1 && BSON.EJSON.stringify(rest[0] ?? {}) === '{"$project":{"_id":1}}';
    if (!isPlain) throw new Error("The double answers $vectorSearch followed by { $project: { _id: 1 } } alone.");
    if (body["startTransaction"] !== undefined || body["autocommit"] !== undefined)
      throw new RefusedError(263, "$vectorSearch is not allowed in a transaction");
    const stage = first?.["$vectorSearch"] as Document;
    const key = `${body["$db"]}.${body["aggregate"]}.${stage["index"]}`;
    const found = (await this.#indexes.get(key)?.search(stage, this.#reader)) ?? [];
    const { meanwhile } = this;
    this.meanwhile = async () => {};
    await meanwhile();
    return cursor(found.map((_id) => ({ _id })));
  }
}

function cursor(firstBatch: Document[]): Document {
  return { cursor: { firstBatch, id: Long.ZERO, ns: "db.collection" } };
}

/**
 * Replaces a pipeline with `$similarityCosine` by one that the server supports, and makes the function that completes
 * its result.
 */
function withoutSimilarity(body: Document): { body: Document; onReply: (reply: Document) => Document } | undefined {
  const pipeline = (body["pipeline"] ?? []) as Document[];
  const at = pipeline.findIndex((stage) => BSON.EJSON.stringify(stage).includes("$similarityCosine"));
  if (body["aggregate"] === undefined || at < 0) return undefined;
  if (body["aggregate"] === 1)
    return { body: { ping: 1, $db: "admin" }, onReply: () => ({ ...cursor([{ cosine: 1 }]), ok: 1 }) };
  const { score, ...fields } = (pipeline[at] as { $project: Document }).$project;
  const [path, wanted] = (score as Document)["$similarityCosine"] as [string, Binary];
  const limit = Number(pipeline.at(-1)?.["$limit"]);
  const stages = [...pipeline.slice(0, at), { $project: { ...fields, vector: path } }];
  const finish = (reply: Document): Document => {
    const batch = (reply["cursor"] as Document)["firstBatch"] as Document[];
    const scored = batch.map(({ vector, ...kept }): Document => ({ ...kept, score: cosine(vector as Binary, wanted) }));
    const sorted = scored.toSorted(
      (one, other) =>
        Number(other["score"]) - Number(one["score"]) ||
        Buffer.compare(Buffer.from(one["id"]), Buffer.from(other["id"])),
    );
    return { ...reply, ...cursor(sorted.slice(0, limit)) };
  };
  return { body: { ...body, pipeline: stages, cursor: { batchSize: 100_000 } }, onReply: finish };
}

function cosine(one: Binary, other: Binary): number {
  const [left, right] = [one.toFloat32Array(), other.toFloat32Array()];
  if (left.length !== right.length) throw new Error("$similarityCosine compares vectors of equal length.");
  const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, index) => sum + value * (b[index] ?? NaN), 0);
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right));
}

const opMsg = 2013;

/**
 * Reads a command or reply. Returns `undefined` for the older handshake messages, and for documents in separate
 * sections.
 */
function readMessage(bytes: Buffer): Message | undefined {
  if (bytes.readInt32LE(12) !== opMsg || bytes[20] !== 0) return undefined;
  const end = 21 + bytes.readInt32LE(21);
  if (end !== bytes.length) return undefined;
  const body = BSON.deserialize(bytes.subarray(21, end), { promoteLongs: false, promoteValues: true });
  return { id: bytes.readInt32LE(4), body };
}

function writeMessage(id: number, body: Document, responseTo = 0): Buffer {
  const document = BSON.serialize(body);
  const head = Buffer.alloc(21);
  head.writeInt32LE(21 + document.length, 0);
  head.writeInt32LE(id, 4);
  head.writeInt32LE(responseTo, 8);
  head.writeInt32LE(opMsg, 12);
  return Buffer.concat([head, document]);
}

function eachMessage(socket: Socket, take: (bytes: Buffer) => void): void {
  let kept: Buffer = Buffer.alloc(0);
  socket.on("data", (bytes: Buffer) => {
    kept = kept.length === 0 ? bytes : Buffer.concat([kept, bytes]);
    for (;;) {
      const length = kept.length < 4 ? Infinity : kept.readInt32LE(0);
      if (kept.length < length) return;
      take(kept.subarray(0, length));
      kept = kept.subarray(length);
    }
  });
}
