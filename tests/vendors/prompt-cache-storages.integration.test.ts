import { describe, it, onTestFinished } from "vitest";
import { openStorage } from "../processes/open-storage.ts";
import { expectTenCachedTurns } from "./odd-arguments.ts";

describe.each([
  ["postgres", process.env["TROUPE_TEST_POSTGRES_URL"] ?? ""],
  ["mongodb", process.env["TROUPE_TEST_MONGODB_URL"] ?? ""],
] as const)("ten turns of a chat with Claude, stored in %s", (kind, address) => {
  it.skipIf(address === "")("read all before from the vendor's cache [cache.stored-turns]", async () => {
    const storage = await openStorage({ kind, address });
    onTestFinished(() => storage.close());

    await expectTenCachedTurns(storage);
  });
});
