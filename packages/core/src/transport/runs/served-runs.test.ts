import { describe, expect, it, onTestFinished } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import type { RunEngine } from "../../runs/processes/run-engine.ts";
import { LocalEngine } from "../../runs/processes/local-engine.ts";
import { RunService } from "../../runs/service/run-service.ts";
import type { RunServiceOptions } from "../../runs/processes/run-service-options.ts";
import { createLogger } from "../../base/log/logger.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { ServedRuns } from "./served-runs.ts";
import { requestedOf } from "./test/hosted-service.ts";

type Line = { level: string; message: string } & Record<string, unknown>;

const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => ({ text: "Hello." })) });
const other = new Agent({ name: "other", model: new ScriptedModel() });

function makeService(options: RunServiceOptions = {}): RunService {
  const service = new RunService({ agents: { helper }, ...options });
  onTestFinished(async () => await service.close());
  return service;
}

/** Serves the runs of agents, with the lines of the log. */
function serve(durable: RunService, agents: Record<string, Agent> = { helper }): { served: ServedRuns; lines: Line[] } {
  const lines: Line[] = [];
  const logger = createLogger({ level: "debug", color: false, write: (line) => lines.push(parse(line)) });
  const registry = new Map(Object.entries(agents));
  const served = new ServedRuns({ agents: registry, teams: new Map() }, { durable, resumeMs: 1000, logger });
  onTestFinished(async () => await served.close());
  return { served, lines };
}

function parse(line: string): Line {
  const { level, message, ...fields } = JSON.parse(line) as Line;
  return { ...fields, level, message };
}

async function accept(served: ServedRuns): Promise<string> {
  return (await served.begin(requestedOf(), { kind: "agent", name: "helper" })).runId;
}

/** A storage that is not ours in memory. */
function lasting(): StorageDriver {
  const memory = new InMemoryStorage();
  return {
    get: (...given) => memory.get(...given),
    set: (...given) => memory.set(...given),
    delete: (...given) => memory.delete(...given),
    list: (...given) => memory.list(...given),
    compareAndSet: (...given) => memory.compareAndSet(...given),
    close: () => memory.close(),
  };
}

/** An engine that several processes share: it takes jobs, which nothing performs here. */
function sharedEngine(): RunEngine {
  const engine = new LocalEngine();
  return {
    submit: async () => undefined,
    withdraw: async () => undefined,
    serve: (perform, options) => engine.serve(perform, options),
    waiting: async () => 0,
    close: () => engine.close(),
  };
}

describe("a durable service that nothing performs", () => {
  it("refuses a request at once as unavailable, and names runs.serve() in the log alone", async () => {
    const { served, lines } = serve(makeService());

    const refused = await accept(served).catch((error: unknown) => error);

    expect(refused).toMatchObject({ code: "unavailable" });
    expect((refused as Error).message).not.toContain("serve()");
    expect(lines).toMatchObject([{ level: "error", message: expect.stringContaining("runs.serve()") }]);
    await expect(accept(served)).rejects.toMatchObject({ code: "unavailable" });
    expect(lines).toHaveLength(1);
  });

  it("is not ready", async () => {
    const service = makeService();
    const { served } = serve(service);

    await expect(served.checkReady()).rejects.toMatchObject({ code: "unavailable" });
    await service.serve();
    await expect(served.checkReady()).resolves.toBeUndefined();
  });

  it("takes requests from the moment in which serve() is called, before it has begun", async () => {
    const service = makeService();
    const { served, lines } = serve(service);

    const serving = service.serve();

    const runId = await accept(served);
    await serving;
    await expect.poll(async () => (await service.get(runId, "host")).status).toBe("completed");
    expect(lines).toEqual([]);
  });

  it("refuses again, and says so again, after it was drained", async () => {
    const service = makeService();
    const { served, lines } = serve(service);
    await expect(accept(served)).rejects.toMatchObject({ code: "unavailable" });
    const serving = await service.serve();
    await accept(served);
    await serving.drain(0);

    await expect(accept(served)).rejects.toMatchObject({ code: "unavailable" });

    expect(lines.map(({ level }) => level)).toEqual(["error", "error"]);
  });

  it("still accepts runs of the program itself, which a later serve() performs", async () => {
    const service = makeService();

    const { runId } = await service.accept({ kind: "agent", name: "helper", input: "Hi." });
    await service.serve();

    await expect.poll(async () => (await service.get(runId, "host")).status).toBe("completed");
  });

  it("takes requests when another service serves the same engine", async () => {
    const [engine, storage] = [new LocalEngine(), new InMemoryStorage()];
    const worker = makeService({ engine, storage });
    await worker.serve();
    const { served } = serve(makeService({ engine, storage }));

    const runId = await accept(served);

    await expect.poll(async () => (await worker.get(runId, "host")).status).toBe("completed");
  });
});

describe("a service whose engine is shared by processes", () => {
  it("takes requests with one warning while no live process performs, and is ready", async () => {
    const { served, lines } = serve(makeService({ engine: sharedEngine(), storage: new InMemoryStorage() }));

    await accept(served);
    await accept(served);
    await served.checkReady();

    await expect.poll(() => lines).toMatchObject([{ level: "warn", message: expect.stringContaining("runs.serve()") }]);
  });

  it("says nothing while another live process performs", async () => {
    const storage = new InMemoryStorage();
    await makeService({ engine: sharedEngine(), storage }).serve();
    const { served, lines } = serve(makeService({ engine: sharedEngine(), storage }));

    await accept(served);
    await served.checkReady();

    expect(lines).toEqual([]);
  });
});

describe("the names of a service and its transport", () => {
  it("are compared at construction: one warning names what is durable, what is plain and what is not served", () => {
    const { lines } = serve(makeService({ agents: { helper, unserved: other } }), { helper, other });

    expect(lines).toMatchObject([
      { level: "warn", durable: ["agent helper"], plain: ["agent other"], notServed: ["agent unserved"] },
    ]);
  });

  it("pass in silence where they are the same", () => {
    expect(serve(makeService()).lines).toEqual([]);
  });

  it("are refused where the transport serves nothing of the service", () => {
    expect(() => serve(makeService(), { other })).toThrow("runs performs nothing that is served here");
    expect(() => serve(makeService({ agents: {} }))).toThrow("runs performs nothing that is served here");
  });
});

describe("a lasting service", () => {
  it("is refused at construction of its transport while it does not say what becomes of callers' keys", () => {
    const options = { storage: lasting(), agents: { helper } };

    expect(() => serve(makeService(options))).toThrow("sealKeys");
    expect(() => serve(makeService({ ...options, sealKeys: [] }))).toThrow("sealKeys");
    expect(() => serve(makeService({ ...options, sealKeys: false }))).not.toThrow();
    expect(() => serve(makeService({ ...options, sealKeys: ["s".repeat(32)] }))).not.toThrow();
  });

  it("refuses a request with keys in words for its client where sealKeys is false, in memory too", async () => {
    for (const storage of [lasting(), new InMemoryStorage(), undefined]) {
      const service = makeService({ storage, sealKeys: false });
      const accepted = service.accept({ kind: "agent", name: "helper", input: "Hi.", keys: { apiKey: "k-1" } });

      const error = await accepted.catch((thrown: unknown) => thrown);

      expect(error).toMatchObject({ code: "invalid_request" });
      expect((error as Error).message).not.toContain("sealKeys");
      await service.accept({ kind: "agent", name: "helper", input: "Hi." });
    }
  });
});
