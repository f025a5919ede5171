// Storage drivers: five methods, and the drivers that exist.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, InMemoryStorage } from "@troupe/core";
import type { StorageDriver } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { MongoStorage } from "@troupe/storage-mongodb";
import { PostgresStorage } from "@troupe/storage-postgres";
import { SqliteStorage } from "@troupe/storage-sqlite";

const folder = mkdtempSync(join(tmpdir(), "troupe-program-"));
const drivers: StorageDriver[] = [new InMemoryStorage(), new SqliteStorage(join(folder, "troupe.db"))];
for (const driver of drivers) {
  assert.equal(await driver.get("notes", "a"), null);
  await driver.set("notes", "a/1", { text: "rain" });
  await driver.set("notes", "a/2", [1, 2]);
  await driver.set("notes", "b/1", "sun");
  assert.deepEqual(await driver.get("notes", "a/1"), { text: "rain" });
  assert.deepEqual(await driver.list("notes", "a/"), [
    { key: "a/1", value: { text: "rain" } },
    { key: "a/2", value: [1, 2] },
  ]);
  assert.equal((await driver.list("notes")).length, 3);
  await driver.delete("notes", "a/1");
  assert.equal(await driver.get("notes", "a/1"), null);

  const agent = new Agent({ name: "helper", model: new ScriptedModel("Hi.", "You said hello."), storage: driver });
  await agent.run("Hello", { sessionId: "s-1" });
  assert.equal((await agent.run("What did I say?", { sessionId: "s-1" })).text, "You said hello.");
  await driver.close();
}
rmSync(folder, { recursive: true });

// Servers are reached with the first call.
const remote: StorageDriver[] = [
  new PostgresStorage("postgres://troupe:secret@localhost:5432/troupe"),
  new MongoStorage("mongodb://localhost:27017"),
  new MongoStorage("mongodb://localhost:27017", "troupe", "records"),
];
for (const driver of remote) await driver.close();

// A driver of one's own: five methods are enough.
const records = new Map<string, Map<string, unknown>>();
const own: StorageDriver = {
  get: async (namespace, key) => (records.get(namespace)?.get(key) ?? null) as never,
  set: async (namespace, key, value) => {
    if (!records.has(namespace)) records.set(namespace, new Map());
    records.get(namespace)?.set(key, structuredClone(value));
  },
  delete: async (namespace, key) => {
    records.get(namespace)?.delete(key);
  },
  list: async (namespace, prefix = "") =>
    [...(records.get(namespace) ?? new Map<string, unknown>())]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => ({ key, value: value as never })),
  close: async () => {},
};
const agent = new Agent({ name: "helper", model: new ScriptedModel("Hi.", "Hello again."), storage: own });
await agent.run("Hello", { sessionId: "s-1" });
await agent.run("And again", { sessionId: "s-1" });
assert.ok(records.size > 0);
