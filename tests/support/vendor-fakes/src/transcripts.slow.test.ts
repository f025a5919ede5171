import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Delivery } from "./delivery.ts";
import { FakeVendor } from "./fake-vendor.ts";
import { transcriptNames } from "./transcripts.ts";

const wire = join(import.meta.dirname, "../wire");

describe.each(transcriptNames())("the recorded answer %s", (name) => {
  const recorded = readFileSync(join(wire, name));
  let vendor: FakeVendor;

  beforeAll(async () => {
    vendor = await FakeVendor.start();
  });
  afterAll(() => vendor.close());

  async function replay(delivery: Delivery = {}): Promise<Buffer> {
    vendor.plan({ transcript: name, delivery });
    const response = await fetch(`${vendor.url}/v1/chat/completions`, { method: "POST", body: "{}" });
    return Buffer.from(await response.arrayBuffer());
  }

  it("is replayed byte for byte", async () => {
    expect((await replay()).equals(recorded)).toBe(true);
  });

  it("is replayed byte for byte in pieces of one byte", async () => {
    expect((await replay({ pieceBytes: 1 })).equals(recorded)).toBe(true);
  });

  it("is replayed byte for byte when it is cut anywhere", async () => {
    const places = fc.array(fc.integer({ min: -1, max: recorded.length + 1 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(places, async (splitAt) => {
        expect((await replay({ splitAt })).equals(recorded)).toBe(true);
      }),
      { numRuns: 10 },
    );
  });
});

it("transcriptNames has recorded answers of every vendor", () => {
  const vendors = new Set(transcriptNames().map((name) => name.split("-")[0]));

  expect(vendors).toEqual(new Set(["anthropic", "compat", "google", "ollama", "openai", "vertex"]));
});
