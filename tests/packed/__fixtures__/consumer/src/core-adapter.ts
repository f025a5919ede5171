// What somebody who writes a provider, a driver or a transport does with @troupe/core: the door for adapters.
import { strict as assert } from "node:assert";
import { TroupeError } from "@troupe/core";
import { encodeSse, findRunnable, readSse } from "@troupe/core/adapter";

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

const received: string[] = [];
for await (const { data } of readSse(bytesOf(encodeSse({ data: "rain\nand wind" })))) received.push(data);
assert.deepEqual(received, ["rain\nand wind"]);

// Doors share what they are made of: an error thrown behind one is known behind the other.
assert.throws(() => findRunnable({}, "constructor"), TroupeError);
