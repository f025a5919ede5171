import { expect, it } from "vitest";
import { TroupeError } from "../errors/troupe-error.ts";
import { LogWriter } from "../journal/log-writer.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { RunTails } from "./run-tails.ts";

it("a feed that has failed takes nothing from the next one of its run when its last reader leaves it late", () => {
  const storage = new InMemoryStorage();
  const writer = new LogWriter(storage);
  const tails = new RunTails({ storage, writer, isPerformedHere: () => false, checkQuiet: async () => {} });
  const failed = tails.join("r");
  tails.fail("r", new TroupeError("storage_unavailable", "The database restarts."));
  const next = tails.join("r");
  tails.leave(failed);

  expect(next).not.toBe(failed);
  expect(tails.join("r")).toBe(next);
  for (const _ of [1, 2]) tails.leave(next);
  expect(tails.join("r")).not.toBe(next);
});
