import { expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { LocalEngine } from "../processes/local-engine.ts";
import type { RunEngine } from "../processes/run-engine.ts";
import { makeService, request, scriptedAgent, untilStatus } from "./test/services.ts";

/** An engine that passes all methods on to a local one. */
function wrapped(): RunEngine {
  const local = new LocalEngine();
  return {
    submit: async (job) => await local.submit(job),
    withdraw: async (runId) => await local.withdraw(runId),
    serve: async (perform, options) => await local.serve(perform, options),
    waiting: async () => await local.waiting(),
    isServed: () => local.isServed(),
    reserve: (runId, priority) => local.reserve(runId, priority),
    release: (runId) => local.release(runId),
    close: async () => await local.close(),
  };
}

/** Returns the writes of the storage that a run makes, by namespace. */
async function writesWith(engine: RunEngine): Promise<string[]> {
  const writes: string[] = [];
  class Counting extends InMemoryStorage {
    protected override write(namespace: string, key: string, text: string | undefined): void {
      writes.push(namespace);
      super.write(namespace, key, text);
    }
  }
  const service = makeService({ engine, storage: new Counting(), agents: { a: scriptedAgent([{ text: "Hi." }]) } });
  await service.serve();
  const { runId } = await service.accept(request);
  await untilStatus(service, runId, "completed");
  await service.drain(0);
  expect(await service.hosting.findPerformer()).toBe("nothing");
  return writes.toSorted();
}

it("an engine that passes all methods on to a local one makes the same writes", async () => {
  expect(await writesWith(wrapped())).toEqual(await writesWith(new LocalEngine()));
});
