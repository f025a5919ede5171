import { FakeVendor } from "@troupe-internal/vendor-fakes";

/** Answers in the format of the vendor that is asked: `BENCH_CHUNKS` pieces as a stream, or the same as a whole. */
const pieces = Array.from({ length: Number(process.env["BENCH_CHUNKS"] ?? "200") }, (_, at) => `word${at} `);
const vendor = await FakeVendor.start();
vendor.respond(() => {
  // Recorded requests would grow with the measurement.
  vendor.exchanges.length = 0;
  return { answer: { text: pieces } };
});
process.on("disconnect", () => process.exit());
process.send?.({ port: Number(new URL(vendor.url).port) });
