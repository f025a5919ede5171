import { Redis } from "ioredis";
import pg from "pg";

/** Returns all that BullMQ has stored in a PostgreSQL, as text. */
export async function dumpPostgres(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'bullmq'",
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(
        `select row_to_json(t)::text as text from bullmq."${name}" t`,
      );
      texts.push(name, ...rows.map(({ text }) => text));
    }
    return texts.join("\n");
  } finally {
    await client.end();
  }
}

/** Returns all that a Redis holds, as text: keys, values as they are, and values as Redis dumps them. */
export async function dumpRedis(url: string): Promise<string> {
  const client = new Redis(url);
  try {
    const texts: string[] = [];
    let cursor = "0";
    do {
      const [next, keys] = await client.scan(cursor, "COUNT", 500);
      cursor = next;
      for (const key of keys) texts.push(key, await readKey(client, key), String(await client.dumpBuffer(key)));
    } while (cursor !== "0");
    return texts.join("\n");
  } finally {
    client.disconnect();
  }
}

const readers: Readonly<Record<string, (client: Redis, key: string) => Promise<unknown>>> = {
  string: (client, key) => client.get(key),
  hash: (client, key) => client.hgetall(key),
  list: (client, key) => client.lrange(key, 0, -1),
  set: (client, key) => client.smembers(key),
  zset: (client, key) => client.zrange(key, "0", "-1"),
  stream: (client, key) => client.xrange(key, "-", "+"),
  // A key that is gone by now.
  none: async () => "",
};

async function readKey(client: Redis, key: string): Promise<string> {
  const type = await client.type(key);
  const read = readers[type];
  if (read === undefined) throw new Error(`Redis has a key of type ${type}, which this dump does not read.`);
  return JSON.stringify(await read(client, key));
}
