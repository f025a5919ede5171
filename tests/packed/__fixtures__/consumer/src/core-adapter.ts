// A program that uses the entry point of @troupe/core for adapters.
import { strict as assert } from "node:assert";
import { TroupeError } from "@troupe/core";
import { readSse } from "@troupe/core/provider";
import { encodeSse, findRunnable } from "@troupe/core/transport";

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

const received: string[] = [];
for await (const { data } of readSse(bytesOf(encodeSse({ data: "rain\nand wind" })))) received.push(data);
assert.deepEqual(received, ["rain\nand wind"]);

// Entry points share their modules: an error thrown behind one is known to the other.
assert.throws(() => findRunnable({}, "constructor"), TroupeError);
