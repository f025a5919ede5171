import { MongodbServer, TestChild } from "@troupe-internal/fault-tools";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BeginningOutcome } from "./test/beginning-process.ts";
import { dropTestDb, newName, newStore, serverUrl, testDb } from "./test/stores.ts";

const file = new URL("./test/beginning-process.ts", import.meta.url);
const isSaid = (message: unknown): message is BeginningOutcome =>
  (message as Partial<BeginningOutcome>).outcome !== undefined;

describe.skipIf(serverUrl === "")("MongoDbVectorStore in four processes", () => {
  afterAll(async () => await dropTestDb());

  it("is created once, and one of the first documents decides the dimensions [mongodb.vector-dimensions]", async () => {
    const name = newName();
    const children = await Promise.all(
      [2, 3, 2, 3].map(async (dimensions, index) => {
        const args = [serverUrl, testDb, name, String(dimensions), String(index)];
        return await TestChild.start(file, { args });
      }),
    );
    try {
      const said = await Promise.all(children.map(async (child) => await child.next(isSaid)));
      const outcomes = said.map(({ outcome }) => outcome);
      const winners = [0, 1, 2, 3].filter((index) => outcomes[index] === "stored");
      const store = newStore({ collectionName: name });
      const found = await store.search(
        Array.from({ length: 2 + ((winners[0] ?? 0) % 2) }, () => 1),
        { topK: 100 },
      );
      await store.close();

      expect([["0,2"], ["1,3"]]).toContainEqual([winners.join()]);
      expect(outcomes.filter((outcome) => outcome !== "stored")).toEqual(["invalid_value", "invalid_value"]);
      expect(new Set(found.map(({ document }) => Number(document.id.split(" ")[0])))).toEqual(new Set(winners));
      expect(found).toHaveLength(40);
    } finally {
      await Promise.all(children.map(async (child) => await child.close()));
    }
  });
});

describe.skipIf(serverUrl === "" || !MongodbServer.isInstalled())("MongoDbVectorStore on a server that fails", () => {
  let server: MongodbServer;
  beforeAll(async () => {
    server = await MongodbServer.create({ durable: true });
  });
  afterAll(async () => await server.close());

  const pieces = (n: number) =>
    Array.from({ length: 20 }, (_, index) => ({
      id: `${n} ${index}`,
      content: "",
      embedding: [1, 0],
      metadata: { n },
    }));

  it("keeps all of a change or none when the server is killed under load, and works when it is back [mongodb.vector-write]", async () => {
    const store = newStore({ timeoutMs: 5000 }, server.url);
    await store.write({ upsert: pieces(0) });
    let last = 0;
    // Each change replaces the pieces of the one before, and each other one meets a kill.
    for (let round = 0; round < 6; round++) {
      const next = last + 1;
      const written = store.write({ deleteWhere: { n: last }, upsert: pieces(next) });
      const killed = round % 2 === 1 ? server.stop("SIGKILL").then(async () => await server.start()) : undefined;
      const [outcome] = await Promise.allSettled([written, killed]);
      const found = await store.search([1, 0], { topK: 100 });
      const numbers = [...new Set(found.map(({ document }) => document.metadata?.["n"]))];

      const { code } = outcome.status === "rejected" ? (outcome.reason as { code: unknown }) : {};
      expect(["storage_unavailable", undefined]).toContain(code);
      expect([found.length, numbers.length]).toEqual([20, 1]);
      // After an error the change may have been made.
      expect(outcome.status === "fulfilled" ? [next] : [last, next]).toContain(numbers[0]);
      last = Number(numbers[0]);
    }
    await store.close();
  });

  it("fails in time while the server hangs, and works when it goes on [mongodb.vector-unavailable]", async () => {
    const store = newStore({ timeoutMs: 1000 }, server.url);
    await store.upsert({ id: "hanging", content: "", embedding: [1, 0] });
    await server.freeze();
    const calls = [store.get("hanging"), store.search([1, 0]), store.delete("absent")];
    for (const outcome of await Promise.allSettled(calls))
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "storage_unavailable" } });
    await server.thaw();

    await expect.poll(async () => await store.get("hanging").catch(() => null)).toMatchObject({ id: "hanging" });
    await store.close();
  });
});
