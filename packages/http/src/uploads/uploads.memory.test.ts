import { describe, expect, it } from "vitest";
import { toForm } from "../../test/forms.ts";
import { talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";
import { Latch } from "../../test/latch.ts";

const sized = (bytes: number, name = "big.bin"): File => new File([Buffer.alloc(bytes, "x")], name);

describe("uploads of several clients", () => {
  it("wait for free memory, and go on when an earlier run has been answered", async () => {
    const latch = new Latch();
    const began: unknown[] = [];
    const beforeRun = async (input: unknown): Promise<void> => {
      began.push(input);
      await latch.wait();
    };
    const service = await serve({
      agents: { a: talker("Seen.", { hooks: { beforeRun } }), b: talker() },
      fileUpload: { maxTotalSize: 10 },
    });
    const ask = async () => (await service.ask("/agents/a/run", { method: "POST", body: toForm({}, sized(6)) })).status;

    const first = ask();
    await latch.reached;
    const second = ask();
    // Came later, and does not wait: it has no files.
    for (let count = 0; count < 5; count++) await service.post("/agents/b/run", { input: "Hi" });
    expect(began).toHaveLength(1);

    latch.open();
    expect([await first, await second, began.length]).toEqual([200, 200, 2]);
    expect(service.lines).toEqual([]);
  });
});
