import { once } from "node:events";
import { createServer } from "node:http";
import { createLogger } from "@troupe/core";
import type { EndingRuns } from "@troupe/core/transport";
import { describe, expect, it } from "vitest";
import { createShutdown } from "./shutdown.ts";

const failing: EndingRuns = {
  size: 0,
  endAll: () => {},
  drain: async () => await Promise.reject(new Error("No storage.")),
};

/** Runs that end when they are told to. */
function slowRuns() {
  const over = Promise.withResolvers<void>();
  const state = { isEnded: false };
  const runs: EndingRuns = {
    size: 1,
    drain: async () => await over.promise,
    endAll: () => {
      state.isEnded = true;
      over.resolve();
    },
  };
  return { runs, state, finish: over.resolve };
}

async function listening() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

describe("a shutdown with a part that cannot be ended", () => {
  it("waits for the runs of the others, closes the server, and tells of it", async () => {
    const lines: string[] = [];
    const { runs, finish } = slowRuns();
    const server = await listening();
    const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
    const shutdown = createShutdown({ logger, graceMs: 60_000 }).add(failing).add(runs).attach(server);
    let isOver = false;
    const finished = shutdown.begin().then(() => (isOver = true));
    await expect.poll(() => lines.join("")).toContain("could not be ended in order");
    expect(isOver).toBe(false);
    finish();
    await finished;

    expect(server.listening).toBe(false);
  });

  it("ends the runs of the others after the grace period", async () => {
    const { runs, state } = slowRuns();
    const shutdown = createShutdown({ logger: createLogger({ level: "silent" }), graceMs: 5 })
      .add(failing)
      .add(runs);
    await shutdown.begin();

    expect(state.isEnded).toBe(true);
  });

  it("takes further runs, of which one fails too, without an error that nobody hears", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
    const shutdown = createShutdown({ logger, graceMs: 5 });
    await shutdown.begin();
    shutdown.add(failing);

    await expect.poll(() => lines.join("")).toContain("could not be ended in order");
  });
});
