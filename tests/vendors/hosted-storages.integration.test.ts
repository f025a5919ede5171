import { describe, it, onTestFinished } from "vitest";
import { openStorage } from "../processes/open-storage.ts";
import { expectHostedTurns, expectPausedTurns, hostedVendors } from "./hosted-turns.ts";

describe.each([
  ["postgres", process.env["TROUPE_TEST_POSTGRES_URL"] ?? ""],
  ["mongodb", process.env["TROUPE_TEST_MONGODB_URL"] ?? ""],
] as const)("an answer with the vendor's own tools, stored in %s", (kind, address) => {
  const opened = async () => {
    const storage = await openStorage({ kind, address });
    onTestFinished(() => storage.close());
    return storage;
  };

  it.skipIf(address === "").each(Object.keys(hostedVendors))(
    "goes back to %s as it was, search and code, in later turns [model-calls.stored-vendor-state]",
    async (name) => {
      await expectHostedTurns(name, await opened(), "stream");
    },
  );

  it.skipIf(address === "")(
    "goes back to Anthropic as it was, paused in the midst of its code [model-calls.stored-vendor-state]",
    async () => {
      await expectPausedTurns(await opened(), "stream");
    },
  );
});
