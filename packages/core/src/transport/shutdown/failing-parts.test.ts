import { once } from "node:events";
import { createServer } from "node:http";
import { createLogger } from "../../base/log/logger.ts";
import type { DrainableRuns } from "../runs/active-runs.ts";
import { describe, expect, it } from "vitest";
import { Shutdown } from "./shutdown.ts";

const failing: DrainableRuns = {
  size: 0,
  endAll: () => {},
  drain: async () => await Promise.reject(new Error("No storage.")),
};

/** Runs that end when they are told to. */
function slowRuns() {
  const over = Promise.withResolvers<void>();
  const state = { isEnded: false };
  const runs: DrainableRuns = {
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
    const shutdown = new Shutdown(logger).add(failing).add(runs).attach(server);
    let isOver = false;
    const finished = shutdown.begin({ graceMs: 60_000, drainMs: 5000 }).then(() => (isOver = true));
    await expect.poll(() => lines.join("")).toContain("could not be ended in order");
    expect(isOver).toBe(false);
    finish();
    await finished;

    expect(server.listening).toBe(false);
  });

  it("ends the runs of the others after the grace period", async () => {
    const { runs, state } = slowRuns();
    const shutdown = new Shutdown(createLogger({ level: "silent" })).add(failing).add(runs);
    await shutdown.begin({ graceMs: 5, drainMs: 5 });

    expect(state.isEnded).toBe(true);
  });

  it("takes further runs, of which one fails too, without an error that nobody hears", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
    const shutdown = new Shutdown(logger);
    await shutdown.begin({ graceMs: 5, drainMs: 5 });
    shutdown.add(failing);

    await expect.poll(() => lines.join("")).toContain("could not be ended in order");
  });
});

it("a server that is attached once the shutdown has begun is closed too", async () => {
  const server = await listening();
  const shutdown = new Shutdown(createLogger({ level: "silent" }));
  const finished = shutdown.begin({ graceMs: 60_000, drainMs: 0 });

  expect(shutdown.attach(server)).toBe(shutdown);
  await finished;
  await expect.poll(() => server.listening).toBe(false);
});
