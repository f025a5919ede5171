import { describe, expect, it, vi } from "vitest";
import { refusingPostgres } from "../test/refusing-servers.ts";
import { BullMqEngine } from "./bullmq-engine.ts";

const calls: Readonly<Record<string, (engine: BullMqEngine) => Promise<unknown>>> = {
  submit: async (engine) => await engine.submit({ runId: "é", activation: 1 }),
  withdraw: async (engine) => await engine.withdraw("é"),
  waiting: async (engine) => await engine.waiting(),
  waitingSince: async (engine) => await engine.waitingSince(),
  serve: async (engine) => await engine.serve(async () => await Promise.resolve(undefined), { concurrency: 1 }),
};

describe("an engine whose database refuses it", () => {
  it.each(Object.entries(calls))("fails anew each time by %s, and can be closed after that", async (_, call) => {
    const server = await refusingPostgres(0, "right");
    const engine = new BullMqEngine({ connectionString: `postgres://me:wrong@127.0.0.1:${server.port}/db` });
    let opened = 0;
    for (const again of [call, call, calls["waiting"] ?? call, call]) {
      await expect(again(engine)).rejects.toMatchObject({
        code: "storage_unavailable",
        message: expect.stringContaining("The server refuses") as unknown,
      });
      expect(server.opened()).toBeGreaterThan(opened);
      opened = server.opened();
    }
    await engine.close();
    await engine.close();

    await expect(call(engine)).rejects.toMatchObject({ code: "unavailable" });
    expect(server.opened()).toBe(opened);
    await vi.waitFor(() => expect(server.open()).toBe(0), { interval: 5, timeout: 20_000 });
  });
});
