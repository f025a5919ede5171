import type { ContentPart } from "../../base/message/content.ts";
import { SessionStore } from "../../sessions/session/session-store.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { assert, rejectsWith } from "./assert.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { plainTurn } from "./session-turns.ts";

const owner = { userId: "ada" };
const kilobytes = 600;

/**
 * Conformance suite for a `StorageDriver` as the storage of a `SessionStore`: large images, audio and files of turns.
 */
export const sessionLargeDataCases = {
  "stores large data in pieces beside the turn, and reads it again": async (driver) => {
    const store = new SessionStore(driver);
    const [large, small] = [fileOf(1, kilobytes), fileOf(2, 1)];
    await storeInput(store, [{ type: "text", text: "Hi" }, large, small, large]);

    const records = await driver.list("turns");
    assert.ok(JSON.stringify(records).length < 10_000);
    const pieces = await driver.list("turn-parts");
    assert.equal(pieces.length, 6);
    for (const { key, value } of pieces) {
      assert.match(key, /^-\/ada\/s\/000000000001\/[02]\/[\w:-]+$/);
      assert.ok(JSON.stringify(value).length < 360_000);
    }
    const { turns } = await store.readTurns("s", { owner });
    assert.deepEqual(turns[0]?.input, [{ type: "text", text: "Hi" }, large, small, large]);
    assert.deepEqual(await bytesOf(store, 1, 2), Buffer.alloc(kilobytes * 1024, 1));
    assert.deepEqual(await bytesOf(store, 1, 1), Buffer.alloc(1024, 2));
  },
  "loads large data for a run, and leaves it out when it is not asked for": async (driver) => {
    const store = new SessionStore(driver);
    const input = [fileOf(1, kilobytes)];
    await storeInput(store, input);
    const session = await store.open("s", { owner });
    try {
      assert.deepEqual((await session.loadTurns(5))[0]?.input, input);
      const [bare] = await session.loadTurnsWithoutData(5);
      assert.ok(JSON.stringify(bare).length < 1000);
    } finally {
      session.release();
    }
  },
  "removes large data with its turn, its session and its user": async (driver) => {
    const store = new SessionStore(driver);
    const input = [fileOf(1, kilobytes)];
    for (let count = 0; count < 3; count++) await storeInput(store, input);
    await store.deleteTurns("s", 2, { owner });
    assert.deepEqual(numbersIn(await driver.list("turn-parts")), [1]);
    assert.deepEqual((await store.readTurns("s", { owner })).turns[0]?.input, input);
    await storeInput(store, input);
    await store.deleteSession("s", { owner });
    assert.deepEqual(await driver.list("turn-parts"), []);

    await storeInput(store, input);
    await store.deleteUser("ada");
    assert.deepEqual(await driver.list("turn-parts"), []);
  },
  "never takes a piece of another write for one of a turn": async (driver) => {
    const store = new SessionStore(driver);
    await storeInput(store, [fileOf(1, kilobytes)]);
    const [first, second] = await driver.list("turn-parts");
    assert.ok(first !== undefined && second !== undefined);
    // A crashed process left these pieces, under the number of this turn and of the next.
    await driver.set("turn-parts", first.key.replace(/[^/]*$/, "other:000000000000"), second.value);
    await driver.set("turn-parts", first.key.replace("000000000001/", "000000000002/"), second.value);
    assert.deepEqual(await bytesOf(store, 1, 0), Buffer.alloc(kilobytes * 1024, 1));
    await storeInput(store, [fileOf(2, kilobytes)]);

    assert.deepEqual(await bytesOf(store, 2, 0), Buffer.alloc(kilobytes * 1024, 2));
    assert.equal((await driver.list("turn-parts", "-/ada/s/000000000002/")).length, 3);

    await driver.delete("turn-parts", second.key);
    await rejectsWith(bytesOf(store, 1, 0), "storage_corrupt");
  },
} satisfies ConformanceCases<StorageDriver>;

function fileOf(byte: number, size: number): ContentPart {
  const data = Buffer.alloc(size * 1024, byte).toString("base64");
  return { type: "file", mimeType: "application/pdf", filename: "plan.pdf", data };
}

async function storeInput(store: SessionStore, input: ContentPart[]): Promise<void> {
  const session = await store.open("s", { owner });
  try {
    await session.appendTurn({ ...plainTurn("x"), input });
  } finally {
    session.release();
  }
}

async function bytesOf(store: SessionStore, seq: number, index: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of (await store.readTurnPart("s", { seq, index }, { owner })).pieces) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Returns the numbers of the turns that have pieces. */
function numbersIn(pieces: readonly { key: string }[]): number[] {
  return [...new Set(pieces.map(({ key }) => Number(key.split("/")[3])))];
}
