import { FakeVendor } from "@troupe-internal/vendor-fakes";

/** Answers in the words of whichever vendor is asked: so many pieces when it streams, the same as a whole when not. */
const pieces = Array.from({ length: Number(process.env["BENCH_CHUNKS"] ?? "200") }, (_, at) => `word${at} `);
const vendor = await FakeVendor.start();
vendor.respond(() => {
  // What it remembers of its requests would grow with the measurement.
  vendor.exchanges.length = 0;
  return { turn: { text: pieces } };
});
process.on("disconnect", () => process.exit());
process.send?.({ port: Number(new URL(vendor.url).port) });
